# SPDX-License-Identifier: Apache-2.0
"""Writes the stub of repose.scenes, whose functions are made at import.   scene_stubs.py FOLDER_OF_PACKAGE OUT"""
import inspect
import sys

sys.path.insert(0, sys.argv[1])
from repose import scenes  # noqa: E402

lines = ["from typing import Any", "", "from repose._core import Model", "", "__all__: list[str]", ""]
for name in sorted(set(scenes.__all__) - {"make"}):
    parameters = [f"{p.name}: {type(p.default).__name__} = {p.default!r}"
                  for p in inspect.signature(getattr(scenes, name)).parameters.values()]
    doc = getattr(scenes, name).__doc__.replace("\n", "\n    ")
    lines += [f"def {name}(*, {', '.join(parameters)}) -> Model:", f'    """{doc}"""', ""]
lines += ["def make(name: str, **parameters: Any) -> Model: ...", ""]
with open(sys.argv[2], "w", encoding="utf-8") as out:
    out.write("\n".join(lines))
