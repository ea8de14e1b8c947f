// SPDX-License-Identifier: Apache-2.0
// Replaces operator new in this executable, so that tests can count what solve() claims.
#define REPOSE_COUNT_ALLOCATIONS
#include "tests/support/allocation_counter.h"
