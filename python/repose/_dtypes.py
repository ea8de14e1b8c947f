# SPDX-License-Identifier: Apache-2.0
"""Structured types of the arrays that the library hands out."""
import numpy as np

#: One contact of a step. Impulses act on the second body (reversed on the first); `normal` points from the first to the
#: second; `local_impulse` and `velocity` are in the contact's frame (t1, t2, n).
CONTACT = np.dtype([
    ("body", "<i4", 2), ("shape", "<i4", 2), ("feature", "<u4"), ("mode", "<u4"),
    ("position", "<f8", 3), ("normal", "<f8", 3), ("gap", "<f8"), ("friction", "<f8"),
    ("impulse", "<f8", 3), ("local_impulse", "<f8", 3), ("velocity", "<f8", 3)])

#: One contact of the last step of a world of a batch.
BATCH_CONTACT = np.dtype([
    ("body", "<i4", 2), ("shape", "<i4", 2), ("feature", "<u4"), ("unused", "<u4"),
    ("normal", "<f8", 3), ("impulse", "<f8", 3), ("local_impulse", "<f8", 3)])

#: What the numbers of ``contacts["mode"]`` mean.
MODES = ("open", "stick", "slip")

#: One outer iteration of a solve.
HISTORY = np.dtype([("iteration", "<f8"), ("r_c", "<f8"), ("force", "<f8"), ("velocity", "<f8"), ("gap", "<f8"),
                    ("nat", "<f8")])
