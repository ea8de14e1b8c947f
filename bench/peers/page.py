# SPDX-License-Identifier: Apache-2.0
"""Tables from the results of `repose bench peers`; charts are drawn by charts.py.

    page.py [RESULTS.json] [--out DIR] [--no-charts] [--readme FILE]

writes DIR/index.md (by default docs/peers), DIR/mujoco.md and, with matplotlib, DIR/charts.md with its pictures; `--readme` also
fills the table between the two marks of that file. Only what a run measured is written; text that people wrote stands in the
*.head.md of this folder.
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
from best import best, ran, verdict  # noqa: E402
from catalogue import PEERS, SINGLE  # noqa: E402
from description import MOVING, SCENES  # noqa: E402
from provenance import origin_of, short_commit, stamp  # noqa: E402

EMPTY = "–"
SHOWN_LEVEL = "1e-06"  # at which "solved" counts
KINDS = (("Standing structures", [s for s in SCENES if s not in MOVING and s not in SINGLE]), ("Sliding", list(SINGLE)),
         ("Moving scenes", list(MOVING)))


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


def percent(value):
    if value is None or not math.isfinite(value):
        return EMPTY
    return "0" if value == 0 else "< 0.01 %" if value < 1e-4 else f"{100 * value:.3g} %"


def title_of(name):
    return PEERS[name].title if name in PEERS else name


def span(cell):
    """How much of the scene was simulated, where it was not all."""
    if cell["ended"] == "budget":
        return f"{cell['time']:.2g} of {cell['steps_wanted'] * cell['time'] / max(1, cell['steps']):.2g} s"
    return "broke down" if cell["ended"] == "broke down" else ""


def outcome(cell):
    found = verdict(cell)
    if found == "gives way":
        found += f", {cell['gives_way']:.1f} s"
    if cell["scene"] == "dominoes":
        found = f"{cell['toppled']} fell"
    if not found:
        return span(cell) or "to the end"
    return found + (f" ({span(cell)})" if span(cell) else "")


def law(cell):
    """Median and largest r_c, median nat and the share of solved steps; or why there is none."""
    found = cell.get("law")
    if not found:
        return ["not shown", EMPTY, EMPTY, EMPTY]
    if not found.get("r_c"):
        return ["no contact" if not found["steps"] else "not scored", EMPTY, EMPTY, EMPTY]
    partly = "" if found["scored"] == found["steps"] else f" ({found['scored']} of {found['steps']})"
    solved = found.get("solved", {}).get(SHOWN_LEVEL)
    return [power(found["r_c"]["median"]) + partly, power(found["r_c"]["max"]), power(found.get("nat", {}).get("median")),
            EMPTY if solved is None else f"{100 * solved:.0f} %"]


def numbers_of(cell):
    ms = cell["ms"]
    if cell["scene"] in MOVING:
        return [outcome(cell), number(ms["mean"]), number(ms["median"]), number(ms["p95"]), percent(cell["overlap"]),
                percent(cell["rise"])] + law(cell)
    form = cell.get("closed_form")
    return [outcome(cell), length(form["error"], form["unit"]) if form else length(cell["moved"]), length(cell.get("sink")),
            length(cell["creep"], "m/s"), length(cell["lift"])] + law(cell) + [number(ms["median"]), number(ms["p95"])]


LAW_HEAD = ["r_c", "largest r_c", "nat", "solved"]
HEADS = {"Standing structures": ["outcome", "moved", "sink, 1 s", "creep", "lift"] + LAW_HEAD + ["ms", "p95"],
         "Sliding": ["outcome", "error", "sink, 1 s", "creep", "lift"] + LAW_HEAD + ["ms", "p95"],
         "Moving scenes": ["outcome", "ms, mean", "median", "p95", "overlap", "energy rise"] + LAW_HEAD}


def head_of(scene):
    return next(HEADS[kind] for kind, scenes in KINDS if scene in scenes)


def table(rows, head):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(text.replace("|", "/") for text in cells) + " |" for cells in rows]) + "\n"


def is_kept(document, cell):
    """From an earlier day than the document's."""
    return cell.get("date") not in (None, document["provenance"]["date"])


def row(document, cell, first):
    """`first`: the columns before the numbers."""
    if not ran(cell):
        return first + [f"{cell['ended']}: {cell['why']}"] + [EMPTY] * (len(head_of(cell["scene"])) - 1)
    return first + numbers_of(cell)


