# SPDX-License-Identifier: Apache-2.0
"""What the paper leaves open, what was chosen, and where its statements do not hold here: numbers come from the other items."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from paper import best
from paper.items import Context, item
from paper.pictures import AS_WRITTEN, tuned
from paper.schemes import TUNED
from paper.text import metres, percent, power, short, table

OPEN = [
    ["all", "substeps per frame; dt of four scenes", "1; 1/60 s", "its only stated dt; outcomes do not depend on it down to 1/240 s"],
    ["all", "gravity, density, restitution", "9.81 m/s², 1000 kg/m³, 0", "defaults of its engine and of the data set"],
    ["all", "Baumgarte's constants (it is applied to v_f, sec:implementation)",
     "none: overlap beyond 1e-4 of the longest edge, or a thousandth of the thinner body, leaves by displacement; `--baumgarte` 0.2 and 0.1: [both](best.md)",
     "a velocity bias makes a resting overlap push, and puts energy in"],
    ["all", "contact margin", "20 mm (cards), 50 mm (arch as shipped); fast bodies: at least one step's travel", "a contact that does not close has no impulse"],
    ["all", "contacts with a gap > 0", "gap/h in v_f: they may close within the step, not more", "nothing is said; a gap that is not let close never closes"],
    ["all", "how contacts are found, how many a pair has", "all corners of a face patch ([collision](../collision.md))",
     "its n_c of 214 and 100 (tab:perf) beside ours: [performance](performance.md)"],
    ["incline", "size, start gap, values of μ", "1 m, 0, 12 values", "no influence on the reference; gap 0 makes the stepped value exact"],
    ["ball", "drop height", "0", "its frame at 0.83 s is the turning point of the solution without a drop (0.8155 s)"],
    ["turntable", "radius, ramp, disc, cube", "0.75 m, 2 s smooth, 2 m, 0.2 m", "its four outcomes need 0.4905 m < r < 1.2263 m"],
    ["Painlevé box", "all dimensions, speed", "0.525 × 0.525 × 1 m, 4 m/s", "0.5 < width/height < 0.55 is needed; 1.5 × the speed at which it tumbles"],
    ["cards", "size, tilt, thickness, mass", "data-set layout, 0.035 m, 109 kg", "gives its 0.3 m of settling"],
    ["cards", "projectiles", "4 cubes of 0.5 m, 15 m/s", "local failure; no tunnelling at 1/60 s"],
    ["arch", "semicircle (text) or catenary with gaps (data set); scale", "data set as shipped for the tables, both shapes elsewhere", "its settling, its n_c and \"slumping of the piers\" fit the data set"],
    ["arch", "projectiles", "5 cubes of 1 m, 20 m/s at 5 s", "2 % of a crown stone's mass"],
    ["scheme", "starting value, scales of r_c after a change of contacts", "last impulses by feature; scales from the projected start", "eq:scales says λ⁰"],
    ["scheme", "precision of λ̂_max", "Lanczos' method to 1e-4, not ten steps of a power iteration", "ten products may fall short of λ_max, and γ with them grows"],
    ["scheme", "c_γ: 0.5 by eq:gamma_safe, more by the γ of tab:gamma", "0.5; [over c_γ, and a measured step](best.md)", "nothing else is said"],
    ["scheme", "how slowly γ is restored (sec:stepsize)", "by the factor 1.1 after a solve without a rejection, up to γ_safe", "a factor is not given; with c_γ 0.5 nothing is ever rejected"],
    ["scheme", "when r_c is tested", "at the start and after every iteration; `test_every`: [both](best.md)",
     "its counts are multiples of 5 (tab:perf-full), Algorithm 1 tests every one and no start"],
    ["scheme", "the iterate returned at the limit", "the best; `answer`: [both](best.md)", "Algorithm 1 ends with the last"],
    ["scheme", "precision", "double; `storage`: [single rounds what is stored](best.md)", "its sums in single precision are not rebuilt"],
    ["inner", "the 3×3 step of Gauss–Seidel", "exact cone QP per contact", "projecting a 3×3 solve has another fixed point and stalls near 3e-3"],
    ["cards on the GPU", "4 levels (text) or 5 (table)", "5 in that table, 4 elsewhere", ""],
]


@dataclass(frozen=True)
class Part:
    """A part of a statement as a question to the numbers: what is asked, and whether they say so."""

    asked: str
    holds: bool


@dataclass(frozen=True)
class Claim:
    """A statement of the paper beside our numbers. The verdict follows from its parts; `remark` explains and judges nothing."""

    statement: str
    measured: str
    parts: tuple[Part, ...]
    remark: str = ""
    rule: str = ""  #: where the parts do not say what is asked by themselves

    def verdict(self) -> str:
        held = sum(part.holds for part in self.parts)
        if held in (0, len(self.parts)):
            return "**holds**" if held else "**does not hold**"
        return f"**holds in part** ({held} of {len(self.parts)}), not: " + "; ".join(p.asked for p in self.parts if not p.holds)

    def row(self) -> list[str]:
        said = self.verdict() + (f". {self.remark}" if self.remark else "")
        return [self.statement, self.measured, self.rule or "; ".join(part.asked for part in self.parts), said]


def claims(context: Context) -> list[Claim]:
    """A statement without numbers yet is left out."""
    found: list[Claim] = []
    checks: list[Callable[[Context], Claim]] = [
        incline, backspin, cards_converge, arch_converges, published_steps, arch_floor, warm, inner, rule, monotone, small_gamma, budget, standing, relaxed_cards, float_floor]
    for check in checks:
        try:
            found.append(check(context))
        except (KeyError, TypeError, StopIteration):  # an item that has not been made, or made small
            continue
    return found


def needed(context: Context, name: str) -> dict[str, Any]:
    found = context.numbers(name)
    if found is None:
        raise KeyError(name)
    return found


def incline(context: Context) -> Claim:
    data = needed(context, "fig-incline-sweep")
    auto, fbf = (max(abs(d - e) for d, e in zip(data["schemes"][s]["distance"], exact_distances(data["mu"]))) for s in ("auto", "fbf"))
    return Claim("FBF tracks the closed form on both sides of the threshold (fig:incline-sweep)",
                 f"largest error {power(fbf)} m with `fbf`, {power(auto)} m with `auto`",
                 (Part("largest error of `fbf` below 1e-4 m", fbf < 1e-4),))


def exact_distances(mu: list[float]) -> list[float]:
    from paper.incline import stepped

    return [stepped(m) for m in mu]


def backspin(context: Context) -> Claim:
    data = needed(context, "tab-perf-full")["backspin"]["fbf"]
    cold = needed(context, "fig-convergence")["backspin"]["fbf"]
    speed = abs(needed(context, "fig-backspin")["paths"]["exact"]["v"])
    paper = context.published["tab:perf-full"]["backspin"]["outer"][0]
    count = next(k + 1 for k, r in enumerate(cold) if r < 1e-6)
    return Claim(f"the backspin ball converges at a median of {paper} outers (tab:perf-full) and \"comes to rest\"",
                 f"{count} outers from zero, {data['outer'][0]:g} (median) with warm starts; after 5 s it moves at {speed:.2f} m/s",
                 (Part(f"count from zero within a factor 2 of {paper}", paper / 2 <= count <= 2 * paper),
                  Part("speed at the end below 1 mm/s", speed < 1e-3)), "The closed form has it end rolling at 11.43 m/s.")


def converges(context: Context, name: str) -> Claim:
    """The share of steps of one scene, by the formula, with hindsight, and with the measured step."""
    found = needed(context, "step-study")[name]
    share, outers = context.published["tab:convergence"][name]["share"], context.published["tab:perf"][name]["outer"]
    choices = {column + (f" ({best.shown(*cell)})" if column == "at its best" else ""): found[cell[0]][cell[1]]
               for column, cell in best.columns(found).items()}
    parts = [Part(f"share, {how}", cell["share"] >= share - 0.05) for how, cell in choices.items()]
    rule = f"share: {percent(share - 0.05)} or more"
    if outers < 200:
        parts += [Part(f"outers, {how}", cell["outer"][0] <= 2 * outers) for how, cell in choices.items()]
        rule += f"; outers: a median of {2 * outers} or fewer"
    return Claim(f"{percent(share)} of the steps reach r_c ≤ 1e-6 ({name}), at a median of {outers} outers (tab:convergence, tab:perf)",
                 "; ".join(f"{how} {percent(cell['share'])} ({percent(cell.get('before'))} before the impact), median {cell['outer'][0]:g} outers, median r_c {power(cell['median'])}"
                           for how, cell in choices.items()),
                 tuple(parts), "Limit: 200 outers, as in the paper. The best is chosen with hindsight, per scene: [study](best.md).",
                 f"{rule}; setting by setting")


def cards_converge(context: Context) -> Claim:
    return converges(context, "house of cards")


def arch_converges(context: Context) -> Claim:
    return converges(context, "masonry arch")


def published_steps(context: Context) -> Claim:
    data = needed(context, "tab-gamma")
    published = {"arch": 1e5, "cards": 2.4}  # the rows of tab:gamma that it says reproduce the adaptive rule
    ratio = {name: gamma / data[name]["safe"] for name, gamma in published.items()}
    return Claim("γ = 1e5 (arch) and 2.4 (cards) do as the adaptive rule does, which is capped at γ_safe with c_γ = 0.5 (tab:gamma, eq:gamma_safe)",
                 ", ".join(f"{name}: {short(ratio[name])} times our γ_safe of {short(data[name]['safe'])} kg, c_γ {short(0.5 * ratio[name])}"
                           for name in published),
                 tuple(Part(f"within a factor 2 of γ_safe, {name}", 0.5 <= r <= 2) for name, r in ratio.items()),
                 "γ scales with the masses, of which the paper gives none; our stones and cards are those of the data set, at 1000 kg/m³.")


def arch_floor(context: Context) -> Claim:
    study, auto = needed(context, "step-study"), needed(context, "tab-convergence")["masonry arch"]["auto"]["median"]
    floor = context.published["tab:convergence"]["masonry arch"]["median"]
    found = study["masonry arch"]
    one, best_of = found[f"{best.ONE:g}"], best.best_cell(found)
    written, chosen, measured = (found[rule][reading]["median"] for rule, reading in (("0.5", best.NONE), best_of, (best.MEASURED, best.NONE)))
    double, single = one[best.NONE]["share"], one["single precision"]["share"]
    return Claim(f"on the arch the median r_c of {power(floor)} is the single-precision floor, \"where the physics is already right\" (sec:discussion)",
                 f"median as written {power(written)}, at its best {power(chosen)}, measured step {power(measured)}, of `auto` {power(auto)}; at c_γ {best.ONE:g} "
                 f"{percent(double)} of the steps reach 1e-6 in double, {percent(single)} with what is stored rounded to single",
                 (Part("as written, double goes below it", written < floor), Part("at its best, it goes below it", chosen < floor),
                  Part("with the measured step, it goes below it", measured < floor),
                  Part(f"single precision costs more than 5 points of the share at c_γ {best.ONE:g}", single < double - 0.05)),
                 "A floor of the precision would be gone in double; what remains there is the iteration's, which stops at 1e-6.")


def warm(context: Context) -> Claim:
    data = needed(context, "warm-start")
    ratios = {name: row["on"]["sum"] / max(row["off"]["sum"], 1) for name, row in data.items()}
    text = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
    return Claim("a warm start typically halves the iteration count (sec:implementation)", f"ratio of iterations: {text}",
                 tuple(Part(name, ratio <= 0.5) for name, ratio in ratios.items()),
                 "Where the limit of 200 binds with and without, the ratio can be nothing but 1.", "at most 0.5, scene by scene")


def inner(context: Context) -> Claim:
    data = needed(context, "inner-swap")
    said, parts = [], []
    for how, larger in (("c_γ 0.5", False), ("a larger c_γ", True)):
        spread = 0.0
        for name, rows in data.items():
            there = {solver: row["r_c"] for solver, row in rows.items() if "r_c" in row and ("c_γ" in solver) == larger}
            said.append(f"{name}: " + ", ".join(f"{solver} {power(float(np.median(r)))}" for solver, r in there.items()))
            values = np.array(list(there.values()) or [[1.0]])
            spread = max(spread, float((np.ptp(values, axis=0) / values.min(axis=0)).max()))
        said.append(f"largest difference on one problem {power(spread)} of r_c")
        parts.append(Part(f"at {how}, the solvers differ by less than 1 % of r_c on every problem", spread < 0.01))
    return Claim("Clarabel for Gauss–Seidel changes the cost but not the outer residual (app:convergence)",
                 f"median r_c {'; '.join(said)}", tuple(parts))


def rule(context: Context) -> Claim:
    data = needed(context, "gamma-adaptation")
    count = {safety: sum(sum(scene[safety]["shrinks"]) for scene in data.values()) for safety in next(iter(data.values()))}
    text = ", ".join(f"{n} at c_γ {safety}" for safety, n in count.items())
    return Claim("on the hard runs the step size rule is largely inactive, so the residual is no step size instability (app:convergence)",
                 f"rejected trial steps: {text}", (Part("none rejected at the paper's c_γ 0.5", count["0.5"] == 0),),
                 "It cannot be otherwise: ρ ≤ c_γ = 0.5 < θ.")


def monotone(context: Context) -> Claim:
    data = needed(context, "tab-gamma")["arch"]
    there = [g for g in ("1", "100", "1000", "10000", "100000") if g in data]
    values, adaptive = [data[g]["median"] for g in there], data["adaptive"]["median"]
    return Claim("r_c falls monotonically with a fixed γ on the arch; adaptive matches the best fixed one (tab:gamma)",
                 "median r_c " + ", ".join(f"{power(v)} at {g}" for v, g in zip(values, there)) + f"; adaptive {power(adaptive)}",
                 (Part("every value below the one before", all(b < a for a, b in zip(values, values[1:]))),
                  Part("adaptive within a factor 2 of the best fixed γ", adaptive <= 2 * min(values))), "Adaptive γ is capped at γ_safe.")


def small_gamma(context: Context) -> Claim:
    data = needed(context, "tab-gamma")["cards"]
    small, broken = data["0.1"], [g for g, row in data.items() if isinstance(row, dict) and row["ended"] != "done"]
    whole = {g: row["median"] for g, row in data.items() if isinstance(row, dict) and row["ended"] == "done"}
    best = min(whole, key=whole.__getitem__)
    return Claim("γ = 0.1 has the lowest residual and collapses the cards by 9.7 m; 7.5 and 30 diverge (tab:gamma)",
                 f"γ = 0.1: median r_c {power(small['median'])}, {metres(small['drop'])} in 4 s; lowest median r_c {power(whole[best])} at γ = {best}; "
                 f"broken down: γ = {', '.join(broken) or 'none'}",
                 (Part("lowest residual at 0.1", best == "0.1"), Part("cards drop by more than 1 m at 0.1", small["drop"] > 1),
                  Part("7.5 breaks down", "7.5" in broken), Part("30 breaks down", "30" in broken)))


def budget(context: Context) -> Claim:
    data = needed(context, "tab-budget")
    said, parts = [], []
    for name, gains in (("arch", True), ("cards", False)):
        for step in ("", f", c_γ {TUNED[name]:g}"):
            few, many, how = data[f"{name} std{step}"], data[f"{name} 10x{step}"], f"{name}{step or ', c_γ 0.5'}"
            said.append(f"{how}: from {percent(few['share'])} to {percent(many['share'])} (median {many['outer'][0]:g} outers)")
            gained = many["share"] - few["share"] > 0.05
            parts.append(Part(f"{how}, {'more' if gains else 'less'} than 5 points gained", gained == gains))
    return Claim("2000 instead of 200 outers lift the arch from 47 to 61 % of the steps, the cards gain nothing (tab:budget)", "; ".join(said),
                 tuple(parts))


def standing(context: Context) -> Claim:
    data = needed(context, "fig-arch")["laws"]
    runs = {"as written": data[AS_WRITTEN], f"c_γ {TUNED['arch']:g}": data[tuned(TUNED["arch"])], "`auto`": data["exact (auto)"]}
    return Claim("FBF keeps the arch standing through the impact (fig:arch)",
                 "moved from 5 to 12 s, settling before: " + "; ".join(f"{how} {metres(run['after'])}, {metres(run['settling'])}" for how, run in runs.items()),
                 tuple(Part(f"{how}, less than 0.1 m from 5 to 12 s", run["after"] < 0.1) for how, run in runs.items() if how != "`auto`"),
                 "Limit: 200 outers, as in the paper.")


def relaxed_cards(context: Context) -> Claim:
    data = needed(context, "fig-cards")["laws"]["relaxed"]
    return Claim("a relaxed law loses the card house before the impact (fig:cardhouse)",
                 f"relaxed law, solved: moves {metres(data['standing'])} between 2 and 6.7 s",
                 (Part("it moves by more than 0.1 m", data["standing"] > 0.1),), "The paper's observation is of MuJoCo in its settings, not of the law.")


def float_floor(context: Context) -> Claim:
    data = needed(context, "float32")
    outers = max(next(iter(data.values()))["at"])
    said, parts = [], []
    for name, row in data.items():
        early = next(r for at, r in zip(row["at"], row["float32"]) if at >= 200)
        said.append(f"{name} {power(min(row['float32']))} against {power(min(row['float64']))} in double (estimate {power(row['estimate'])}, after 200: {power(early)})")
        parts += [Part(f"floor, {name}", row["estimate"] / 10 <= min(row["float32"]) <= 10 * row["estimate"]),
                  Part(f"rests, {name}", early <= 2 * min(row["float32"]))]
    return Claim("single precision leaves a floor of about ε₃₂ √(3 n_c), where the residual rests (app:convergence)",
                 f"best r_c in {outers} outers: {'; '.join(said)}", tuple(parts),
                 rule="floor: best within a factor 10 of the estimate; rests: within twice the best after 200 outers; scene by scene")


@item("differences", "differences", "Choices and disagreements")
class Differences:
    @staticmethod
    def write(context: Context, _: dict[str, Any]) -> str:
        accelerated = {name: row["fbf accelerated"]["share"] for name, row in (context.numbers("tab-convergence") or {}).items()}
        return ("### What the paper leaves open\n\n" + table(["scene", "open", "chosen here", "why"], OPEN)
                + "\n\n### Statements of the paper, measured here\n\n"
                + table(["statement", "measured", "holds when", "verdict"], [claim.row() for claim in claims(context)])
                + "\n\nThe numbers are those of the other pages. Each verdict is computed from them by the rule in the column before it; a "
                "sentence after the verdict only explains it."
                + "\n\n### Where ours differs on purpose\n\n"
                "- **Stop.** Repose asks for r_c *and* nat: r_c alone is loose while a body slides fast (backspin at r_c 1e-6 can have "
                "impulses wrong by 0.8 %). `--stop paper` stops as the paper does.\n"
                "- **Scales.** The paper fixes s_r at the start, where from a cold start it lies hundreds of times below ‖λ‖: r_c then has "
                "a rounding floor of its own. Repose adds the final ‖λ‖; both values are reported.\n"
                "- **Precision.** Double throughout.\n"
                "- **Times.** Ours are CPU times of one thread of a shared machine, the paper's wall times of another one in single "
                "precision, with kernel launches in them. Their ratio says little; ratios within a table say more.\n"
                "- **Acceleration** of `fbf`, which the paper names as future work, is here: [fbf](../algorithms/fbf.md#acceleration). With "
                "it the same iteration meets its tolerance on "
                + ", ".join(f"{percent(share)} of the steps ({name})" for name, share in accelerated.items())
                + " ([convergence](convergence.md)).")
