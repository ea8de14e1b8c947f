# SPDX-License-Identifier: Apache-2.0
"""Pictures from the viewer at the paper's instants: the exact law beside the relaxed one.

Scenes of one body are drawn like a strobe photograph: a scene that has the body at each instant, exact and relaxed in
lanes beside each other. Structures are drawn one picture per instant.
"""
from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from paper import draw
from paper.items import Context, item
from paper.program import Finished, ProgramError, Run
from paper.schemes import ARCH, CARDS, TOLERANCE, TUNED, largest_displacement, of_structure, paper_mode, residuals
from paper.text import metres, percent, short, table

LAWS = {"exact": "--outer auto", "relaxed": "--outer relaxed"}
TINTS = {"exact": np.array([0.0, 0.36, 0.62]), "relaxed": np.array([0.84, 0.37, 0.0])}
NO_BROWSER = "not drawn: {}"


def recorded_runs(context: Context, choices: dict[str, str], scene: str, seconds: float, **parameters: Any) -> dict[str, Finished]:
    time = f"--time {context.size(seconds, min(seconds, 0.1)):.6g}"
    runs = [Run.of(scene, f"{options} {time}", record=True, **parameters) for options in choices.values()]
    return dict(zip(choices, context.program.runs(runs)))


def both_laws(context: Context, scene: str, seconds: float, **parameters: Any) -> dict[str, Finished]:
    """The same scene under the exact and the relaxed law, recorded."""
    return recorded_runs(context, LAWS, scene, seconds, **parameters)


AS_WRITTEN = "exact (fbf, 200 outers)"


def tuned(safety: float) -> str:
    return f"exact (fbf, c_γ {safety:g}, 200 outers)"


def with_paper_mode(sweeps: int, safety: float) -> dict[str, str]:
    """Both laws, and the paper's scheme in its own settings and with a larger step."""
    return {"exact (auto)": LAWS["exact"], AS_WRITTEN: paper_mode(sweeps), "relaxed": LAWS["relaxed"],
            tuned(safety): f"{paper_mode(sweeps)} --safety {safety:g}"}


def shares(run: Finished) -> dict[str, float]:
    """Of the steps that meet the paper's tolerance, in its measure, and ours, whatever the run's own was."""
    r_c = residuals(run)
    return {"share": float(np.mean(r_c <= TOLERANCE)) if len(r_c) else 1.0,
            "solved": float(np.mean([max(step["r_c"], step["nat"]) <= 1e-8 for step in run.steps]))}


SHARES = ("r_c ≤ 1e-6", "r_c and nat ≤ 1e-8")
JUDGED = ("Shares of steps are judged by the exact law, which the relaxed one meets only where nothing slides; `fbf` stops at the paper's "
          "r_c < 1e-6 and is not asked for the last column. c_γ {:g}: a step size at which it does well here ([study](best.md)).")


def share_cells(row: dict[str, Any]) -> list[str]:
    return [percent(row.get("share")), percent(row["solved"])]


def states(run: Finished) -> dict[str, np.ndarray]:
    import repose

    return repose.Recording(str(run.recording)).to_numpy()


def at_time(recorded: dict[str, np.ndarray], instant: float) -> int:
    return int(np.argmin(np.abs(recorded["time"] - instant)))


def drawn(context: Context, make: Callable[[], None]) -> str:
    """Empty when the pictures were made, else why not: the numbers stand without them."""
    if context.quick:
        return NO_BROWSER.format("a quick run draws nothing")
    try:
        make()
        return ""
    except ProgramError as error:
        return NO_BROWSER.format(error)


def figure_line(name: str, why_not: str) -> str:
    return f"![{name.replace('-', ' ')}]({name}.png)" if not why_not else f"*{why_not}*"


# ---- strobe pictures ----