def scene_cells(document, scene):
    order = {name: k for k, name in enumerate(PEERS)}
    found = [c for c in document["cells"] if c["scene"] == scene and c["setting"] in known_labels(c["peer"])]
    return sorted(found, key=lambda c: (order[c["peer"]], known_labels(c["peer"]).index(c["setting"])))


def known_labels(peer):
    return list(PEERS[peer].all_settings()) if peer in PEERS else []


def peer_cells(document, scene, peer):
    return [c for c in scene_cells(document, scene) if c["peer"] == peer]


def best_of(document, scene, peer):
    return best(peer_cells(document, scene, peer))


def shown_cells(document, scene):
    """All of most engines; of those with a sweep the best, the default and what else is always shown."""
    for cell in scene_cells(document, scene):
        always = PEERS[cell["peer"]].always
        if not always or scene in MOVING or cell["setting"] in always or cell is best_of(document, scene, cell["peer"]):
            yield cell


def setting_words(document, cell):
    swept = PEERS[cell["peer"]].always and cell["scene"] not in MOVING
    default = swept and cell["setting"] == PEERS[cell["peer"]].always[0]
    is_best = swept and cell is best_of(document, cell["scene"], cell["peer"])
    return ("best: " if is_best else "default: " if default else "") + cell["setting"]


def scene_table(document, scene):
    rows = [row(document, c, [title_of(c["peer"]) + " †" * is_kept(document, c), setting_words(document, c)])
            for c in shown_cells(document, scene)]
    return table(rows, ["engine", "setting"] + head_of(scene))


def versions(document):
    """Each engine's version as it gave it itself; why it is missing otherwise."""
    found = {}
    for cell in document["cells"]:
        text = cell.get("version") if ran(cell) else f"{cell['ended']}: {cell['why']}"
        if cell["peer"] not in found or ran(cell):
            found[cell["peer"]] = text
    return {name: found[name] for name in [*PEERS, *found] if name in found}


def budget_words(document):
    """CPU seconds a cell: the usual numbers, and which cells had another."""
    parts = []
    for what, among in (("a cell", lambda scene: scene not in MOVING), ("one of a moving scene", lambda scene: scene in MOVING)):
        given = {(c["peer"], c["scene"], c["seconds"]): True for c in document["cells"] if "seconds" in c and among(c["scene"])}
        if given:
            usual = statistics.mode(seconds for *_, seconds in given)
            others = [f"{title_of(p)} on {s} {seconds:g} s" for p, s, seconds in given if seconds != usual]
            parts.append(f"{usual:g} s of CPU time {what}" + (f" ({'; '.join(others)})" if others else ""))
    return ", ".join(parts) or "not known"


def time_words(document, scenes, key="median"):
    """Each engine's milliseconds in those of Repose, of this run alone: from its cheapest setting and scene to its dearest."""
    ms = {(c["scene"], c["peer"], c["setting"]): c["ms"].get(key) for c in document["cells"]
          if ran(c) and c["scene"] in scenes and not is_kept(document, c)}
    ratios = {}
    for (scene, peer, _), value in ms.items():
        ours = ms.get((scene, "repose", "auto"))
        if peer != "repose" and ours and value:
            ratios.setdefault(peer, []).append(value / ours)
    words = [f"{title_of(p)} {number(float(f'{min(r):.2g}'))} to {number(float(f'{max(r):.2g}'))}" for p, r in ratios.items()]
    return "; ".join(words) or "not known"


def kept_words(document):
    """Which engines' numbers are older than the run, and from when."""
    found = {}
    for cell in filter(lambda c: is_kept(document, c), document["cells"]):
        found.setdefault((cell["commit"], cell.get("date")), {})[title_of(cell["peer"])] = True
    siconos = document.get("siconos") or {}
    if is_kept(document, siconos):
        found.setdefault((siconos["commit"], siconos.get("date")), {})["Siconos"] = True
    return "; ".join(f"{', '.join(titles)}: commit {short_commit(commit)}" + (f", {date}" if date else "")
                     for (commit, date), titles in found.items())


