# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/peers/charts.md, from the results of `repose bench peers`."""
import math

from best import ran
from description import MOVING
from page import shown_cells, title_of

SETTLED = {"cards-4": 1e-4, "cards-5": 1e-4, "cards-10": 1e-3, "arch-25": 1e-4, "arch-101": 1e-3, "wall-10": 1e-4,
           "stack-10": 1e-4}  # m, what our own tests allow after 10 s
COLOURS = {"repose": "#c0392b", "mujoco": "#1f4e79", "mujoco-warp": "#5b9bd5", "kamino": "#2e7d32", "genesis": "#8e44ad",
           "drake": "#b8860b", "rapier": "#555555", "jolt": "#17a2a2", "lmgc90": "#a0522d"}
FLOOR = 1e-12


def colour(cell):
    return "#e59866" if cell["setting"] == "relaxed" else COLOURS.get(cell["peer"], "k")


def name_of(cell):
    return title_of(cell["peer"]) + (", relaxed" if cell["setting"] == "relaxed" else "")


def there(document, scene):
    return [c for c in shown_cells(document, scene) if ran(c)]


def marker(cell):
    return {"marker": "o" if cell["gives_way"] is None else "X", "fillstyle": "full" if cell["ended"] == "done" else "none",
            "color": colour(cell), "markersize": 7, "linestyle": ""}


def legend(figure, cells, plt):
    known = {name_of(c): colour(c) for c in cells}
    marks = [plt.Line2D([], [], marker="o", linestyle="", color=shade) for shade in known.values()]
    figure.legend(marks, known.keys(), loc="lower center", ncol=5, frameon=False)


def scatter(document, scenes, point, decorate, file):
    """One panel a scene, one point a cell; `decorate(axis, scene)` names the axes."""
    import matplotlib.pyplot as plt

    columns = math.ceil(len(scenes) / 2)
    figure, axes = plt.subplots(2, columns, figsize=(4.2 * columns, 8), squeeze=False)
    for axis, scene in zip(axes.flat, scenes):
        for cell in there(document, scene):
            axis.loglog(*point(cell), **marker(cell))
        decorate(axis, scene)
        axis.set_title(scene)
        axis.grid(True, which="major", alpha=0.3)
    for axis in list(axes.flat)[len(scenes):]:
        axis.set_visible(False)
    legend(figure, [c for scene in scenes for c in there(document, scene)], plt)
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    figure.savefig(file, dpi=110)
    plt.close(figure)


def standing(document, scenes, file):
    def decorate(axis, scene):
        axis.axhline(SETTLED[scene], color="0.6", linewidth=0.8, linestyle="--")
        axis.set(xlabel="ms per step, median", ylabel="largest displacement, m", ylim=(FLOOR / 3, 3e3))

    scatter(document, scenes, lambda c: (c["ms"]["median"], min(max(c["moved"], FLOOR), 1e3)), decorate, file)


def moving(document, scenes, file):
    def decorate(axis, _):
        axis.set(xlabel="ms per step, mean", ylabel="deepest overlap, share of the thinner body", ylim=(3e-3, 1e1))

    scatter(document, scenes, lambda c: (c["ms"]["mean"], c["overlap"]), decorate, file)


def bars(document, scenes, value, title, file, limits):
    """One bar per engine and setting, scenes side by side."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(scenes), figsize=(5.2 * len(scenes), 6.2), squeeze=False)
    for axis, scene in zip(axes.flat, scenes):
        shown = [(f"{title_of(c['peer'])}, {c['setting']}", value(c), colour(c))
                 for c in there(document, scene) if value(c) is not None]
        places = range(len(shown))
        axis.barh(places, [min(max(v, limits[0] * 1.5), limits[1]) for _, v, _ in shown], left=limits[0],
                  color=[c for *_, c in shown])
        axis.set_yticks(list(places), [name for name, *_ in shown], fontsize=7)
        axis.invert_yaxis()
        axis.set(xscale="log", xlim=limits, title=scene, xlabel=title)
        axis.grid(True, axis="x", alpha=0.3)
    figure.tight_layout()
    figure.savefig(file, dpi=110)
    plt.close(figure)


def median_residual(cell):
    return ((cell.get("law") or {}).get("r_c") or {}).get("median")


def draw(document, out):
    import matplotlib

    matplotlib.use("Agg")
    having = {c["scene"] for c in document["cells"] if ran(c)}

    def of(*scenes):
        return [s for s in scenes if s in having]

    if of(*SETTLED):
        standing(document, of(*SETTLED), out / "standing.png")
    sliding = of("incline-0.4", "launched-cube", "backspin")
    if sliding:
        bars(document, sliding, lambda c: abs(c["closed_form"]["error"]), "error against the closed form, m or m/s",
             out / "error.png", (1e-14, 1e2))
        bars(document, sliding, lambda c: max(c["lift"], 0.0), "lift, m", out / "lift.png", (1e-14, 1e2))
    if of(*MOVING):
        moving(document, of(*MOVING), out / "moving.png")
    judged = of("launched-cube", "cards-4", "arch-25")
    if judged:
        bars(document, judged, median_residual, "r_c of its own impulses, median", out / "law.png", (1e-15, 1e1))
