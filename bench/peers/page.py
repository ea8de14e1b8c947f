# SPDX-License-Identifier: Apache-2.0
"""Tables and charts from the results of `repose bench peers`.

    page.py [RESULTS.json] [--out DIR] [--no-charts] [--readme FILE]

writes DIR/index.md (by default docs/peers) and, with matplotlib, DIR/charts.md with its pictures; `--readme` also fills the
table between the two marks of that file. Only what a run measured is written; text that people wrote stands in index.head.md
and charts.head.md of this folder.
"""
import argparse
import json
import math
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path += [str(HERE), str(HERE.parent)]
from catalogue import PEERS  # noqa: E402
from description import SCENES  # noqa: E402
from provenance import origin_of, short_commit, stamp  # noqa: E402

SETTLED = {"cards-4": 1e-4, "cards-5": 1e-4, "cards-10": 1e-3, "arch-25": 1e-4, "arch-101": 1e-3, "wall-10": 1e-4,
           "stack-10": 1e-4}
EMPTY = "–"


def length(value, unit="m"):
    """12 mm, 0.30 mm, 1.4 m; below a micrometre as a power of ten."""
    if value is None or not math.isfinite(value):
        return EMPTY
    size = abs(value)
    if size == 0:
        return "0"
    if size < 1e-6:
        return f"{value:.0e}".replace("e-0", "e-") + f" {unit}"
    if size < 1e-3:
        return f"{1e6 * value:.3g} µ{unit}"
    if size < 1:
        return f"{1e3 * value:.3g} m{unit}"
    return f"{value:.3g} {unit}" if size < 1e4 else f"{value:.0e} {unit}"


def number(value):
    if value is None or not math.isfinite(value):
        return EMPTY
    return f"{value:.3g}" if abs(value) < 999.5 else f"{value:.0f}"


def power(value):
    if value is None or not math.isfinite(value):
        return EMPTY
    return "0" if value == 0 else f"{value:.0e}".replace("e-0", "e-").replace("e+00", "")


def ran(cell):
    return cell["ended"] not in ("missing", "failed")


def span(cell):
    """How much of the scene was simulated, where it was not all."""
    if cell["ended"] == "budget":
        return f"{cell['time']:.2g} of {cell['steps_wanted'] * cell['time'] / max(1, cell['steps']):.2g} s"
    return "broke down" if cell["ended"] == "broke down" else ""


def verdict(cell):
    if "closed_form" in cell:
        form = cell["closed_form"]
        tumbles = form.get("tilt", 0) > 20
        return "tumbles" if tumbles else "lifts" if cell["lift"] > 1e-3 else "flat"
    return "stands" if cell["gives_way"] is None else f"gives way, {cell['gives_way']:.1f} s"


def law(cell):
    """Median and largest r_c, or why there is none."""
    found = cell.get("law")
    if not found:
        return "not shown", EMPTY
    if not found.get("r_c"):
        return ("no contact" if not found["steps"] else "not scored"), EMPTY
    partly = "" if found["scored"] == found["steps"] else f" ({found['scored']} of {found['steps']})"
    return power(found["r_c"]["median"]) + partly, power(found["r_c"]["max"])


def row(cell):
    who = [PEERS[cell["peer"]].title if cell["peer"] in PEERS else cell["peer"], cell["setting"]]
    if not ran(cell):
        return who + [f"{cell['ended']}: {cell['why']}"] + [EMPTY] * 8
    form = cell.get("closed_form")
    median, largest = law(cell)
    return who + [verdict(cell) + (f" ({span(cell)})" if span(cell) else ""), length(cell["moved"]),
                  length(cell["creep"], "m/s"), length(cell["lift"]),
                  length(form["error"], form["unit"]) if form else EMPTY,
                  number(cell["ms"]["median"]), number(cell["ms"]["p95"]), median, largest]


HEAD = ["engine", "setting", "outcome", "moved", "creep", "lift", "error", "ms", "p95", "r_c", "largest r_c"]


def table(rows, head):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(text.replace("|", "/") for text in cells) + " |" for cells in rows]) + "\n"


def scene_cells(document, scene):
    order = {name: k for k, name in enumerate(PEERS)}
    found = [c for c in document["cells"] if c["scene"] == scene]
    return sorted(found, key=lambda c: (order.get(c["peer"], 99), list(PEERS[c["peer"]].settings).index(c["setting"])
                                        if c["peer"] in PEERS and c["setting"] in PEERS[c["peer"]].settings else 99))


def scene_table(document, scene):
    return table([row(c) for c in scene_cells(document, scene)], HEAD)


def versions(document):
    """Each engine's version as it gave it itself; why it is missing otherwise."""
    found = {}
    for cell in document["cells"]:
        text = cell.get("version") if ran(cell) else f"{cell['ended']}: {cell['why']}"
        if cell["peer"] not in found or ran(cell):
            found[cell["peer"]] = text
    return {name: found[name] for name in [*PEERS, *found] if name in found}


