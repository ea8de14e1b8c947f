// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <span>

#include "repose/report/solve_report_internal.h"

namespace repose::report {
namespace {

Json stage_records(const OuterReport& report) {
  Json list = Json::array();
  for (const Stage& stage : report.stages) {
    JsonRecord record;
    record.put("method", stage.method);
    record.put("iterations", stage.iterations);
    record.put("worst", stage.worst);
    list.push_back(record.finish());
  }
  return list;
}

/// What became of the sweeps, and where the time went.
Json swept_record(const Solved& solved) {
  const SweptReport& swept = solved.swept;
  JsonRecord record;
  record.put("name", solved.device);
  record.put("solved", swept.solved);
  record.put("sweeps", swept.sweeps);
  record.put("residual", swept.worst);
  record.put("launches", swept.launches);
  record.put("build_ms", swept.build_ms);
  record.put("transfer_ms", swept.transfer_ms);
  record.put("sweep_ms", swept.sweep_ms);
  record.put("finish_ms", swept.finish_ms);
  return record.finish();
}

Json history_rows(const std::vector<HistoryRow>& history) {
  Json list = Json::array();
  for (const HistoryRow& row : history) {
    JsonRecord record;
    record.put("iteration", row.iteration);
    record.put("ms", row.ms);
    record.put("r_c", row.r_c);
    record.put("nat", row.nat);
    record.put("r_c_paper", row.r_c_paper);
    list.push_back(record.finish());
  }
  return list;
}

}  // namespace

bool Solved::broke_down() const {
  return report.status == Status::kNumericalFailure || !std::isfinite(certificate.worst());
}

std::string inner_name(const FrictionOptions& options) {
  return has_inner(options.outer) ? std::string(name(options.inner)) : "none";
}

Json solve_record(const Solved& solved, const SolveFacts& facts) {
  const ContactProblem& problem = solved.stored.problem;
  JsonRecord record;
  record.put("file", solved.file);
  record.put("contacts", problem.size());
  record.put("status", to_string(solved.report.status));
  record.put(solved.certificate);
  record.put("siconos_error", solved.siconos_error);
  record.put("outer_iterations", solved.report.outer_iterations);
  record.put("inner_iterations", solved.report.inner_iterations);
  record.put("ms", solved.ms);
  record.put("outer", std::string(name(facts.options.outer)));
  record.put("inner", inner_name(facts.options));
  record.put("solved", solved.certificate.solved(facts.options.tolerance));
  record.put("tolerance", facts.options.tolerance);
  record.put("r_c_paper", solved.certificate.paper.worst());
  record.put("form", std::holds_alternative<BodyForm>(problem.form()) ? "body" : "matrix");
  record.put("format", solved.stored.facts.kind);
  record.put("forces", solved.canonical ? "canonical" : "solver");
  record.put("start", solved.from_guess ? "guess" : "zero");
  record.put("fallbacks", solved.report.fallbacks);
  record.put("stages", stage_records(solved.report));
  record.put("bind_ms", solved.bind_ms);
  record.put("cpu_ms", solved.cpu_ms);
  record.put("repeats", solved.repeats);
  record.put("threads", facts.threads);
  if (std::holds_alternative<FbfOptions>(facts.options.outer)) {
    record.put("gamma", solved.report.gamma);
    record.put("gamma_shrinks", solved.report.gamma_shrinks);
  }
  if (!solved.device.empty()) record.put("device", swept_record(solved));
  if (facts.history) record.put("history", history_rows(solved.history));
  return record.finish();
}

}  // namespace repose::report