def copies(runs: dict[str, Finished], instants: Sequence[float], shape: dict[str, Any], offsets: dict[str, Sequence[float]]
           ) -> list[dict[str, Any]]:
    """The last body of each run at each instant; later is darker. Of places that coincide, the last is shown."""
    bodies = []
    for law, run in runs.items():
        recorded = states(run)
        rows = [at_time(recorded, instant) for instant in instants]
        centres = recorded["position"][rows, -1]
        for k, (instant, row) in enumerate(zip(instants, rows)):
            if any(np.linalg.norm(centres[k] - later) < 1e-3 for later in centres[k + 1:]):
                continue
            fade = 0.75 * (1 - k / max(len(instants) - 1, 1))
            colour = (1 - fade) * TINTS[law] + fade * np.array([0.93, 0.93, 0.93])
            bodies.append({"name": f"{law} {instant:g} s", "rotation": recorded["quaternion"][row, -1].tolist(),
                           "position": (recorded["frame_position"][row, -1] + np.array(offsets[law])).tolist(),
                           "shapes": [{**shape, "colour": colour.tolist()}]})
    return bodies


def draw_scene(context: Context, bodies: list[dict[str, Any]], out: Path, look: str) -> None:
    """One state of a scene made for the picture; nothing moves."""
    with tempfile.TemporaryDirectory() as folder:
        scene, recording = Path(folder) / "strobe.json", Path(folder) / "strobe.h5"
        scene.write_text(json.dumps({"repose_scene": 1, "name": "strobe", "gravity": [0, 0, 0], "bodies": bodies}))
        context.program.record_start(scene, recording)
        context.program.render([recording], out, look)


def ground(rotation: Sequence[float] = (1, 0, 0, 0)) -> dict[str, Any]:
    return {"name": "ground", "kind": "static", "rotation": list(rotation), "shapes": [{"type": "plane"}]}


def strobe_grid(context: Context, name: str, cells: dict[str, list[dict[str, Any]]], look: str, columns: int = 2) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for k, bodies in enumerate(cells.values()):
            files.append(Path(folder) / f"{k}.png")
            draw_scene(context, bodies, files[-1], look)
        titles = list(cells)
        rows = [files[k:k + columns] for k in range(0, len(files), columns)]
        if len(rows) == 1:
            draw.picture_grid(rows, [""], titles, context.picture(name), width=10.0 / columns)
        else:
            titled_grid(rows, titles, context.picture(name))


def titled_grid(rows: list[list[Path]], titles: list[str], out: Path, width: float = 4.6) -> None:
    """Each picture under its own title."""
    first = plt.imread(rows[0][0])
    height = width * first.shape[0] / first.shape[1] + 0.25
    figure, grid = plt.subplots(len(rows), len(rows[0]), figsize=(width * len(rows[0]), height * len(rows)), squeeze=False,
                                layout="constrained")
    for place, picture, title in zip(grid.flat, (p for row in rows for p in row), titles):
        place.imshow(plt.imread(picture)[:, :, :3])
        place.set_title(title, fontsize=9)
        place.axis("off")
    draw.save(figure, out)


INCLINE_INSTANTS = (0.0, 2.0)


@item("fig-incline", "scenes", "Cube on an incline at two coefficients", "fig:incline-snapshots")
class Incline:
    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        found, cells = {}, {}
        half = math.atan(0.5) / 2
        slope = ground((math.cos(half), 0, math.sin(half), 0))
        for mu in (0.4, 0.5):
            runs = both_laws(context, "incline", 2.0, mu=mu)
            found[f"{mu:g}"] = {law: float(run.summary["final"][0]["displacement"]) for law, run in runs.items()}
            cube = {"type": "box", "half": [0.5, 0.5, 0.5]}
            cells[f"μ = {mu:g}"] = [slope, *copies(runs, INCLINE_INSTANTS, cube, {"exact": (0, -0.8, 0), "relaxed": (0, 0.8, 0)})]
        why = drawn(context, lambda: strobe_grid(context, "incline", cells, "--size 900x520 --zoom 1.15"))
        return {"moved": found, "why": why}

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        rows = [[mu, metres(d["exact"]), metres(d["relaxed"])] for mu, d in data["moved"].items()]
        return (figure_line("incline", data["why"]) + "\n\nAt 0 (light) and 2 s (dark): exact law blue, relaxed "
                "orange in the lane behind.\n\n" + table(["μ", "moved in 2 s: exact", "relaxed"], rows))


