# SPDX-License-Identifier: Apache-2.0
"""What a step from Python costs beyond the same step from C++: the one-cube scene, µs.   step_overhead.py [ROUNDS]

repose.step(model, data) a thousand times against repose.step(model, data, n=1000), whose loop is C++'s, in CPU time of the
thread. Of either the best round counts: the rest is what else the machine was doing.
"""
import statistics
import sys
import time

import repose

LIMIT = 2.0  # µs

model = repose.scenes.launched_cube()
data = repose.Data(model)
repose.step(model, data, n=2000)
single, together = [], []
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 101):
    start = time.thread_time()
    for _ in range(1000):
        repose.step(model, data)
    middle = time.thread_time()
    repose.step(model, data, n=1000)
    single.append((middle - start) * 1e3)
    together.append((time.thread_time() - middle) * 1e3)
overhead = min(single) - min(together)
print(f"one step from C++ {min(together):.2f} µs, from Python {min(single):.2f} µs: {overhead:.2f} µs more, allowed {LIMIT} µs; "
      f"medians {statistics.median(together):.2f} and {statistics.median(single):.2f} µs")
sys.exit(overhead > LIMIT)
