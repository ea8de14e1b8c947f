// SPDX-License-Identifier: Apache-2.0
// The choice of an inner solver: the type held by InnerOptions is the choice, its fields are the knobs.
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

/// Throws InputError, naming field and value, when an option is out of its range, and for an adapter that this build
/// does not have.
[[nodiscard]] std::unique_ptr<ConeQpSolver> make_inner(const InnerOptions& options);

/// The defaults of the solver called `name`; InputError lists the names there are.
[[nodiscard]] InnerOptions inner_options(std::string_view name);

/// "bgs", …: the name that inner_options() knows it by.
[[nodiscard]] std::string_view name(const InnerOptions& options);

}  // namespace repose