BACKSPIN_INSTANTS = (0.0, 10 / 60, 50 / 60, 2.0, 130 / 60)


@item("fig-backspin", "scenes", "Ball with backspin", "fig:backspin")
class Backspin:
    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        runs = both_laws(context, "backspin", 5.0)
        paths = {}
        for law, run in runs.items():
            recorded = states(run)
            rows = [at_time(recorded, t) for t in BACKSPIN_INSTANTS]
            paths[law] = {"t": recorded["time"][::2].tolist(), "x": recorded["position"][::2, -1, 0].tolist(),
                          "z": recorded["position"][::2, -1, 2].tolist(),
                          "at": [recorded["position"][k, -1].tolist() for k in rows],
                          "v": float(recorded["velocity"][-1, -1, 0]), "omega": float(recorded["angular_velocity"][-1, -1, 1])}
        ball = {"type": "sphere", "radius": 0.25}
        shown = BACKSPIN_INSTANTS
        bodies = [ground(), *copies({"exact": runs["exact"]}, shown, ball, {"exact": (0, 0, 0)})]
        why = drawn(context, lambda: strobe_grid(context, "backspin", {"exact law": bodies}, "--size 1200x300 --camera front --zoom 1.9", 1))
        return {"paths": paths, "why": why}

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        figure, ((left, right),) = draw.axes(2, width=4.8)
        for law, path in data["paths"].items():
            colour = draw.COLOURS["auto" if law == "exact" else "relaxed"]
            left.plot(path["x"], path["z"], color=colour, label=law)
            left.plot([p[0] for p in path["at"]], [p[2] for p in path["at"]], "o", color=colour, ms=4)
            right.plot(path["t"], path["x"], color=colour, label=law)
        left.set(xlabel="x, m", ylabel="height of the centre, m")
        right.set(xlabel="t, s", ylabel="x, m")
        left.legend()
        draw.save(figure, context.picture("backspin-path"))
        exact = data["paths"]["exact"]
        paper = context.published["eq:backspin-analytical"]
        rows = [[f"{t:.2f}", *(f"{data['paths'][law]['at'][k][0]:.4f}, {data['paths'][law]['at'][k][2]:.4f}" for law in LAWS)]
                for k, t in enumerate(BACKSPIN_INSTANTS)]
        return (figure_line("backspin", data["why"]) + "\n\nThe ball at the paper's instants 0, 0.17, 0.83, 2 and 2.17 s, later "
                "is darker; below, the paths under both laws.\n\n![paths](backspin-path.png)\n\n"
                + table(["t, s", "exact: x, z in m", "relaxed: x, z in m"], rows)
                + f"\n\nEnd of 5 s, exact law: v = {exact['v']:.9g} m/s, ω = {exact['omega']:.9g} rad/s; closed form "
                f"v = {(5 * 4 - 2 * 0.25 * 200) / 7:.9g}, ω = {(5 * 4 - 2 * 0.25 * 200) / 7 / 0.25:.9g} (paper: {paper['v']}, "
                f"{paper['omega']}). The ball does not come to rest: it ends rolling backwards, after slipping for 3.15 s, and "
                "at the paper's last instant it still slips.")


TURNTABLE = {"μ 0.2, ω 2": (0.2, 2, "ejected"), "μ 0.2, ω 5": (0.2, 5, "ejected"), "μ 0.5, ω 2": (0.5, 2, "captured"),
             "μ 0.5, ω 5": (0.5, 5, "ejected")}


