// SPDX-License-Identifier: Apache-2.0
// Places of the arrays of a batch in memory.
#pragma once

#include "repose/batch/tables_internal.h"

namespace repose::batch {

[[nodiscard]] StateLayout make_state_layout(const Capacity& capacity);
/// `threads`: of a team.
/// `found`: room for at least so many contact points during collision, which are shared out equally among the pairs.
[[nodiscard]] WorkLayout make_work_layout(const Capacity& capacity, int threads, int found = 0);

}  // namespace repose::batch
