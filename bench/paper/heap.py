# SPDX-License-Identifier: Apache-2.0
"""Beyond the paper: how steep a heap of irregular grains lies, against friction.

Grains are poured onto a round plate of glued grains until they run over its rim; what remains is a cone whose flank stands at
the angle of repose. A plate of a given size sets the scale, so that the slope does not depend on how far a heap may spread.
"""
from __future__ import annotations

import concurrent.futures as futures
import json
import math
import warnings
from typing import Any

import numpy as np

from paper import draw
from paper.items import Context, item
from paper.text import percent, power, table

FRICTION = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
SEEDS = (1, 2, 3)
GRAIN = 0.1          # m, diameter of the ball in which a grain of mean size lies
PLATE = 3.5 * GRAIN  # m, radius
COUNT = 120          # grains poured, more than the plate holds
GROUP = 4            # grains that appear at a time
INTERVAL = 0.1       # s between groups
REST = 1.5           # s after the last group
#: With 1e-6 a step of a jammed heap passes with impulses so large that a millionth of them throws grains (docs/certificate.md).
TOLERANCE = 1e-8
FLANK = (0.15, 0.85)  # of the plate's radius: where the slope is fitted; the tip is round, the rim is bare


def grain(random: np.random.Generator) -> dict[str, Any]:
    """Convex hull of nine points on an ellipsoid with axes within 25 % of each other."""
    points = random.normal(size=(9, 3))
    points *= random.uniform(0.75, 1.0, 3) / np.linalg.norm(points, axis=1)[:, None]
    points *= GRAIN / 2 * random.uniform(0.9, 1.1)
    return {"type": "hull", "vertices": (points - points.mean(axis=0)).tolist()}


def attitude(random: np.random.Generator) -> list[float]:
    q = random.normal(size=4)
    return (q / np.linalg.norm(q)).tolist()


def plate(random: np.random.Generator) -> list[dict[str, Any]]:
    """Static grains side by side, in random attitudes."""
    step, reach = 0.9 * GRAIN, math.ceil(PLATE / GRAIN) + 1
    places = [(step * (i + 0.5 * (j % 2)), step * math.sqrt(0.75) * j) for i in range(-reach, reach + 1) for j in range(-reach, reach + 1)]
    return [{"kind": "static", "position": [x, y, 0], "rotation": attitude(random), "shapes": [grain(random)]}
            for x, y in places if math.hypot(x, y) <= PLATE - GRAIN / 2]


