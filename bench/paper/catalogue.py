# SPDX-License-Identifier: Apache-2.0
"""All items, registered in the order of these lines."""
from paper import incline, pictures, performance, convergence, gamma, best, controls  # noqa: F401
from paper import implicit, stability, heap, differences  # noqa: F401
