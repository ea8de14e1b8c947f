# SPDX-License-Identifier: Apache-2.0
"""The results of bench_siconos inside docs/benchmarks/siconos.md, between the lines <!-- results --> and <!-- end of results -->."""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))
from provenance import origin_of, stamp  # noqa: E402

BEGIN, END = "<!-- results -->\n", "<!-- end of results -->"


def problem_table(document):
    count = len({r["configuration"] for p in document["problems"] for r in p["results"]}) - 1
    yield f"| problem | contacts | Repose, ms | best of Siconos, ms | its configuration | ratio | solved by (of {count}) |"
    yield "|---|---|---|---|---|---|---|"
    for problem in document["problems"]:
        ours, peers = problem["results"][0], problem["results"][1:]
        best = problem.get("best_peer")
        compared = best and best["ratio"] is not None and ours["status"] == "solved"
        mine = f"{best['repose_ms'] if compared else ours['ms']:.3g}" if ours["status"] == "solved" else words(ours["status"])
        theirs = f"{best['peer_ms']:.3g} | {best['configuration']}" if best else "none |"
        ratio = f"{best['ratio']:.2f}" if compared else ""
        solvers = sum(peer["status"] == "solved" for peer in peers)
        yield f"| {problem['file']} | {problem['contacts']} | {mine} | {theirs} | {ratio} | {solvers} |"


def configuration_table(document):
    states = ("solved", "inaccurate", "time_limit", "not_converged", "crashed")
    yield "| configuration | " + " | ".join(map(words, states)) + " | quickest of Siconos |"
    yield "|---" * (len(states) + 2) + "|"
    problems = document["problems"]
    for name in dict.fromkeys(r["configuration"] for p in problems for r in p["results"]):
        found = [r["status"] for p in problems for r in p["results"] if r["configuration"] == name]
        wins = sum(p.get("best_peer", {}).get("configuration") == name for p in problems)
        yield f"| {name} | " + " | ".join(str(found.count(state) or "") for state in states) + f" | {wins or ''} |"


def words(state):
    return state.replace("_", " ")


def summary(document):
    s = document["summary"]
    return (f"Siconos {document['siconos']}, at most {document['cap_s']:g} s a solve. Repose solved {s['repose_solved']} of {s['problems']} "
            f"problems, at least one configuration of Siconos {s['best_peer_solved']}. Time of Repose over that of the best configuration "
            f"for each problem: geometric mean **{s['geometric_mean_ratio']:.2f}** ({s['geometric_mean_ratio_from_10_contacts']:.2f} from 10 "
            f"contacts on), largest {s['worst_ratio']:.2f} ({s['worst_file']}), above 2 on {s['above_twice']} of {s['compared']}.")


def report(document, file, page):
    """The results in Markdown."""
    origin = stamp(origin_of(document, Path(file).name), file, page).rstrip("\n")
    yield from (summary(document), "", *problem_table(document), "", origin, "", *configuration_table(document), "", origin)


def filled(text, document, file, page):
    """`text`, which is that of `page`, with the results made anew."""
    if BEGIN not in text or END not in text:
        raise SystemExit(f"{page}: expected the lines {BEGIN.strip()} and {END}, got one or none of them")
    head, rest = text.split(BEGIN, 1)
    return head + BEGIN + "\n".join(report(document, file, page)) + "\n" + END + rest.split(END, 1)[1]
