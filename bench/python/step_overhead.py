# SPDX-License-Identifier: Apache-2.0
"""What a step from Python costs beyond the same step from C++: the one-cube scene, µs.   step_overhead.py [ROUNDS] [--json FILE]

repose.step(model, data) a thousand times against repose.step(model, data, n=1000), whose loop is C++'s, in CPU time of the
thread. Of either the best round counts: the rest is what else the machine was doing.
"""
import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import repose

sys.path.append(str(Path(__file__).resolve().parents[1]))
import provenance  # noqa: E402

LIMIT = 2.0  # µs


def measure(rounds):
    """µs per step from Python and from C++, one value per round."""
    model = repose.scenes.launched_cube()
    data = repose.Data(model)
    repose.step(model, data, n=2000)
    single, together = [], []
    for _ in range(rounds):
        start = time.thread_time()
        for _ in range(1000):
            repose.step(model, data)
        middle = time.thread_time()
        repose.step(model, data, n=1000)
        single.append((middle - start) * 1e3)
        together.append((time.thread_time() - middle) * 1e3)
    return single, together


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rounds", nargs="?", type=int, default=101)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also keep the numbers")
    given = parser.parse_args()
    single, together = measure(given.rounds)
    overhead = min(single) - min(together)
    print(f"one step from C++ {min(together):.2f} µs, from Python {min(single):.2f} µs: {overhead:.2f} µs more, allowed {LIMIT} µs; "
          f"medians {statistics.median(together):.2f} and {statistics.median(single):.2f} µs")
    if given.json:
        document = {"benchmark": "python", "provenance": provenance.ask(), "rounds": given.rounds, "cpp_us": min(together),
                    "python_us": min(single), "cpp_us_median": statistics.median(together), "python_us_median": statistics.median(single)}
        given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return overhead > LIMIT


if __name__ == "__main__":
    sys.exit(main())
