# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of textbooks against their known answers: errors by step size and their order.   mechanisms.py [--json FILE]

Velocities of semi-implicit Euler belong to the middle between two positions. A run that starts with the velocities of t = 0 is
therefore late by half a step, an error of first order; one that starts with those of −dt/2 shows the order of the method.
"""
import argparse
import json
import sys
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1])]
import provenance  # noqa: E402
from textbook import axis_cases, planar, planar_cases, spatial_cases  # noqa: E402

ODE, CLOSED = "DOP853, 1e-12", "closed form"
PLANAR = {"pendulum": (planar_cases.pendulum, 2.0, 0.02), "double pendulum": (planar_cases.double_pendulum, 1.0, 0.01),
          "slider-crank": (planar_cases.slider_crank, 1.0, 0.005), "four-bar": (planar_cases.four_bar, 1.0, 0.01)}
SPATIAL = {"spinning top, steady precession": (spatial_cases.Top, CLOSED, 0.01), "flyball governor": (spatial_cases.Governor, ODE, 0.01),
           "Bricard linkage, 6 redundant hinges": (spatial_cases.Bricard, ODE, 0.01)}
ROWS = {1: 10.0, 10: 10.0, 40: 2.0}  # four-bars in a row: s
HALVINGS = 4


class Row:
    """Errors of one quantity for the steps dt, dt/2, … and the worst of what the runs reported."""

    def __init__(self, name, answer, quantity, dt):
        self.data = {"mechanism": name, "answer": answer, "quantity": quantity, "dt": [dt / 2**k for k in range(HALVINGS)],
                     "errors": [], "joint_error": 0.0, "not_solved": 0}

    def add(self, error, joint_error, data):
        self.data["errors"].append(float(error))
        self.data["joint_error"] = max(self.data["joint_error"], joint_error)
        self.data["not_solved"] += data.unsolved_steps + data.accepted_steps

    def done(self):
        errors = self.data["errors"]
        self.data["order"] = float(np.log2(errors[-2] / errors[-1]))
        return self.data

    def text(self):
        d = self.data
        return [d["mechanism"], d["quantity"], d["answer"], f"{1e3 * d['dt'][0]:g}", *[f"{e:.1e}" for e in d["errors"]],
                f"{d['order']:.2f}", f"{d['joint_error']:.0e}", str(d["not_solved"])]


def planar_rows():
    for name, (make, time, dt) in PLANAR.items():
        mechanism = make()
        goal, _ = mechanism.reference(time)
        for staggered in (False, True):
            row = Row(name, ODE, "mass centres, m" + (", start at −dt/2" if staggered else ""), dt)
            for step in row.data["dt"]:
                data, worst, q = planar.run(mechanism, step, time, staggered)
                row.add(np.abs(q - goal)[:, :2].max(), worst, data)
            yield row


def squeezer_rows():
    mechanism = planar_cases.squeezer()
    for staggered in (False, True):
        row = Row("Andrews' squeezer", "DAE test set", "seven angles, rad" + (", start at −dt/2" if staggered else ""), 6e-5)
        for step in row.data["dt"]:
            data, worst, q = planar.run(mechanism, step, 0.03, staggered)
            angles = np.linalg.solve(planar_cases.SQUEEZER_SUMS, q[:, 2])
            row.add(np.abs(angles - planar_cases.SQUEEZER_END).max(), worst, data)
        yield row


def chain_rows():
    """Rows of four-bars that pass the position where all bars lie in one line."""
    for count, time in ROWS.items():
        inertia, weight = planar_cases.row_as_pendulum(count)
        goal = solve_ivp(lambda _, s: [s[1], -weight * np.cos(s[0]) / inertia], (0, time), [np.pi / 2, -1.0],
                         method="DOP853", rtol=1e-12, atol=1e-12).y[0, -1]
        row = Row(f"{count} four-bar{'s' * (count > 1)} through the singular position", ODE, f"cranks after {time:g} s, rad", 0.01)
        for step in row.data["dt"]:
            data, worst, q = planar.run(planar_cases.four_bar_row(count), step, time)
            row.add(max(np.abs(q[:count + 1, 2] - goal).max(), np.abs(q[count + 1:, 2]).max()), worst, data)
        yield row


def spatial_rows():
    for name, (make, answer, dt) in SPATIAL.items():
        row = Row(name, answer, "mass centre, m", dt)
        for step in row.data["dt"]:
            row.add(*make().error(step))
        yield row


def axis_rows():
    row = Row("ball screw under a force", CLOSED, "distance, m", 0.01)
    for step in row.data["dt"]:
        found = axis_cases.BallScrew().error(step)
        row.add(found["exact"], found["joint_error"], found["data"])
    yield row
    row = Row("pendulum with dry friction", CLOSED, "angle of rest, rad", 0.01)
    for step in row.data["dt"]:
        case = axis_cases.FrictionPendulum()
        angle, _, _, data = case.run(step)
        row.add(abs(angle - case.stop()[0]), 0.0, data)
    yield row


def cradle_table():
    rows, text = [], []
    for gap, time, law in ((0.0, 1.0, axis_cases.cradle_at_once), (0.004, 0.2, axis_cases.cradle_one_by_one)):
        for restitution in (1.0, 0.5):
            if gap > 0 and restitution < 1:
                continue  # the balls meet again and again: no closed form for all of them
            found, data = axis_cases.cradle(gap, time=time, restitution=restitution)
            error = float(np.abs(found - law(restitution)).max())
            rows.append({"gap": gap, "restitution": restitution, "velocities": found.tolist(), "error": error,
                         "not_solved": data.unsolved_steps + data.accepted_steps})
            text.append(["touch" if gap == 0 else f"{1e3 * gap:g} mm apart", f"{restitution:g}",
                         ", ".join(f"{abs(v) if abs(v) < 5e-4 else v:.3f}" for v in found), f"{error:.0e}"])
    columns = ["five balls", "restitution", "velocities after the impact, of 1", "error to the closed form"]
    return {"title": "Newton's cradle", "columns": columns, "rows": rows, "text": text}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also keep the numbers")
    given = parser.parse_args()
    rows, text = [], []
    for make in (planar_rows, squeezer_rows, chain_rows, spatial_rows, axis_rows):
        for row in make():
            rows.append(row.done())
            text.append(row.text())
            print("  ".join(text[-1]), flush=True)
    columns = ["mechanism", "error of", "answer from", "dt, ms", "at dt", "dt/2", "dt/4", "dt/8", "order", "joint error, m", "not solved"]
    cradle = cradle_table()
    for line in cradle["text"]:
        print("  ".join(line))
    if given.json:
        document = {"benchmark": "mechanisms", "provenance": provenance.ask(), "quick": False, "complete": True,
                    "tables": [{"title": "Mechanisms of textbooks", "columns": columns, "rows": rows, "text": text}, cradle],
                    "notes": []}
        given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