def heap_scene(mu: float, seed: int, count: int) -> dict[str, Any]:
    """Groups of four appear close to the axis, 5.5 grains above the plate, on their way down at 1 m/s."""
    random = np.random.default_rng(seed)
    bodies, events = plate(random), []
    for k in range(count):
        if k % GROUP == 0:
            turn = random.uniform(0, math.pi / 2)
        angle = turn + 2 * math.pi * (k % GROUP) / GROUP
        bodies.append({"name": f"grain {k}", "present": k < GROUP, "position": [0.85 * GRAIN * math.cos(angle), 0.85 * GRAIN * math.sin(angle), 5.5 * GRAIN],
                       "rotation": attitude(random), "velocity": [0, 0, -1], "shapes": [grain(random)]})
        if k >= GROUP:
            events.append({"time": INTERVAL * (k // GROUP), "type": "appear", "body": f"grain {k}"})
    return {"repose_scene": 1, "name": "heap", "dt": 1 / 60, "duration": INTERVAL * math.ceil(count / GROUP) + REST, "margin": 0.02 * GRAIN,
            "materials": [{"name": "grain", "friction": mu}], "bodies": bodies, "events": events}


def turned(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return v + 2 * np.cross(q[1:], np.cross(q[1:], v) + q[0] * v)


def upper_side(vertices: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Height of a convex body's upper side at (x, y); -inf beside it."""
    from scipy.spatial import ConvexHull

    low, high, beside = np.full(x.shape, -np.inf), np.full(x.shape, np.inf), np.zeros(x.shape, bool)
    for a, b, c, d in ConvexHull(vertices).equations:  # inside: a x + b y + c z + d <= 0
        left = -(a * x + b * y + d)
        if c > 1e-9:
            high = np.minimum(high, left / c)
        elif c < -1e-9:
            low = np.maximum(low, left / c)
        else:
            beside |= left < 0
    return np.where(beside | (low > high), -np.inf, high)


def surface(scene: dict[str, Any], position: np.ndarray, quaternion: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distance from the axis and height of the heap's surface on a grid of a tenth of a grain."""
    line = np.arange(-PLATE, PLATE + 0.05 * GRAIN, 0.1 * GRAIN)
    x, y = np.meshgrid(line, line)
    height = np.zeros(x.shape)
    for body, centre, q in zip(scene["bodies"], position, quaternion):
        if centre[2] < -GRAIN / 2:
            continue
        vertices = turned(q, np.array(body["shapes"][0]["vertices"])) + centre
        (x0, y0, _), (x1, y1, _) = vertices.min(axis=0), vertices.max(axis=0)
        under = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
        if under.any():
            height[under] = np.maximum(height[under], upper_side(vertices, x[under], y[under]))
    return np.hypot(x, y), height


def profile(radius: np.ndarray, height: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean height in ten rings of the flank."""
    edges = PLATE * np.linspace(*FLANK, 11)
    return (edges[1:] + edges[:-1]) / 2, np.array([height[(radius >= a) & (radius < b)].mean() for a, b in zip(edges, edges[1:])])


def pour(mu: float, seed: int, count: int) -> dict[str, Any]:
    import repose

    scene = heap_scene(mu, seed, count)
    warnings.filterwarnings("ignore", "step .* not solved")  # the table counts them
    run = repose.run(repose.Model.from_json(json.dumps(scene)), tol=TOLERANCE)
    position, quaternion = run.data.frame_position, run.data.quaternion
    rings, mean = profile(*surface(scene, position, quaternion))
    first = len(scene["bodies"]) - count
    stays = position[first:, 2] > -GRAIN / 2
    speed = np.linalg.norm(run.data.velocity[first:], axis=1)[stays]
    return {"degrees": math.degrees(math.atan(-np.polyfit(rings, mean, 1)[0])), "height": mean.tolist(), "grains": int(stays.sum()),
            "solved": run.residual.solved_share, "speed": float(np.median(speed)) if len(speed) else 0.0,
            "worst": run.residual.r_c.max, "contacts": run.contacts.max, "ended": run.ended}


def is_whole(heap: dict[str, Any]) -> bool:
    return heap.get("ended", "done") == "done"


def ranks(values: np.ndarray) -> np.ndarray:
    """Equal values share their mean rank."""
    return np.array([(values < v).sum() + ((values == v).sum() - 1) / 2 for v in values])


def findings(data: dict[str, Any]) -> dict[str, Any]:
    """Trend and scatter: is there an answer, and which?"""
    heaps = {float(mu): np.array([heap["degrees"] for heap in cell]) for mu, cell in data["heaps"].items()}
    mean = {mu: float(values.mean()) for mu, values in heaps.items()}
    scatter = math.sqrt(float(np.mean([values.var(ddof=1) if len(values) > 1 else math.nan for values in heaps.values()])))
    every = np.array([(mu, v) for mu, values in heaps.items() for v in values])
    correlation = float(np.corrcoef(ranks(every[:, 0]), ranks(every[:, 1]))[0, 1]) if np.ptp(every, axis=0).all() else math.nan
    low, high = min(heaps), max(heaps)
    rise, middle = mean[high] - mean[low], min(heaps, key=lambda mu: abs(mu - (low + high) / 2))
    return {"scatter": scatter, "correlation": correlation, "rise": rise, "low": low, "high": high, "middle": middle,
            "first_half": mean[middle] - mean[low], "second_half": rise - (mean[middle] - mean[low]), "mean": mean,
            "conclusive": correlation >= 0.8 and rise >= 5 * scatter}


def words(found: dict[str, Any], seeds: int) -> str:
    head = (f"From μ {found['low']:g} to {found['high']:g} the slope rises by {found['rise']:.1f}°; seeds scatter by {found['scatter']:.1f}° "
            f"(standard deviation, pooled over μ), and μ and slope have a rank correlation of {found['correlation']:.2f} over all heaps. ")
    if not found["conclusive"]:
        return head + "**This study is inconclusive**: it asks for a rise of five times the scatter and a rank correlation of 0.8. "
    above = [mu for mu, degrees in found["mean"].items() if degrees > math.degrees(math.atan(mu))]
    below = [mu for mu, degrees in found["mean"].items() if degrees <= math.degrees(math.atan(mu))]
    text = head + "**The slope rises with friction** (asked for: a rise of five times the scatter, a rank correlation of 0.8). "
    noise = 2 * found["scatter"] * math.sqrt(2 / max(seeds, 1))  # of a difference of two means, twice its standard deviation
    if found["first_half"] > found["second_half"] + noise:
        text += (f"It levels off: {found['first_half']:.1f}° of the rise come up to μ {found['middle']:g}, "
                 f"{found['second_half']:.1f}° (± {noise:.1f}°) after it. ")
    else:
        text += f"Levelling off is not shown: {found['first_half']:.1f}° up to μ {found['middle']:g}, {found['second_half']:.1f}° after it. "
    if above and below and max(above) < min(below):
        return text + (f"Heaps are steeper than arctan μ, the slope at which one block slides, up to μ {max(above):g}, where grains interlock, "
                       f"and flatter from μ {min(below):g} on, where they roll and tip instead of sliding. ")
    return text + (f"Heaps are steeper than arctan μ, the slope at which one block slides, at μ {', '.join(f'{mu:g}' for mu in above) or 'none'}. ")


@item("angle-of-repose", "stability", "Angle of repose of a heap")
class AngleOfRepose:
    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        friction, seeds, count = context.size((FRICTION, SEEDS, COUNT), ((0.0, 0.5), (1,), 8))
        wanted = [(mu, seed) for mu in friction for seed in seeds]
        with futures.ThreadPoolExecutor(context.program.jobs) as pool:
            found = list(pool.map(lambda one: pour(*one, count), wanted))
        heaps: dict[str, list[dict[str, Any]]] = {}
        for (mu, _), heap in zip(wanted, found):
            heaps.setdefault(f"{mu:g}", []).append(heap)
        return {"poured": count, "seeds": len(seeds), "tolerance": TOLERANCE, "heaps": heaps}

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        broken = [f"μ {mu}, seed {seed}" for mu, cell in data["heaps"].items() for seed, heap in enumerate(cell, 1) if not is_whole(heap)]
        data = {**data, "heaps": {mu: [heap for heap in cell if is_whole(heap)] for mu, cell in data["heaps"].items()}}
        figure, ((left, right),) = draw.axes(2, width=4.8)
        rings = (PLATE * np.linspace(*FLANK, 11))[:-1] / GRAIN + PLATE * (FLANK[1] - FLANK[0]) / 20 / GRAIN
        rows = []
        for k, (mu, cell) in enumerate(data["heaps"].items()):
            degrees = [heap["degrees"] for heap in cell]
            left.plot([float(mu)] * len(degrees), degrees, ".", ms=5, color=draw.COLOURS["auto"], alpha=0.5)
            right.plot(rings, np.mean([heap["height"] for heap in cell], axis=0) / GRAIN, "-", lw=1.2, label=f"μ {mu}",
                       color=draw.plt.get_cmap("viridis")(k / max(1, len(data["heaps"]))))
            rows.append([mu, f"{np.mean(degrees):.1f}", f"{min(degrees):.1f} … {max(degrees):.1f}", f"{math.degrees(math.atan(float(mu))):.1f}",
                         f"{np.mean([heap['grains'] for heap in cell]):.0f}", percent(float(np.mean([heap["solved"] for heap in cell]))),
                         power(max(heap["worst"] for heap in cell)),
                         f"{np.median([heap['speed'] for heap in cell]):.1e}"])
        found = findings(data)
        left.plot(list(found["mean"]), list(found["mean"].values()), "o-", ms=4, color=draw.COLOURS["auto"], label="heap, mean over seeds")
        dense = np.linspace(0, found["high"], 50)
        left.plot(dense, np.degrees(np.arctan(dense)), "--", color=draw.COLOURS["closed form"], label="arctan μ: one block on a slope")
        left.set(xlabel="friction coefficient μ", ylabel="slope of the flank, degrees")
        left.legend(fontsize=7)
        right.set(xlabel="distance from the axis, grains", ylabel="mean height of the surface, grains")
        right.legend(fontsize=6)
        draw.save(figure, context.picture("angle-of-repose"))
        return ("![angle of repose](angle-of-repose.png)\n\n"
                + table(["μ", "slope, degrees (mean)", "least … largest", "arctan μ", "grains that stay", f"steps solved to {data.get('tolerance', 1e-6):g}",
                         "largest r_c of a step", "median speed at the end, m/s"], rows)
                + f"\n\n{words(found, data['seeds'])}\n\n"
                f"{data['poured']} irregular convex grains (hulls of nine points, {GRAIN:g} m) are poured, four at a time, onto a round plate "
                f"of glued grains, {PLATE / GRAIN:g} grains in radius; what does not find room runs over the rim and is gone. "
                f"{REST:g} s after the last one the surface is averaged over rings and a line fitted between {FLANK[0]:g} and "
                f"{FLANK[1]:g} of the plate's radius. {data['seeds']} seeds a value of μ, which is that of all contacts; no rolling "
                f"resistance; dt 1/60 s, every step asked for r_c and nat {data.get('tolerance', 1e-6):g}; one in which two grains met so fast that they "
                "overlap without a contact does not count as solved. "
                + (f"**Broke down and left out: {'; '.join(broken)}** (a step that throws a grain is not taken, and ends the run). " if broken else "")
                + "The last column tells which heaps still flow.\n\n"
                "Known from others: heaps of spheres steepen with sliding friction (Zhou, Xu, Yu and Zulli, *Physical Review E* 64, "
                "021301, 2001), and the strength of packed spheres in shear starts above zero without friction and saturates for "
                "large μ (Göncü and Luding, *Acta Geotechnica* 8, 2013). Absolute values depend on shape, size and how a heap is made: ours "
                "are for this protocol, and for a plate of seven grains across, which is small.")
