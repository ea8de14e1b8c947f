# SPDX-License-Identifier: Apache-2.0
"""Beyond the paper: the least friction at which arches and card houses stand, by bisection and by limit analysis."""
from __future__ import annotations

import concurrent.futures as futures
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from paper import draw
from paper.items import Context, item
from paper.text import short, table

#: Planar linear programs made beforehand, by another program.
EARLIER = {"arch 25": 0.1029, "arch 101": 0.1010, "semicircle 25, t/R 0.12": 0.2734, "semicircle 25, t/R 0.15": 0.2426,
           "semicircle 25, t/R 0.2": 0.2412, "cards 4": 0.404, "cards 10": 0.431}
THICKNESS = (0.08, 0.085, 0.09, 0.1, 0.11, 0.12, 0.135, 0.15, 0.175, 0.2, 0.25, 0.3)


def stands(scene: str, seconds: float, allowed: float, parameters: dict[str, Any]) -> bool:
    """Has any body moved by more than `allowed` (m) at the end? Looks every half second, to leave early."""
    import repose

    model = repose.scenes.make(scene, **parameters)
    data = repose.Data(model)
    start = data.position.copy()
    for _ in range(math.ceil(2 * seconds)):
        repose.step(model, data, n=round(0.5 / model.dt))
        if np.abs(data.position - start).max() > allowed:
            return False
    return True


def bisect(low: float, high: float, width: float, holds: Callable[[float], bool]) -> tuple[float, float] | None:
    """μ at which it falls and μ at which it stands, no more than `width` apart; None where it falls at `high`."""
    if not holds(high):
        return None
    if holds(low):
        return (0.0, low)
    while high - low > width:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high


def limit_analysis(scene: str, parameters: dict[str, Any], width: float = 1e-4) -> float | None:
    """Least μ for which contact forces within the cones balance gravity, in the plane x-z of the structure, from the
    contacts that the simulator itself finds at the start. None: not even large friction helps."""
    import repose

    model = repose.scenes.make(scene, **parameters, mu=0.8)
    data = repose.Data(model)
    centre = data.position.copy()
    repose.step(model, data, n=1)
    contacts = data.contacts
    balance = Balance(contacts[contacts["gap"] < 1e-6], centre, np.asarray(model.mass))
    if not balance.possible(5.0):
        return None
    low, high = 0.0, 5.0
    while high - low > width:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if balance.possible(middle) else (middle, high)
    return high


class Balance:
    """Equations of equilibrium of all dynamic bodies, in the forces (normal, tangential) of the contacts."""

    def __init__(self, contacts: np.ndarray, centre: np.ndarray, mass: np.ndarray) -> None:
        import scipy.sparse as sparse

        rows = {body: 3 * k for k, body in enumerate(np.flatnonzero(mass > 0))}
        entries, self.n = [], len(contacts)
        scale = np.abs(centre).max()
        for j, contact in enumerate(contacts):
            nx, nz = contact["normal"][0], contact["normal"][2]
            for sign, body in zip((-1, 1), contact["body"]):
                if body not in rows:
                    continue
                arm = (contact["position"] - centre[body]) / scale
                for column, (fx, fz) in enumerate(((nx, nz), (nz, -nx))):
                    torque = arm[2] * fx - arm[0] * fz
                    entries += [(rows[body] + i, 2 * j + column, sign * value) for i, value in enumerate((fx, fz, torque))]
        i, j, v = zip(*entries)
        self.A = sparse.csr_array((v, (i, j)), shape=(3 * len(rows), 2 * self.n))
        mean = mass[mass > 0].mean()
        self.b = np.zeros(3 * len(rows))
        self.b[1::3] = mass[list(rows)] / mean  # forces in units of a mean weight: gravity drops out

    def possible(self, mu: float) -> bool:
        import scipy.sparse as sparse
        from scipy.optimize import linprog

        normal, tangential = sparse.csr_array(np.kron(np.eye(self.n), [1, 0])), sparse.csr_array(np.kron(np.eye(self.n), [0, 1]))
        cone = sparse.vstack([tangential - mu * normal, -tangential - mu * normal])
        bounds = [(0, None), (None, None)] * self.n
        found = linprog(np.zeros(2 * self.n), A_ub=cone, b_ub=np.zeros(2 * self.n), A_eq=self.A, b_eq=self.b, bounds=bounds,
                        method="highs")
        return found.status == 0