def budget_words(document):
    """CPU seconds a cell: the usual number, and which cells had another."""
    given = {(c["peer"], c["scene"]): c["seconds"] for c in document["cells"] if "seconds" in c}
    if not given:
        return "not known"
    usual = statistics.mode(given.values())
    others = [f"{PEERS[p].title if p in PEERS else p} on {s} {seconds:g} s" for (p, s), seconds in given.items() if seconds != usual]
    return f"{usual:g} s of CPU time a cell" + (f" ({'; '.join(others)})" if others else "")


def time_words(document):
    """Each engine's milliseconds in those of Repose on the structures: from its cheapest setting and scene to its dearest."""
    ms = {(c["scene"], c["peer"], c["setting"]): c["ms"]["median"] for c in document["cells"] if ran(c) and c["scene"] in SETTLED}
    ratios = {}
    for (scene, peer, _), value in ms.items():
        ours = ms.get((scene, "repose", "auto"))
        if peer != "repose" and ours and value:
            ratios.setdefault(peer, []).append(value / ours)
    return "; ".join(f"{PEERS[p].title} {number(float(f'{min(r):.2g}'))} to {number(float(f'{max(r):.2g}'))}" for p, r in ratios.items()) or "not known"


def machine_lines(document):
    origin = origin_of(document, "peers.json")
    lines = [f"- **Machine**: one core of {origin['processor']} ({origin['cores']} cores, {origin['system']}); {document['machine']['note']}.",
             f"- **Date**: {origin['date']}."]
    names = [f"{PEERS[k].title if k in PEERS else k} {v}" for k, v in versions(document).items()]
    lines.append("- **Versions**: " + "; ".join(names) + ".")
    lines.append(f"- **Time of a step in those of Repose (`auto`), structures, all settings**: {time_words(document)}.")
    lines.append(f"- **Budget**: {budget_words(document)}.")
    if document.get("remarks"):
        lines.append(f"- **Remarks**: {document['remarks']}")
    return "\n".join(lines) + "\n"


def siconos_table(document):
    found = document.get("siconos")
    if not found:
        return "Not run.\n"
    if "why" in found:
        return f"Missing: {found['why']}.\n"
    rows = []
    for p in found["problems"]:
        best = p.get("best")
        rows.append([p["file"], str(p["contacts"]), number(p["repose_ms"]), power(p["repose_r_c"]),
                     f"{best['configuration']}" if best else "none within the limit", number(best["ms"]) if best else EMPTY,
                     f"{p['solved_configurations']} of {p['configurations']}"])
    said = (f"Siconos {found['version']}, each solve limited to {found['cap_s']:g} s of CPU time, "
            f"tolerance {found['tolerance']:g}.\n\n")
    head = ["problem", "contacts", "Repose, ms", "r_c", "best of Siconos", "ms", "configurations that solve it within the limit"]
    return said + table(rows, head)


def origins(document):
    """The document's provenance; a run that kept cells of an earlier one names the commits of those too."""
    origin = origin_of(document, "peers.json")
    others = {c["commit"] for c in document["cells"] if c.get("commit") not in (None, origin["commit"])}
    if not others:
        return origin
    kept = "some cells of " + ", ".join(f"commit {short_commit(c)}" for c in sorted(others))
    return origin | {"note": "; ".join(filter(None, (origin.get("note"), kept)))}


def index(document, file, page):
    """The page `page` from the document in `file`."""
    if document.get("quick"):
        raise SystemExit("page.py: expected a full run, got a quick one")
    mark = stamp(origins(document), file, page)
    parts = [(HERE / "index.head.md").read_text(encoding="utf-8"), "## The run\n", machine_lines(document)]
    for scene in SCENES:
        if scene_cells(document, scene):
            parts += [f"### {scene}\n", scene_table(document, scene), mark]
    parts += ["### Solvers on stored problems: Siconos\n", siconos_table(document), mark]
    return "\n".join(parts)


# The rows that matter most, for the front page: scene, what the row says, and the cell's words.
FRONT_ROWS = (
    ("cards-10", "house of cards, 10 levels: moved in 10 s, ms a step", lambda c: length(c["moved"])),
    ("arch-101", "arch of 101 stones: moved in 10 s, ms a step", lambda c: length(c["moved"])),
    ("launched-cube", "cube sliding at 6 m/s: lift, ms a step", lambda c: length(c["lift"])),
)
FRONT_COLUMNS = (("repose", "auto"), ("mujoco", "impratio 100"), ("kamino", "LLTBRCM"), ("genesis", "signorini, 4 substeps"),
                 ("drake", "lagged"), ("rapier", "4 substeps"))
FRONT_MARKS = ("<!-- peers -->\n", "<!-- end of peers -->\n")


def front_cell(document, scene, peer, setting, words):
    cell = next((c for c in document["cells"] if [c["scene"], c["peer"], c["setting"]] == [scene, peer, setting]), None)
    if cell is None or not ran(cell):
        return "not run" if cell is None else cell["ended"]
    if cell["gives_way"] is not None:
        return f"falls at {cell['gives_way']:.1f} s, {number(cell['ms']['median'])} ms"
    return f"{words(cell)}, {number(cell['ms']['median'])} ms" + (f" ({span(cell)})" if span(cell) else "")