@item("fig-turntable", "scenes", "Turntable, four cells", "fig:turntable")
class Turntable:
    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        rows, cells = {}, {}
        for name, (mu, speed, _) in TURNTABLE.items():
            runs = both_laws(context, "turntable", 8.0, mu=mu, speed=speed)
            rows[name] = {}
            for law, run in runs.items():
                recorded = states(run)
                radius = np.hypot(recorded["position"][:, -1, 0], recorded["position"][:, -1, 1])
                gone = np.flatnonzero(radius > 2.0)
                rows[name][law] = {"left": float(recorded["time"][gone[0]]) if len(gone) else None,
                                   "radius": float(radius[-1]), "height": float(recorded["position"][:, -1, 2].max() - 0.1)}
            exact = rows[name]["exact"]["left"]
            instants = np.linspace(0, 8.0 if exact is None else exact + 0.1, 9)
            disc = {"name": "disc", "kind": "static", "position": [0, 0, -0.125],
                    "shapes": [{"type": "cylinder", "radius": 2, "half_length": 0.125, "colour": [0.8, 0.8, 0.8]}]}
            cube = {"type": "box", "half": [0.1, 0.1, 0.1]}
            cells[f"{name}: {'thrown off' if exact else 'captured'}"] = [
                disc, *copies({"exact": runs["exact"]}, instants, cube, {"exact": (0, 0, 0)})]
        why = drawn(context, lambda: strobe_grid(context, "turntable", cells, "--size 800x460 --zoom 1.6"))
        return {"cells": rows, "why": why}

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        rows = []
        for name, cell in data["cells"].items():
            ours = [f"leaves at {cell[law]['left']:.3f} s" if cell[law]["left"] else f"r = {cell[law]['radius']:.6f} m at 8 s"
                    for law in LAWS]
            rows.append([name, TURNTABLE[name][2], *ours])
        return (figure_line("turntable", data["why"]) + "\n\nNine instants from the start to the exit (or 8 s), later is darker. "
                "Disc of radius 2 m, cube of 0.2 m at 0.75 m, 2 s smooth ramp.\n\n"
                + table(["cell", "paper", "exact law", "relaxed"], rows)
                + "\n\nThe captured cube stays on its circle: contacts with a prescribed body see the rigid displacement of the "
                "whole step ([the world](../world.md)); with semi-implicit Euler alone it would drift to 0.94 m.")


@item("fig-painleve", "scenes", "Painlevé's box at two coefficients", "fig:painleve")
class Painleve:
    INSTANTS = (0.0, 0.25, 0.55, 1.5)

    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        rows, cells = {}, {}
        for mu in (0.5, 0.55):
            runs = both_laws(context, "tipping-box", 4.0, mu=mu)
            rows[f"{mu:g}"] = {law: {"tilt": run.summary["final"][0]["tilt_deg"],
                                     "x": run.summary["final"][0]["position"][0],
                                     "rise": float((states(run)["position"][:, -1, 2]).max() - 0.5)} for law, run in runs.items()}
            box = {"type": "box", "half": [0.2625, 0.2625, 0.5]}
            cells[f"μ = {mu:g}"] = [ground(), *copies(runs, Painleve.INSTANTS, box,
                                                      {"exact": (0, -0.5, 0), "relaxed": (0, 0.5, 0)})]
        why = drawn(context, lambda: strobe_grid(context, "painleve", cells, "--size 900x480 --zoom 1.2"))
        return {"mu": rows, "why": why}

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        rows = [[mu, *(f"{cell[law]['tilt']:.4g}°, x = {cell[law]['x']:.4f} m, centre rises {metres(cell[law]['rise'])}"
                       for law in LAWS)] for mu, cell in data["mu"].items()]
        return (figure_line("painleve", data["why"]) + "\n\nBox 0.525 × 0.525 × 1 m at 4 m/s, at 0, 0.25, 0.55 and 1.5 s, "
                "later is darker: exact law blue, relaxed orange in the lane behind.\n\n"
                + table(["μ", "exact: final tilt", "relaxed: final tilt"], rows)
                + "\n\nIt slides to rest flat at μ 0.5 and tumbles at 0.55, as in the paper. The paper gives no dimensions; these "
                "put the edge between its two values.")


