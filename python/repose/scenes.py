# SPDX-License-Identifier: Apache-2.0
"""The built-in scenes as functions: ``repose.scenes.arch(stones=25)`` returns a Model.

One function per scene, with the parameters of ``repose scenes`` as keywords; dashes become underscores.
"""
from __future__ import annotations

import inspect
from typing import Any, Callable

from repose import _core

__all__: list[str] = []


def _text(value: object) -> str:
    """A parameter as the registry reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"expected a number, a flag or a text, got {value!r}") from None
    return repr(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def _python_value(parameter: dict[str, str]) -> Any:
    """The default of a parameter with the type that Python shows."""
    text, kind = parameter["default"], parameter["type"]
    if kind == "flag":
        return text == "true"
    if kind == "whole":
        return int(text)
    return float(text) if kind == "number" else text


def _names(kind: dict[str, Any]) -> list[str]:
    return [p["name"].replace("-", "_") for p in kind["parameters"]]


def _doc(kind: dict[str, Any]) -> str:
    lines = [f"{kind['summary'][0].upper()}{kind['summary'][1:]}.", "", "Parameters", "----------"]
    for name, p in zip(_names(kind), kind["parameters"]):
        lines += [f"{name} : {p['range']}, default {p['default']}", f"    {p['help']}"]
    return "\n".join([*lines, "", "Returns", "-------", "Model"])


def _maker(kind: dict[str, Any]) -> Callable[..., _core.Model]:
    real = dict(zip(_names(kind), (p["name"] for p in kind["parameters"])))

    def make(**parameters: Any) -> _core.Model:
        return _core.make_scene(kind["name"], {real.get(k, k): _text(v) for k, v in parameters.items()})

    make.__name__ = make.__qualname__ = kind["name"].replace("-", "_")
    make.__doc__ = _doc(kind)
    make.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_python_value(p))
         for name, p in zip(_names(kind), kind["parameters"])], return_annotation=_core.Model)
    return make


def make(name: str, **parameters: Any) -> _core.Model:
    """The built-in scene called `name` (with dashes, as `repose scenes` lists it, or underscores)."""
    known = {kind["name"].replace("-", "_"): kind for kind in _core.scene_list()}
    kind = known.get(name.replace("-", "_"))
    return _maker(kind)(**parameters) if kind else _core.make_scene(name, {})


for _kind in _core.scene_list():
    _function = _maker(_kind)
    globals()[_function.__name__] = _function
    __all__.append(_function.__name__)
__all__ += ["make"]