def machine_lines(document):
    origin = origin_of(document, "peers.json")
    loads = sorted(c["load"] for c in document["cells"] if "load" in c)
    load = f"; load average {loads[0]:.0f} to {loads[-1]:.0f}, median {statistics.median(loads):.0f}" if loads else ""
    lines = [f"- **Machine**: one core of {origin['processor']} ({origin['cores']} cores, {origin['system']}); "
             f"{document['machine']['note']}{load}.",
             f"- **Date**: {origin['date']}."]
    if kept_words(document):
        lines.append(f"- **Kept from an earlier run** (†; the columns that are new since, sink and solved, show –): {kept_words(document)}. "
                     "`--again --peer NAME` runs one anew.")
    names = [f"{title_of(k)} {v}" for k, v in versions(document).items()]
    lines.append("- **Versions**: " + "; ".join(names) + ".")
    standing, _, moving = (scenes for _, scenes in KINDS)
    lines.append(f"- **Time of a step in those of Repose (`auto`), structures, all settings**: {time_words(document, standing)}.")
    lines.append(f"- **The same, moving scenes, mean of all steps**: {time_words(document, moving, 'mean')}.")
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
        best_one = p.get("best")
        rows.append([p["file"], str(p["contacts"]), number(p["repose_ms"]), power(p["repose_r_c"]),
                     f"{best_one['configuration']}" if best_one else "none within the limit",
                     number(best_one["ms"]) if best_one else EMPTY, f"{p['solved_configurations']} of {p['configurations']}"])
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


def words_before(name):
    return (HERE / f"{name}.head.md").read_text(encoding="utf-8")


def index(document, file, page):
    """The page `page` from the document in `file`."""
    if document.get("quick"):
        raise SystemExit("page.py: expected a full run, got a quick one")
    mark = stamp(origins(document), file, page)
    parts = [words_before("index"), "## The run\n", machine_lines(document)]
    for kind, scenes in KINDS:
        there = [scene for scene in scenes if scene_cells(document, scene)]
        parts += [f"## {kind}\n"] * bool(there)
        for scene in there:
            parts += [f"### {scene}\n", scene_table(document, scene), mark]
    parts += ["## Solvers on stored problems: Siconos\n", siconos_table(document), mark]
    return "\n".join(parts)


def sweep(document, file, page):
    """All settings of MuJoCo on all scenes."""
    mark, parts = stamp(origins(document), file, page), [words_before("mujoco")]
    for scene in (scene for kind, scenes in KINDS for scene in scenes if scene not in MOVING):
        cells = peer_cells(document, scene, "mujoco")
        chosen = best(cells)
        rows = [row(document, c, [f"**{c['setting']}**" if c is chosen else c["setting"]]) for c in cells]
        parts += [f"## {scene}\n", table(rows, ["setting"] + head_of(scene)), mark] if rows else []
    return "\n".join(parts)


# The scenes that matter most, for the front page: what the column says, and a cell's words.
FRONT_COLUMNS = (
    ("cards-10", "house of cards, 10 levels: moved in 10 s", lambda c: length(c["moved"])),
    ("arch-101", "arch of 101 stones: moved in 10 s", lambda c: length(c["moved"])),
    ("launched-cube", "cube sliding at 6 m/s: lift", lambda c: length(c["lift"])),
    ("poured-300", "300 poured cubes: overlap", lambda c: percent(c["overlap"])),
)
FRONT_PEERS = ("repose", "mujoco", "kamino", "genesis", "drake", "rapier", "jolt", "lmgc90")
FRONT_MARKS = ("<!-- peers -->\n", "<!-- end of peers -->\n")


def fastest(cells):
    """Of those that got through, where any did: the end of a heap is dearer than its beginning."""
    return min(filter(ran, cells), key=lambda c: (c["ended"] != "done", c["ms"]["mean"]), default=None)


def front_cell(document, scene, cells, words):
    """The best one; of moving scenes, which have none, the fastest."""
    cell = fastest(cells) if scene in MOVING else best([c for c in cells if c["setting"] != "relaxed"])
    if cell is None:
        return cells[0]["ended"] if cells else "not run"
    ms = f"{number(cell['ms']['mean' if scene in MOVING else 'median'])} ms"
    if cell["gives_way"] is not None:
        return f"falls at {cell['gives_way']:.1f} s, {ms}"
    return f"{words(cell)}, {ms}" + (f" ({span(cell)})" if span(cell) else "")