# ---- structures ----


def moment_grid(context: Context, name: str, runs: dict[str, Finished], moments: dict[str, float], look: str) -> None:
    """Rows are runs, columns are moments. Each is drawn in one picture with the first, with its camera, and cut out."""
    first, *others = (run.recording for run in runs.values())
    with tempfile.TemporaryDirectory() as folder:
        rows: list[list[Path]] = [[] for _ in runs]
        for k, instant in enumerate(moments.values()):
            for j, other in enumerate(others, 1):
                pair = Path(folder) / "pair.png"
                context.program.render([first, other], pair, f"--time {instant:.6g} {look}")
                image = plt.imread(pair)
                middle = image.shape[1] // 2
                for row, part in ((0, image[:, :middle]), (j, image[:, middle:])):
                    if len(rows[row]) == k:
                        rows[row].append(Path(folder) / f"{k}-{row}.png")
                        plt.imsave(rows[row][-1], part)
        draw.picture_grid(rows, list(runs), list(moments), context.picture(name))


def standing(run: Finished, until: float, since: float = 0.0) -> float:
    """Largest displacement of a stone or card between two instants, m."""
    import repose

    recorded = states(run)
    names = repose.Recording(str(run.recording)).body_names
    first, last = at_time(recorded, since), at_time(recorded, until)
    chosen = [k for k, name in enumerate(names) if of_structure(name)]
    moved = recorded["position"][first:last + 1, chosen] - recorded["position"][first, chosen]
    return float(np.linalg.norm(moved, axis=2).max())


@item("fig-cards", "scenes", "House of cards, three moments", "fig:cardhouse")
class Cards:
    MOMENTS = {"settled, 2 s": 2.0, "standing, 6.7 s": 6.7, "after the impact, 10 s": 10.0}

    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        runs = recorded_runs(context, with_paper_mode(10, TUNED["cards"]), "cards", 10.0, **CARDS, projectiles=True)
        rows = {law: {"settling": standing(run, 2.0), "standing": standing(run, 6.7, 2.0),
                      **shares(run), "moved": moved_cards(run)} for law, run in runs.items()}
        shown = {law: run for law, run in runs.items() if law != tuned(TUNED["cards"])}
        why = drawn(context, lambda: moment_grid(context, "cards", shown, Cards.MOMENTS, "--size 1240x560 --zoom 1.1"))
        return {"laws": rows, "why": why}

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        rows = [[law, metres(r["settling"]), metres(r["standing"]), r["moved"], *share_cells(r)]
                for law, r in data["laws"].items()]
        return (figure_line("cards", data["why"]) + "\n\n26 cards, four levels, data-set layout, μ 0.8; four cubes of 0.5 m at "
                "15 m/s from the left at 6.7 s.\n\n"
                + table(["law", "settling drop to 2 s", "moved from 2 to 6.7 s", "cards moved > 0.6 m at 10 s", *SHARES], rows)
                + f"\n\n{JUDGED.format(TUNED['cards'])}\n\nThe house also stands under the relaxed law: at rest nothing slides, and the two laws agree. That the "
                "paper's MuJoCo loses it before the impact is no property of the relaxation.")


def moved_cards(run: Finished) -> int:
    return sum(body["displacement"] > 0.625 for body in run.summary["final"] if of_structure(body["name"]))


