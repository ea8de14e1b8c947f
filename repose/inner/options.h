// SPDX-License-Identifier: Apache-2.0
// The choice of an inner solver: the type held by InnerOptions selects it, its fields are its parameters.
#pragma once

#include <memory>
#include <string_view>
#include <variant>

#include "repose/inner/admm.h"
#include "repose/inner/apgd.h"
#include "repose/inner/bgs.h"
#include "repose/inner/clarabel.h"
#include "repose/inner/cone_qp.h"
#include "repose/inner/ipm.h"
#include "repose/inner/scs.h"

namespace repose {

using InnerOptions = std::variant<BgsOptions, ApgdOptions, AdmmOptions, IpmOptions, ClarabelOptions, ScsOptions>;

/// Makes the solver. Throws InputError, naming field and value, when an option is out of its range, and for an adapter
/// that this build lacks.
[[nodiscard]] std::unique_ptr<ConeQpSolver> make_inner(const InnerOptions& options);

/// Returns the defaults of the solver called `name`; InputError lists the known names.
[[nodiscard]] InnerOptions inner_options(std::string_view name);

/// Returns "bgs", …: the name that inner_options() takes.
[[nodiscard]] std::string_view name(const InnerOptions& options);

}  // namespace repose