def front_table(document):
    head = [""] + [PEERS[p].title + ("" if p in ("repose", "kamino") else f", {label}") for p, label in FRONT_COLUMNS]
    return table([[says] + [front_cell(document, scene, p, label, words) for p, label in FRONT_COLUMNS]
                  for scene, says, words in FRONT_ROWS], head)


def fill(text, document, file, page):
    """`text`, which is that of `page`, with the table between its marks."""
    begin, end = (text.find(mark) for mark in FRONT_MARKS)
    if begin < 0 or end < begin:
        raise SystemExit(f"page.py: expected the lines {FRONT_MARKS[0].strip()} and {FRONT_MARKS[1].strip()}, got not both")
    return text[:begin] + FRONT_MARKS[0] + front_table(document) + "\n" + stamp(origins(document), file, page) + text[end:]


COLOURS = {"repose": "#c0392b", "mujoco": "#1f4e79", "mujoco-warp": "#5b9bd5", "kamino": "#2e7d32", "genesis": "#8e44ad",
           "drake": "#b8860b", "rapier": "#555555"}
FLOOR = 1e-12


def colour(cell):
    return "#e59866" if cell["setting"] == "relaxed" else COLOURS.get(cell["peer"], "k")


def name_of(cell):
    title = PEERS[cell["peer"]].title
    return f"{title}, relaxed" if cell["setting"] == "relaxed" else title


def scatter(document, scenes, file):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, math.ceil(len(scenes) / 2), figsize=(4.2 * math.ceil(len(scenes) / 2), 8), squeeze=False)
    for axis, scene in zip(axes.flat, scenes):
        for c in filter(ran, scene_cells(document, scene)):
            stands = c["gives_way"] is None
            axis.loglog(c["ms"]["median"], min(max(c["moved"], FLOOR), 1e3), "o" if stands else "X", color=colour(c),
                        fillstyle="full" if c["ended"] == "done" else "none", markersize=7)
        axis.axhline(SETTLED[scene], color="0.6", linewidth=0.8, linestyle="--")
        axis.set(title=scene, xlabel="ms per step, median", ylabel="largest displacement, m", ylim=(FLOOR / 3, 3e3))
        axis.grid(True, which="major", alpha=0.3)
    for axis in list(axes.flat)[len(scenes):]:
        axis.set_visible(False)
    known = {name_of(c): colour(c) for scene in scenes for c in scene_cells(document, scene) if ran(c)}
    marks = [plt.Line2D([], [], marker="o", linestyle="", color=shade) for shade in known.values()]
    figure.legend(marks, known.keys(), loc="lower center", ncol=4, frameon=False)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(file, dpi=110)
    plt.close(figure)


def bars(document, scenes, value, title, file, limits):
    """One bar per engine and setting, scenes side by side."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(scenes), figsize=(4.6 * len(scenes), 5.4), squeeze=False)
    for axis, scene in zip(axes.flat, scenes):
        shown = [(f"{PEERS[c['peer']].title}, {c['setting']}", value(c), colour(c))
                 for c in scene_cells(document, scene) if ran(c) and value(c) is not None]
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


def charts(document, out):
    import matplotlib

    matplotlib.use("Agg")
    there = {c["scene"] for c in document["cells"] if ran(c)}
    standing = [s for s in SETTLED if s in there]
    if standing:
        scatter(document, standing, out / "standing.png")
    sliding = [s for s in ("incline-0.4", "launched-cube", "backspin") if s in there]
    if sliding:
        bars(document, sliding, lambda c: abs(c["closed_form"]["error"]), "error against the closed form, m or m/s",
             out / "error.png", (1e-14, 1e2))
        bars(document, sliding, lambda c: max(c["lift"], 0.0), "lift, m", out / "lift.png", (1e-14, 1e2))
    judged = [s for s in ("launched-cube", "cards-4", "arch-25") if s in there]
    if judged:
        bars(document, judged, median_residual, "r_c of its own impulses, median", out / "law.png", (1e-15, 1e1))


def charts_text():
    return (HERE / "charts.head.md").read_text(encoding="utf-8")


def load(path):
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SystemExit(f"page.py: {path}: {error}") from None
    if not isinstance(document, dict) or document.get("repose_peers") != 1:
        raise SystemExit(f"page.py: {path}: expected results of repose bench peers, got something else")
    return document


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="?", type=Path, default=ROOT / "bench/results/peers.json")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/peers")
    parser.add_argument("--no-charts", action="store_true")
    parser.add_argument("--readme", type=Path, metavar="FILE", help="also fill the table of this file")
    options = parser.parse_args()
    document = load(options.results)
    text = index(document, options.results, options.out / "index.md")
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "index.md").write_text(text, encoding="utf-8")
    if options.readme:
        front = fill(options.readme.read_text(encoding="utf-8"), document, options.results, options.readme)
        options.readme.write_text(front, encoding="utf-8")
    if not options.no_charts:
        charts(document, options.out)
        (options.out / "charts.md").write_text(charts_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