def front_table(document):
    rows = [[title_of(peer) + " †" * any(is_kept(document, c) for s, *_ in FRONT_COLUMNS for c in peer_cells(document, s, peer))]
            + [front_cell(document, scene, peer_cells(document, scene, peer), words) for scene, _, words in FRONT_COLUMNS]
            for peer in FRONT_PEERS]
    defaults = [PEERS["mujoco"].title + ", default"] + [
        front_cell(document, scene, [c for c in peer_cells(document, scene, "mujoco")
                                     if c["setting"] in (PEERS["mujoco"].always[0], "pyramidal")], words)
        for scene, _, words in FRONT_COLUMNS]
    rows.insert(FRONT_PEERS.index("mujoco") + 1, defaults)
    return table(rows, ["each at its best"] + [says + ", ms a step" for _, says, _ in FRONT_COLUMNS])


MOVING_WORDS = {"poured-300": "300 poured cubes", "poured-1000": "1000 poured cubes", "bin-128": "a bin of mixed shapes",
                "cards-4-struck": "a struck card house", "dominoes": "dominoes"}


def overlap_words(cells):
    """From the least to the most of these cells, in percent."""
    low, high = (number(float(f"{100 * f(c['overlap'] for c in cells):.2g}")) for f in (min, max))
    return f"{low} %" if low == high else f"{low} to {high} %"


def losses(document):
    """Where others are faster: bodies in motion, each engine with its fastest setting."""
    ours = {s: fastest(peer_cells(document, s, "repose")) for s in MOVING_WORDS}
    scenes = [s for s in MOVING_WORDS if ours[s]]
    theirs = {p: {s: fastest(peer_cells(document, s, p)) for s in scenes} for p in PEERS if p != "repose" and PEERS[p].moving}
    theirs = {p: found for p, found in theirs.items() if scenes and all(found.values())}
    if not theirs:
        return ""
    factors = [f"{MOVING_WORDS[s]}{' (' + span(ours[s]) + ')' if span(ours[s]) else ''} "
               + " / ".join(number(float(f"{ours[s]['ms']['mean'] / found[s]['ms']['mean']:.2g}")) for found in theirs.values())
               for s in scenes]
    overlaps = [f"{title_of(p)} {overlap_words(list(found.values()))}" for p, found in theirs.items()]
    return (f"**Where Repose loses: bodies in motion.** Its mean step takes so many times as long as that of {' / '.join(map(title_of, theirs))}, "
            f"each with its fastest setting: {'; '.join(factors)}. The deepest overlap there, as a share of the thinner body: Repose "
            f"{overlap_words([ours[s] for s in scenes])}, {', '.join(overlaps)}.\n\n")


def fill(text, document, file, page):
    """`text`, which is that of `page`, with the table between its marks."""
    begin, end = (text.find(mark) for mark in FRONT_MARKS)
    if begin < 0 or end < begin:
        raise SystemExit(f"page.py: expected the lines {FRONT_MARKS[0].strip()} and {FRONT_MARKS[1].strip()}, got not both")
    return text[:begin] + FRONT_MARKS[0] + front_table(document) + "\n" + losses(document) + stamp(origins(document), file, page) + text[end:]


def load(path):
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SystemExit(f"page.py: {path}: {error}") from None
    if not isinstance(document, dict) or document.get("repose_peers") != 1:
        raise SystemExit(f"page.py: {path}: expected results of repose bench peers, got something else")
    return document


def texts(document, file, folder):
    """{page: its text} of the pages in `folder`."""
    return {folder / "index.md": index(document, file, folder / "index.md"),
            folder / "mujoco.md": sweep(document, file, folder / "mujoco.md"), folder / "charts.md": words_before("charts")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="?", type=Path, default=ROOT / "bench/results/peers.json")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/peers")
    parser.add_argument("--no-charts", action="store_true")
    parser.add_argument("--readme", type=Path, metavar="FILE", help="also fill the table of this file")
    options = parser.parse_args()
    document = load(options.results)
    pages = texts(document, options.results, options.out)
    if options.readme:
        pages[options.readme] = fill(options.readme.read_text(encoding="utf-8"), document, options.results, options.readme)
    options.out.mkdir(parents=True, exist_ok=True)
    for file, text in pages.items():
        file.write_text(text, encoding="utf-8")
    if not options.no_charts:
        import charts

        charts.draw(document, options.out)


if __name__ == "__main__":
    main()
