# SPDX-License-Identifier: Apache-2.0
"""Beyond the paper: the coupling treated implicitly, against splitting and accelerated splitting, by size."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from paper import draw
from paper.items import Context, item
from paper.text import percent, power, short, table

SCHEMES = {
    "auto": "--outer auto",
    "newton": "--outer newton",
    "picard": "--outer picard --inner ipm",
    "fbf": "--outer fbf",
    "fbf accelerated": "--outer fbf --acceleration 5",
    "fbf c_γ 5": "--outer fbf --safety 5",
    "fbf c_γ 5 accelerated": "--outer fbf --safety 5 --acceleration 5",
    "nsgs": "--outer nsgs",
    "padmm": "--outer padmm",
}
SPLITTING = ("fbf", "fbf accelerated", "fbf c_γ 5", "fbf c_γ 5 accelerated")
ARCHES, HOUSES = (25, 51, 101, 201, 501, 951), (4, 6, 8, 10, 14, 20)
LEVELS = (1e-6, 1e-8, 1e-10, 1e-12)


def budget(scheme: str, contacts: int) -> str:
    """The splitting schemes may use the same number of sweeps over contacts at every size, up to 5000 iterations."""
    if scheme in SPLITTING:
        return f" --max-outer {int(np.clip(2e6 / contacts, 100, 5000))}"
    if scheme == "nsgs":
        return f" --max-outer {int(np.clip(2e7 / contacts, 1000, 50000))}"
    return " --max-outer 60" if scheme == "picard" else ""


def sequence(context: Context, kind: str, size: int, steps: int, impact: bool = False) -> list[Path]:
    """Steps of a standing structure; `impact` strikes it at the third."""
    parameters: dict[str, Any] = {"stones" if kind == "arch" else "levels": size}
    if impact:
        parameters["impact"] = 2 if kind == "arch" else 1
    return context.program.generate(kind, steps, **parameters)


def contacts_of(kind: str, size: int) -> int:
    return 4 * (size - 1) if kind == "arch" else 14 * size * size  # houses: an estimate that sets a budget


def worst(record: dict[str, Any]) -> float:
    values = [record["r_c"], record["nat"]]
    return float("nan") if None in values else max(values)


@item("implicit-cost", "implicit", "Cost against size")
class Cost:
    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        sizes = {"arch": context.size(ARCHES, (25,)), "cards": context.size(HOUSES, (4,))}
        jobs, names = [], []
        for kind, list_of_sizes in sizes.items():
            for size in list_of_sizes:
                problem = sequence(context, kind, size, 1)
                for scheme, options in SCHEMES.items():
                    names.append((kind, size, scheme))
                    limit = " --max-outer 5" if context.quick and scheme in SPLITTING else budget(scheme, contacts_of(kind, size))
                    jobs.append((problem, options + limit))
        data: dict[str, Any] = {"arch": {}, "cards": {}}
        for (kind, size, scheme), records in zip(names, context.program.solves(jobs)):
            record = records[0]
            data[kind].setdefault(scheme, []).append(
                {"size": size, "contacts": record["contacts"], "ms": record["cpu_ms"], "worst": worst(record),
                 "status": record["status"], "outer": record["outer_iterations"]})
        return data

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        figure, (places,) = draw.axes(2, width=5.2, height=3.8)
        parts = []
        for place, (kind, schemes) in zip(places, data.items()):
            for scheme, rows in schemes.items():
                x, y = [r["contacts"] for r in rows], [r["ms"] for r in rows]
                solved = [r["worst"] <= 1e-8 for r in rows]
                place.loglog(x, y, "-", lw=1, color=draw.COLOURS[scheme], label=scheme)
                for wanted, fill in ((True, draw.COLOURS[scheme]), (False, "white")):
                    chosen = [k for k, s in enumerate(solved) if s == wanted]
                    place.loglog([x[k] for k in chosen], [y[k] for k in chosen], "o", ms=5, mfc=fill, color=draw.COLOURS[scheme])
            place.set(xlabel="contacts", ylabel="CPU time of one solve, ms",
                      title="semicircular arch, 25 to 951 stones" if kind == "arch" else "house of cards, 4 to 20 levels")
            sizes = [r["size"] for r in schemes["auto"]]
            rows = [[scheme] + [f"{short(r['ms'])} ms, {power(r['worst'])}" for r in row] for scheme, row in schemes.items()]
            word = "stones" if kind == "arch" else "levels"
            parts.append(table(["scheme"] + [f"{size} {word} ({r['contacts']})" for size, r in zip(sizes, schemes["auto"])], rows))
        draw.legend_below(figure, places[0])
        draw.save(figure, context.picture("implicit-cost"))
        return ("![cost against size](implicit-cost.png)\n\n" + "\n\n".join(parts)
                + "\n\nOne cold solve (from zero) to 1e-8; CPU time and max(r_c, nat) of what came back, contacts in brackets. Hollow "
                "points missed 1e-8. The splitting schemes may take 2·10⁶ / contacts outer iterations (100 to 5000), 10 sweeps each; "
                "`picard` 60 QPs, by `ipm`; `nsgs` 2·10⁷ / contacts sweeps (1000 to 50 000).")


@item("implicit-work", "implicit", "Residual against work")
class Work:
    CASES = {"arch, 101 stones": ("arch", 101), "cards, 10 levels": ("cards", 10)}

    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for name, (kind, size) in Work.CASES.items():
            problem = sequence(context, kind, context.size(size, 4), 1)
            limits = {s: " --max-outer 5" if context.quick and s in SPLITTING else budget(s, contacts_of(kind, size)) for s in SCHEMES}
            jobs = [(problem, f"{options}{limits[scheme]} --tol 1e-12 --history") for scheme, options in SCHEMES.items()]
            data[name] = {}
            for scheme, records in zip(SCHEMES, context.program.solves(jobs)):
                data[name][scheme] = {**thinned(records[0]["history"]), "iterations": records[0]["outer_iterations"]}
        return data

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        figure, (places,) = draw.axes(2, width=5.2, height=3.8)
        parts = []
        for place, (name, schemes) in zip(places, data.items()):
            rows = []
            for scheme, curve in schemes.items():
                place.loglog(curve["ms"], np.maximum(curve["worst"], 1e-17), lw=1.2, color=draw.COLOURS[scheme], label=scheme)
                rows.append([scheme] + [short(first_below(curve, level)) for level in LEVELS]
                            + [power(min(curve["worst"])), curve["iterations"]])
            place.set(xlabel="CPU time, ms", ylabel="best max(r_c, nat) so far", title=name)
            parts.append(f"**{name}**: ms until max(r_c, nat) is first below\n\n"
                         + table(["scheme", "1e-6", "1e-8", "1e-10", "1e-12", "best", "outer iterations run"], rows))
        draw.legend_below(figure, places[0])
        draw.save(figure, context.picture("implicit-work"))
        return ("![residual against work](implicit-work.png)\n\n" + "\n\n".join(parts)
                + "\n\nOne cold solve with tolerance 1e-12 and the budgets of the table above. `auto` and `newton` report once per "
                "proximal step, which may hold several Newton steps.")


def thinned(history: list[dict[str, Any]], points: int = 150) -> dict[str, Any]:
    """Best so far, at a few points equally far apart in log iterations."""
    rows = [row for row in history if row["r_c"] is not None and row["nat"] is not None]
    best = np.minimum.accumulate([max(row["r_c"], row["nat"]) for row in rows]) if rows else np.array([1.0])
    keep = sorted({int(k) for k in np.geomspace(1, len(best), points)} | {len(best)})
    return {"ms": [float(f"{rows[k - 1]['ms']:.4g}") if rows else 0.0 for k in keep],
            "worst": [float(f"{best[k - 1]:.3g}") for k in keep]}


def first_below(curve: dict[str, Any], level: float) -> float | None:
    return next((ms for ms, value in zip(curve["ms"], curve["worst"]) if value <= level), None)


@item("implicit-shares", "implicit", "Share of steps at each level")
class Shares:
    CASES = [("arch", n, impact) for n in (25, 101, 501, 951) for impact in (False, True)] + \
            [("cards", n, impact) for n in (4, 10, 20) for impact in (False, True)]
    CHOSEN = ("auto", "newton", "picard", "fbf", "fbf accelerated", "fbf c_γ 5 accelerated")

    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for kind, size, impact in context.size(Shares.CASES, Shares.CASES[:1]):
            contacts = contacts_of(kind, size)
            steps = context.size(12 if contacts < 1000 else 5, 3)
            problems = sequence(context, kind, size, steps, impact)[1:]
            name = f"{kind} {size}, {'struck' if impact else 'at rest'}"
            limit = {s: f" --max-outer {200 if not context.quick else 3}" if s in SPLITTING else budget(s, contacts) for s in Shares.CHOSEN}
            jobs = [(problems, f"{SCHEMES[s]}{limit[s]} --tol 1e-12 --warm-start --time-limit 60") for s in Shares.CHOSEN]
            data[name] = {"steps": len(problems)}
            for scheme, records in zip(Shares.CHOSEN, context.program.solves(jobs)):
                data[name][scheme] = {"worst": [worst(r) for r in records], "ms": [r["cpu_ms"] for r in records]}
        return data

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        figure, ((place,),) = draw.axes(1, width=7.5, height=3.4)
        rows = []
        totals: dict[str, list[float]] = {scheme: [] for scheme in Shares.CHOSEN}
        for name, case in data.items():
            for scheme in Shares.CHOSEN:
                values = np.array(case[scheme]["worst"])
                totals[scheme] += list(values)
                rows.append([name if scheme == "auto" else "", scheme] + [percent(float(np.mean(values <= level))) for level in LEVELS]
                            + [power(float(np.nanmax(values))), short(float(np.median(case[scheme]["ms"])))])
        grid = np.geomspace(1e-14, 1, 200)
        for scheme, values in totals.items():
            place.semilogx(grid, [100 * np.mean(np.array(values) <= x) for x in grid], color=draw.COLOURS[scheme], label=scheme)
        place.set(xlabel="max(r_c, nat)", ylabel="% of all steps at or below", title="all structures, at rest and struck, warm")
        place.legend(fontsize=7)
        draw.save(figure, context.picture("implicit-shares"))
        return ("![shares](implicit-shares.png)\n\n"
                + table(["structure", "scheme", "≤ 1e-6", "≤ 1e-8", "≤ 1e-10", "≤ 1e-12", "worst", "median ms"], rows)
                + "\n\nSteps of standing structures: *at rest* every body gets a kick of up to 1 mm/s at every step, *struck* the crown or "
                "three cards get 2 or 1 m/s at the third. Each step is solved from the impulses of the step before, tolerance 1e-12, "
                "`fbf` with 200 outer iterations; no solve may take more than 60 s of wall time. On the longest arches 1e-12 is near the "
                "rounding error, and a scheme that does not meet it goes on until it gives up.")