@item("fig-arch", "scenes", "Masonry arch, four moments", "fig:arch")
class Arch:
    MOMENTS = {"settling, 1 s": 1.0, "at rest, 4.9 s": 4.9, "impact, 5.15 s": 5.15, "after it, 12 s": 12.0}

    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        runs = recorded_runs(context, with_paper_mode(30, TUNED["arch"]), "arch", 12.0, **ARCH, projectiles=True)
        rows = {law: {"settling": standing(run, 3.0), "standing": standing(run, 4.9, 3.0),
                      "after": standing(run, 12.0, 5.0), **shares(run)}
                for law, run in runs.items()}
        shown = {law: run for law, run in runs.items() if law != tuned(TUNED["arch"])}
        why = drawn(context, lambda: moment_grid(context, "arch", shown, Arch.MOMENTS, "--size 1000x520 --camera front --zoom 1.25"))
        return {"laws": rows, "gamma": Arch.step_sizes(context), "why": why}

    @staticmethod
    def step_sizes(context: Context) -> list[float]:
        """γ_safe before and while the projectiles lie on the arch, kg."""
        run = context.program.run(Run.of("arch", "--outer auto --steps 320", dump_every=160, **ARCH, projectiles=True))
        islands = [max((f for f in run.problems if step in f.name), key=lambda f: f.stat().st_size) for step in ("000160", "000320")]
        return [record["gamma"] for record in context.program.solve(islands, "--outer fbf --max-outer 1")]

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        rows = [[law, metres(r["settling"]), metres(r["standing"]), metres(r["after"]), *share_cells(r)]
                for law, r in data["laws"].items()]
        return (figure_line("arch", data["why"]) + "\n\n25 stones of the data set as shipped, with gaps, μ 0.8, end stones static; "
                "five cubes of 1 m at 20 m/s onto the crown at 5 s.\n\n"
                + table(["law", "settling to 3 s", "moved from 3 to 4.9 s", "moved from 5 to 12 s", *SHARES], rows)
                + f"\n\n{JUDGED.format(TUNED['arch'])}\n\nBoth laws keep the arch up. With the step of its formula the paper's iteration is "
                "bound by 200 outers in nearly every step, and what it hands back moves the stones once they are struck. That step follows the lightest body: γ_safe "
                f"is {short(data['gamma'][0])} kg on the arch alone and {short(data['gamma'][1])} kg once the cubes touch it.")


@item("fig-scale", "scenes", "Arch of 101 stones", "fig:scale")
class Scale:
    @staticmethod
    def collect(context: Context) -> dict[str, Any]:
        seconds = context.size(60.0, 0.1)
        closed = Run.of("arch", f"--outer auto --time {seconds}", record=True, stones=101, variant="closed")
        shipped = Run.of("arch", f"--outer auto --time {context.size(20.0, 0.1)}", record=True, **{**ARCH, "stones": 101})
        runs = dict(zip(("exact start", "as shipped, with gaps"), context.program.runs([closed, shipped])))
        rows = {name: {"moved": largest_displacement(run.summary), "steps": run.summary["steps"],
                       "solved": run.summary["residual"]["solved_share"], "worst": run.summary["residual"]["r_c"]["max"],
                       "speed": max(b["last_second_speed"] for b in run.summary["final"])} for name, run in runs.items()}

        def make() -> None:
            with tempfile.TemporaryDirectory() as folder:
                files = [Path(folder) / f"{k}.png" for k in range(2)]
                for file, run, instant in zip(files, runs.values(), (60.0, 20.0)):
                    context.program.render([run.recording], file, f"--time {instant} --size 700x560 --camera front --zoom 1.2")
                draw.picture_grid([files], [""], ["exact start, 60 s", "as shipped, 20 s"], context.picture("arch-101"))

        return {"runs": rows, "why": drawn(context, make)}

    @staticmethod
    def write(context: Context, data: dict[str, Any]) -> str:
        rows = [[name, r["steps"], metres(r["moved"]), f"{short(r['speed'])} m/s", f"{r['solved']:.1%}", f"{r['worst']:.1e}"]
                for name, r in data["runs"].items()]
        return (figure_line("arch-101", data["why"]) + "\n\n"
                + table(["start", "steps", "largest displacement", "fastest in the last second", "solved to 1e-8", "worst r_c"], rows))
