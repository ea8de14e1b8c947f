// SPDX-License-Identifier: Apache-2.0
// One function per benchmark, each in a file of its own name.
#pragma once

#include "bench/suite/context.h"

namespace repose::bench {

void run_structures(Context& context);
void run_families(Context& context);
void run_piles(Context& context);
void run_settling(Context& context);
void run_scaling(Context& context);
void run_schemes(Context& context);
void run_hard(Context& context);
void run_policy(Context& context);
void run_public(Context& context);
void run_steps(Context& context);
void run_pour(Context& context);

}  // namespace repose::bench
