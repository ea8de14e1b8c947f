# SPDX-License-Identifier: Apache-2.0
"""What came out of a cell, and which cell of an engine is its best on a scene (docs/peers/settings.md, decision 022)."""

LIFTS = 1e-3        # m, more than which a sliding body has left its plane
TUMBLES = 20.0      # degrees
CREEP_SECONDS = 10  # for which the creep of the last second is added to the displacement


def ran(cell):
    return cell["ended"] not in ("missing", "failed")


def is_moving(cell):
    return "overlap" in cell


def verdict(cell):
    """stands, gives way, flat, lifts, tumbles; of moving scenes, whose outcome is how they move, nothing."""
    if is_moving(cell):
        return ""
    if "closed_form" in cell:
        return "tumbles" if cell["closed_form"].get("tilt", 0) > TUMBLES else "lifts" if cell["lift"] > LIFTS else "flat"
    return "stands" if cell["gives_way"] is None else "gives way"


def amount(cell):
    """What is left to compare where outcomes are equal, m."""
    form = cell.get("closed_form")
    if form:
        return abs(form["error"]) * (1.0 if form["unit"] == "m" else cell["time"]) + max(cell["lift"], 0.0)
    return cell["moved"] + CREEP_SECONDS * cell["creep"]


def rank(cell):
    """Less is better: outcome, how early it gave way, whether the run got through, the amount."""
    outcome = ("stands", "flat", "lifts", "gives way", "tumbles").index(verdict(cell))
    return outcome, -(cell["gives_way"] or 0.0), cell["ended"] != "done", amount(cell)


def best(cells):
    """Of one engine on one scene; None where none ran or the scene has no best."""
    candidates = [c for c in cells if ran(c) and not is_moving(c)]
    return min(candidates, key=rank) if candidates else None
