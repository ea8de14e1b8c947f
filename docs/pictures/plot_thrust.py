# SPDX-License-Identifier: Apache-2.0
"""Draws the line of thrust of an arch: line_of_thrust | python3 docs/pictures/plot_thrust.py docs/pictures/arch.png"""
import csv
import math
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import Polygon

RADIUS, THICKNESS = 10.0, 1.5  # the example's arch, m
STONE, EDGE, FORCE, INK = "#e9e2d0", "#8d8570", "#b5341f", "#2b2b2b"


def corner(angle, radius):
    return (-radius * math.cos(angle), radius * math.sin(angle))


def draw_stones(axes, stones):
    inner, outer = RADIUS - THICKNESS / 2, RADIUS + THICKNESS / 2
    for k in range(stones):
        a, b = math.pi * k / stones, math.pi * (k + 1) / stones
        fixed = k in (0, stones - 1)
        axes.add_patch(Polygon([corner(a, inner), corner(b, inner), corner(b, outer), corner(a, outer)],
                               facecolor="#c9c2b0" if fixed else STONE, edgecolor=EDGE, linewidth=0.9))


def main():
    rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(sys.stdin)]
    figure, axes = plt.subplots(figsize=(9, 5.2), dpi=160)
    draw_stones(axes, len(rows) + 1)
    x, z = [r["thrust_x"] for r in rows], [r["thrust_z"] for r in rows]
    axes.plot(x, z, color=FORCE, lw=2.2, marker="o", ms=3.6, label="line of thrust, from the contact impulses")
    used = max(r["friction_used"] for r in rows)
    axes.set_title(f"{len(rows) + 1} stones, {4 * len(rows)} contacts: every impulse inside its friction cone "
                   f"(at most {100 * used:.0f} % of μ used)", fontsize=11, color=INK)
    axes.legend(loc="lower center", frameon=False, fontsize=10)
    axes.set_aspect("equal")
    axes.set_xlim(-RADIUS - 1.6, RADIUS + 1.6)
    axes.set_ylim(-0.4, RADIUS + 1.6)
    axes.axis("off")
    figure.tight_layout()
    figure.savefig(sys.argv[1])


if __name__ == "__main__":
    main()
