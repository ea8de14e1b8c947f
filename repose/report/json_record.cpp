// SPDX-License-Identifier: Apache-2.0
#include "repose/report/json_record_internal.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include "repose/base/atomic_file.h"
#include "repose/base/error.h"

namespace repose::report {

void JsonRecord::put(const char* key, double value) {
  if (std::isfinite(value)) {
    object_[key] = value;  // written with as many digits as bring back the same bits
    return;
  }
  object_[key] = nullptr;
  if (!why_.empty()) why_ += ", ";
  (why_ += key) += std::isnan(value) ? " is not a number" : " is infinite";
}

void JsonRecord::put(const Certificate& certificate) {
  put("r_c", certificate.r_c());
  put("force", certificate.residual.force);
  put("velocity", certificate.residual.velocity);
  put("gap", certificate.residual.gap);
  put("nat", certificate.nat);
}

Json JsonRecord::finish() {
  if (!why_.empty()) object_["why"] = why_;
  return std::move(object_);
}

void write_json(const std::string& target, const Json& value) {
  // File names need not be UTF-8; JSON has to be.
  const std::string text = value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  if (target != "-") return files::write_atomically(target, text);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  require(written, "standard output: expected a place that can be written, got an error while writing");
}

}  // namespace repose::report
