# SPDX-License-Identifier: Apache-2.0
"""A cube on a slope sticks if and only if μ ≥ tan(slope): the threshold, found by bisection.   incline_threshold.py"""
import math

import repose


def slides(mu: float, slope: float) -> bool:
    run = repose.run("incline", mu=mu, slope=slope, time=0.5)
    assert run.residual.solved_share == 1.0
    return run.final[0]["last_second_speed"] > 1e-6


def threshold(slope: float) -> float:
    low, high = 0.0, 2.0
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if slides(middle, slope) else (low, middle)
    return high


if __name__ == "__main__":
    print("slope   tan(slope)   threshold of μ")
    for degrees in (10, 20, 30, 40):
        slope = math.tan(math.radians(degrees))
        print(f"{degrees:4d}°  {slope:10.6f}  {threshold(slope):14.6f}")
