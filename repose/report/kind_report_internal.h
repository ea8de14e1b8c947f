// SPDX-License-Identifier: Apache-2.0
// An entry of a registry as JSON: what `repose scenes --json` lists and the viewer's form is made of.
#pragma once

#include "repose/base/registry.h"
#include "repose/report/json_record_internal.h"

namespace repose::report {

[[nodiscard]] Json kind_record(const Kind& kind);

}  // namespace repose::report
