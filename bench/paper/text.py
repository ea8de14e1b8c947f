# SPDX-License-Identifier: Apache-2.0
"""Numbers and tables in Markdown."""
from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join("–" if cell is None else str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def short(value: float | None, digits: int = 3) -> str:
    """Three digits, without an exponent where that is readable."""
    if value is None or not math.isfinite(value):
        return "–" if value is None else "NaN"
    if value != 0 and not 1e-3 <= abs(value) < 1e5:
        return f"{value:.{digits - 1}e}"
    return f"{value:.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"


def power(value: float | None) -> str:
    """1.1e-6, as residuals are read."""
    if value is None or not math.isfinite(value):
        return "–" if value is None else "NaN"
    if value == 0:
        return "0"
    digits, exponent = f"{value:.1e}".split("e")
    return f"{digits}e{int(exponent)}"


def percent(share: float | None) -> str:
    if share is None:
        return "–"
    return f"{100 * share:.0f} %" if share in (0, 1) or 0.01 <= share <= 0.99 else f"{100 * share:.1f} %"


def metres(value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return "–"
    return f"{short(1e3 * value)} mm" if 1e-6 < abs(value) < 0.1 else f"{short(value)} m"
