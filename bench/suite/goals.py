# SPDX-License-Identifier: Apache-2.0
"""What the project set out to reach, beside what the stored numbers say: the table `goals` of docs/benchmarks/index.md.

A goal is a rule over the rows of the benchmarks. The verdict follows from the rule alone, so that no table can move without it.
"""
#: Files of numbers that the rules read; a goal without rows has no verdict.
SOURCES = ("structures", "families", "piles", "settling", "scaling", "public", "siconos", "pour")
TIGHT = 1e-10


class NotMeasured(Exception):
    """A rule has nothing to judge: no rows, or the rows of a run that was stopped."""


def rows(documents, name, index=0, wanted=lambda row: True):
    """Rows of a table that a rule is about; at least one."""
    found = documents[name]["tables"] if documents[name] else []
    chosen = [row for row in found[index]["rows"] if wanted(row)] if index < len(found) else []
    if not chosen:
        raise NotMeasured("not measured")
    if not documents[name].get("complete", True):
        raise NotMeasured("the run was stopped before its end")
    return chosen


def number(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def misses(found, limit=4):
    """A short list of what misses a goal."""
    return "; not: " + "; ".join(found[:limit]) + (f"; {len(found) - limit} more" if len(found) > limit else "") if found else ""


def share(found, solved="solved", solves="solves"):
    return sum(row[solved] for row in found), sum(row[solves] for row in found)


def all_solved(found, name):
    """Solved of solves in words, and whether that is all."""
    solved, solves = share(found)
    unsolved = [f"{name(row)}: {row['solved']} of {row['solves']}" for row in found if row["solved"] < row["solves"]]
    return f"{solved} of {solves}{misses(unsolved)}", solved == solves


def structure_name(row):
    return f"{row['scene']} {row['event']} {row['start']}"


def structures_solved(d):
    return all_solved(rows(d, "structures", wanted=lambda r: r["tolerance"] == TIGHT), structure_name)


def structures_prototype(d):
    found = rows(d, "structures", wanted=lambda r: r["tolerance"] == TIGHT and r["prototype_ms"])
    slow = [f"{structure_name(r)} {number(r['ms_median'])} ms against {number(r['prototype_ms'])}" for r in found
            if r["ms_median"] > r["prototype_ms"]]
    return f"{len(found) - len(slow)} of {len(found)} cases{misses(slow)}", not slow


def structures_aim(d):
    found = rows(d, "structures", wanted=lambda r: r["tolerance"] == TIGHT and r["aim_ms"])
    slow = [f"{structure_name(r)} {number(r['ms_median'])} ms, aim {number(r['aim_ms'])}" for r in found if r["ms_median"] > r["aim_ms"]]
    return f"{len(found) - len(slow)} of {len(found)} cases{misses(slow)}", not slow


def families_within(d):
    found = rows(d, "families", wanted=lambda r: r["contacts"] <= 150)
    within, solves = share(found, "solved_within_100_ms")
    return f"{within} of {solves}, the slowest {number(max(r['ms_max'] for r in found))} ms", within == solves


def families_prototype(d):
    found = rows(d, "families", wanted=lambda r: r["prototype_percent"] is not None)
    below = [f"{r['family']} μ {r['mu']}" for r in found if 100 * r["solved"] / r["solves"] < r["prototype_percent"]]
    return f"{len(found) - len(below)} of {len(found)} cells{misses(below)}", not below


def siconos(d):
    if not d["siconos"]:
        raise NotMeasured("not measured")
    s = d["siconos"]["summary"]
    mean, worst = s["geometric_mean_ratio"], s["worst_ratio"]
    return f"geometric mean {mean:.2f}, largest {worst:.2f} ({s['worst_file']})", mean <= 0.5 and worst <= 2


def pile_name(row):
    return f"{row['pile']} μ {row['mu']}"


def piles_like_the_prototype(d, wanted):
    found = rows(d, "piles", wanted=wanted)
    text, solved = all_solved(found, pile_name)
    slow = [f"{pile_name(r)} {number(r['ms_median'])} ms against {number(r['prototype_ms_1e-8'])}" for r in found
            if r["prototype_ms_1e-8"] and r["ms_median"] > r["prototype_ms_1e-8"]]
    medians = [r["ms_median"] for r in found]
    return f"{text}; medians {number(min(medians))} to {number(max(medians))} ms{misses(slow)}", solved and not slow


def boxes(d):
    return piles_like_the_prototype(d, lambda r: r["pile"].startswith("boxes") and r["contacts"] <= 3048)


def balls(d):
    return piles_like_the_prototype(d, lambda r: r["pile"] in ("spheres 343", "spheres 512"))


def settling(d):
    return all_solved(rows(d, "settling"), lambda r: f"{r['sequence']} μ {r['mu']} {r['phase']}")


def large(d):
    return all_solved(rows(d, "piles", wanted=lambda r: r["contacts"] >= 10000), pile_name)


def public(d):
    found = rows(d, "public")
    missed = [r["file"] for r in found if not r.get("solved") or r["ms"] > 1e4]
    slowest = max(r["ms"] for r in found if "ms" in r)
    return f"{len(found) - len(missed)} of {len(found)}, the slowest {number(slowest)} ms{misses(missed)}", not missed


def scaling(d):
    worst = max(rows(d, "scaling"), key=lambda r: r["ratio_to_25"])
    return f"at most {worst['ratio_to_25']:.2f} ({worst['arch']}, {worst['stones']} stones)", worst["ratio_to_25"] <= 2


def memory(d):
    found = rows(d, "scaling", 1)
    return ", ".join(f"{r['problem']} {r['peak_mib']:.0f} MiB" for r in found), all(r["peak_mib"] < 200 for r in found)


def poured(d, scene, tolerance=None):
    """Rows of a scene of `pour`, at one tolerance or at all of them."""
    return rows(d, "pour", wanted=lambda r: r["scene"] == scene and tolerance in (None, r["tolerance"]))


def pour_name(row):
    return f"{row['scene']} at {row['tolerance']:.0e}".replace("e-0", "e-")


def poured_solved(found, extra=(), level=None):
    """Words and verdict: every wanted step taken and solved (within `level`: the row's tolerance), and every limit of `extra` kept."""
    key = f"within_{level}" if level else "solved"
    missed = [f"{pour_name(r)}: {r[key]} of {r['steps']} steps" for r in found if r[key] < r["steps"]]
    missed += [f"{pour_name(r)}: stopped after {r['steps']} steps" for r in found if not r["complete"]]
    missed += [f"{what} {number(value)}, goal {number(limit)}" for what, value, limit in extra if value > limit]
    told = [f"{sum(r[key] for r in found)} of {sum(r['steps'] for r in found)} steps"]
    told += [f"{what} {number(value)}" for what, value, _ in extra]
    return "; ".join(told) + misses(missed), not missed


def mujoco(row, cone, key):
    if cone not in row.get("mujoco", {}):
        raise NotMeasured("MuJoCo was not measured")
    return row["mujoco"][cone][key]


def poured_mixed(d):
    r, = poured(d, "mixed-128", 1e-8)
    return poured_solved([r], (("median ms", r["ms_median"], 4), ("mean ms", r["ms_mean"], 10), ("p99 ms", r["ms_p99"], 60),
                               ("worst ms", r["ms_max"], 500)))


def poured_300(d):
    (tight,), (loose,) = poured(d, "cubes-300", 1e-8), poured(d, "cubes-300", 1e-4)
    return poured_solved([tight], (("mean at 1e-8 / MuJoCo elliptic", mujoco(tight, "elliptic", "ratio_mean"), 0.2),
                                   ("mean at 1e-4 / MuJoCo pyramidal", mujoco(loose, "pyramidal", "ratio_mean"), 1)))


def poured_1000(d):
    (tight,), (loose,) = poured(d, "cubes-1000", 1e-8), poured(d, "cubes-1000", 1e-6)
    return poured_solved([tight], (("mean ms at 1e-6", loose["ms_mean"], 150),))


def poured_2000(d):
    (usual,), (asked,) = poured(d, "cubes-2000", 1e-8), poured(d, "cubes-2000", 1e-6)
    told, kept = poured_solved([usual], (("median ms", usual["ms_median"], 500), ("worst ms", usual["ms_max"], 3000)), "1e-4")
    more, also = poured_solved([asked], (("median ms", asked["ms_median"], 2000), ("worst ms", asked["ms_max"], 20000)))
    return f"{told}. At 1e-6: {more}", kept and also


def poured_others(d):
    found = [row for scene in ("balls-1000", "capsules-1000", "rubble-500") for row in poured(d, scene, 1e-6)]
    return poured_solved(found)


def struck(d):
    found = [row for scene in ("cards-4", "cards-5", "cards-10", "arch-25", "arch-101") for row in poured(d, scene, 1e-8)]
    return poured_solved(found, [(f"p95 / MuJoCo elliptic, {r['scene']}", mujoco(r, "elliptic", "ratio_p95"), 1) for r in found])


def overlaps(d):
    found = rows(d, "pour")
    deep = [f"{pour_name(r)} {100 * r['overlap']:.2g} %" for r in found if r["overlap"] > 0.02]
    return f"at most {100 * max(r['overlap'] for r in found):.2g} %{misses(deep)}", not deep


#: Goal, the section of the page with its table, the rule.
GOALS = (
    ("structures: every step solved to 1e-10", "Structures", structures_solved),
    ("… with medians at most the prototype's", "Structures", structures_prototype),
    ("… at rest with medians at most the aim", "Structures", structures_aim),
    ("random families up to 150 contacts: all solved to 1e-10 within 100 ms", "Random families", families_within),
    ("… and no family below the prototype's share", "Random families", families_prototype),
    ("Siconos' best configuration: geometric mean of the time ratio at most 0.5, none above 2", "siconos.md", siconos),
    ("boxes up to 3048 contacts: all solved to 1e-8, medians at most the prototype's", "Piles after an impact", boxes),
    ("packs of 343 and 512 balls: all solved to 1e-8, medians at most the prototype's", "Piles after an impact", balls),
    ("piles of 10 000 and 20 000 contacts: all solved to 1e-8 within 60 s", "Piles after an impact", large),
    ("piles that settle: every step solved to 1e-8 within 20 s", "Settling", settling),
    ("public problems: all solved to 1e-8 within 10 s", "Public problems", public),
    ("arches of 25 to 951 stones: time per contact within a factor of 2", "Scaling", scaling),
    ("10 000 contacts: the whole process below 200 MiB", "Scaling", memory),
    ("128 mixed shapes poured: every step solved to 1e-8, median ≤ 4, mean ≤ 10, p99 ≤ 60, worst ≤ 500 ms", "pour.md", poured_mixed),
    ("300 cubes poured: every step solved to 1e-8, mean ≤ 0.2 of MuJoCo elliptic; at 1e-4 ≤ 1 of MuJoCo pyramidal", "pour.md", poured_300),
    ("1000 cubes poured: every step solved to 1e-8; at 1e-6 mean ≤ 150 ms", "pour.md", poured_1000),
    ("2000 cubes poured to rest: within 1e-4 by default, median ≤ 0.5 s, worst ≤ 3 s; every step solved at 1e-6, median ≤ 2 s, "
     "worst ≤ 20 s", "pour.md", poured_2000),
    ("1000 balls, 1000 capsules, 500 stones poured: every step solved to 1e-6", "pour.md", poured_others),
    ("houses and arches under fire: every step solved to 1e-8, p95 at most MuJoCo's", "pour.md", struck),
    ("no overlap deeper than 2 % of the thinner body", "pour.md", overlaps),
)


#: Pages of their own and how links call them.
PAGES = {"siconos.md": "Siconos", "pour.md": "Heaps that move"}


def place(section):
    if section in PAGES:
        return f"[{PAGES[section]}]({section})"
    return f"[{section}](#{section.lower().replace(' ', '-')})"


def table(documents):
    """{"columns", "text"} of all goals."""
    text = []
    for goal, section, rule in GOALS:
        try:
            measured, reached = rule(documents)
            text.append([goal, measured, "yes" if reached else "no", place(section)])
        except NotMeasured as reason:
            text.append([goal, str(reason), "–", place(section)])
    return {"columns": ["goal", "measured", "reached", "table"], "text": text}
