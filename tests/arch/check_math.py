# SPDX-License-Identifier: Apache-2.0
"""What motion depends on calls no function of the C library whose last bit differs between two machines: scalar.h and
portable.h have the same functions for all. The same goes for random distributions and for containers without an order.

What only writes or checks results may call them: repose/verify shares nothing with the solver."""
import re
import sys

from sources import ROOT, is_code, walk

FREE = ("repose/verify/", "repose/export/", "repose/report/")
CALLS = re.compile(r"\bstd::(?:sin|cos|tan|asin|acos|atan2?|sinh|cosh|tanh|exp2?|expm1|log(?:2|10|1p)?|pow|cbrt|hypot)\b"
                   r"|\bstd::\w+_distribution\b|\bstd::unordered_\w+|\bstd::(?:reduce|transform_reduce|hash|shuffle)\b")


def faults():
    for path in walk(folders=("repose", "scenes", "problems")):
        name = path.relative_to(ROOT).as_posix()
        if not is_code(path) or name.startswith(FREE):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for call in CALLS.findall(line.split("//")[0]):
                yield f"{name}:{number}: expected a function of repose/math, got {call}"


found = list(faults())
print("\n".join(found))
sys.exit(bool(found))