def cases(context: Context) -> dict[str, tuple[str, dict[str, Any], float, float, float]]:
    """Scene, parameters, displacement that counts as fallen (m), and the first bracket in μ."""
    found: dict[str, tuple[str, dict[str, Any], float, float, float]] = {
        "arch 25": ("arch", {"stones": 25, "variant": "closed"}, 0.05, 0.05, 0.3),
        "cards 4": ("cards", {"levels": 4}, 0.05, 0.2, 0.8)}
    if context.quick:
        return dict(list(found.items())[:1])
    found["arch 101"] = ("arch", {"stones": 101, "variant": "closed"}, 0.05, 0.05, 0.3)
    found["cards 1"] = ("cards", {"levels": 1}, 0.05, 0.1, 0.8)
    found["cards 2"] = ("cards", {"levels": 2}, 0.05, 0.1, 0.8)
    found["cards 10"] = ("cards", {"levels": 10}, 0.05, 0.2, 0.8)
    for t in THICKNESS:
        found[f"semicircle 25, t/R {t:g}"] = ("arch", {"stones": 25, "variant": "semicircle", "thickness": t}, 0.02, 0.05, 1.5)
    found["semicircle 25, t/R 0.07"] = ("arch", {"stones": 25, "variant": "semicircle", "thickness": 0.07}, 0.02, 0.05, 1.5)
    found["semicircle 101, t/R 0.15"] = ("arch", {"stones": 101, "variant": "semicircle", "thickness": 0.15}, 0.02, 0.05, 1.5)
    return found


@item("least-friction", "stability", "Least friction that keeps a structure up")
class LeastFriction:
    SECONDS = 8.0

    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        def work(case: tuple[str, dict[str, Any], float, float, float]) -> dict[str, Any]:
            scene, parameters, allowed, low, high = case
            seconds = context.size(LeastFriction.SECONDS, 1.0)
            width = context.size(2.5e-4, 0.05)
            found = bisect(low, high, width, lambda mu: stands(scene, seconds, allowed, {**parameters, "mu": mu}))
            return {"falls": found and found[0], "stands": found and found[1],
                    "limit": limit_analysis(scene, parameters, context.size(1e-4, 0.02))}

        chosen = cases(context)
        with futures.ThreadPoolExecutor(context.program.jobs) as pool:
            return dict(zip(chosen, pool.map(work, chosen.values())))

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        figure, (left, right) = draw.plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
        sweep = sorted((float(name.rsplit(" ", 1)[1]), row) for name, row in data.items() if name.startswith("semicircle 25"))
        for key, look, label in (("limit", {"lw": 5, "color": "#BBBBBB"}, "limit analysis"),
                                 ("stands", {"marker": "o", "ms": 4, "lw": 1, "color": draw.COLOURS["auto"]}, "dynamics: least μ that stands")):
            chosen = [(t, row[key]) for t, row in sweep if row[key] is not None]
            left.plot(*zip(*chosen) if chosen else ([], []), label=label, **look)
        fallen = [t for t, row in sweep if row["stands"] is None]
        for k, t in enumerate(fallen):
            left.axvline(t, color=draw.COLOURS["fbf"], lw=1, ls=":", label="falls at any μ" if k == 0 else None)
        left.set(xlabel="thickness / radius", ylabel="least μ", title="semicircle of 25 stones, ends static")
        left.legend(fontsize=7)
        others = sorted((name for name in data if not name.startswith("semicircle 25")), key=lambda name: data[name]["limit"] or 0)
        for k, name in enumerate(others):
            row = data[name]
            right.plot(k - 0.1, row["limit"], "_", ms=16, mew=2, color=draw.COLOURS["closed form"], label="limit analysis" if k == 0 else None)
            if row["stands"] is not None:
                right.errorbar(k + 0.1, (row["falls"] + row["stands"]) / 2, (row["stands"] - row["falls"]) / 2, fmt="o", ms=4, capsize=3,
                               color=draw.COLOURS["auto"], label="dynamics" if k == 0 else None)
        right.set_xticks(range(len(others)), others, rotation=25, ha="right", fontsize=8)
        right.set(ylabel="least μ", title="other arches, card houses")
        right.legend(fontsize=7)
        draw.save(figure, context.picture("least-friction"))
        rows = [[name, bracket(row), short(row["limit"], 4), short(EARLIER.get(name), 4), difference(row)] for name, row in data.items()]
        return ("![least friction](least-friction.png)\n\n"
                + table(["structure", "falls … stands (dynamics)", "limit analysis", "limit analysis made earlier", "dynamics over limit"], rows)
                + f"\n\nDynamics: `auto` at 1e-8, {LeastFriction.SECONDS:g} s from an exact start, dt 1/60 s; it has fallen when any body has "
                "moved by more than 50 mm (semicircle 20 mm); bisection to 2.5e-4 in μ. Limit analysis: a planar linear program that asks "
                "whether forces within the cones can balance gravity, on the contact points and normals that the simulator finds at the "
                "start. Below its value a structure must fall; above it, it may stand. For card houses the normal at an apex, edge on edge, is "
                "horizontal here; the earlier values are for that rule, too. The dynamics finds the limit within the width of the bisection.")


def bracket(row: dict[str, Any]) -> str:
    return "falls at 1.5" if row["stands"] is None else f"{row['falls']:.4f} … {row['stands']:.4f}"


def difference(row: dict[str, Any]) -> str:
    if row["stands"] is None or not row["limit"]:
        return "both fall" if row["stands"] is None and row["limit"] is None else "–"
    return f"{(row['falls'] + row['stands']) / 2 / row['limit'] - 1:+.2%}"
