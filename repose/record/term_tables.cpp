// SPDX-License-Identifier: Apache-2.0
#include "repose/record/term_tables_internal.h"

#include <algorithm>

#include "repose/record/layout_internal.h"

namespace repose::record {
namespace {

constexpr std::size_t kBlock = 512;  // rows stored together

void put_state(Table& table, const BodyState& s) {
  put(table, s.centre), put(table, s.rotation), put(table, s.velocity), put(table, s.angular_velocity);
}

}  // namespace

TermWriter::TermWriter(hid_t file, Packing rest)
    : key_(file, kTermKey, {2}, Packing::kDeflated, kBlock),
      values_(file, kTermValues, {kTermParts}, rest, kBlock),
      recovery_(file, kRecovery, {kRecoveryParts}),
      first_(file, kFirstTerm),
      count_(file, kTerms),
      checksum_(file, kTermChecksum) {}

void TermWriter::add_step(const StepReport& report, std::span<const BodyTerm> terms) {
  for (const BodyTerm& term : terms) {
    key_.put(static_cast<int>(term.kind)), key_.put(term.body);
    if (term.kind == BodyTerm::Kind::kChange) {
      put_state(values_, term.start);
      continue;
    }
    put(values_, term.linear), put(values_, term.angular);
    for (std::size_t k = 6; k < kTermParts; ++k) values_.put(0.0);
  }
  for (const int x : {report.recoveries, report.recoveries_unsolved, report.pairs_missed}) recovery_.put(x);
  first_.put(written_);
  count_.put(static_cast<int>(terms.size()));
  written_ += static_cast<std::int64_t>(terms.size());
  checksum_.put(checksum_of({&key_, &values_, &recovery_, &first_, &count_}));
}

std::vector<Table*> TermWriter::tables() { return {&key_, &values_, &recovery_, &first_, &count_, &checksum_}; }

std::int64_t complete_term_steps(const Reader& in, std::int64_t steps) {
  for (const char* table : {kRecovery, kFirstTerm, kTerms}) steps = std::min(steps, in.count(table));
  if (in.has(kTermChecksum)) steps = std::min(steps, in.count(kTermChecksum));
  const std::int64_t rows = std::min(in.count(kTermKey), in.count(kTermValues));
  const auto first = in.rows<std::int64_t>(kFirstTerm, 0, steps, 1);
  const auto counts = in.rows<int>(kTerms, 0, steps, 1);
  std::vector<std::uint32_t> sums(static_cast<std::size_t>(steps), 1);
  if (in.has(kTermChecksum)) sums = in.rows<std::uint32_t>(kTermChecksum, 0, steps, 1);
  const auto is_written = [&](std::size_t k) { return sums[k] != 0 && end_within(first[k], counts[k], rows); };
  while (steps > 0 && !is_written(static_cast<std::size_t>(steps) - 1)) --steps;
  return steps;
}

TermStep read_terms(const Reader& in, std::size_t bodies, int step) {
  TermStep found;
  const auto first = in.rows<std::int64_t>(kFirstTerm, step, 1, 1);
  const auto count = in.rows<int>(kTerms, step, 1, 1), recovery = in.rows<int>(kRecovery, step, 1, kRecoveryParts);
  require(count[0] >= 0, in.path, ": ", kTerms, ": expected 0 or more, got ", count[0], " for step ", step);
  const auto key = in.rows<int>(kTermKey, first[0], count[0], 2);
  const auto values = in.rows<double>(kTermValues, first[0], count[0], kTermParts);
  const std::uint32_t sum = checksum(checksum(checksum(0, key), values), recovery);
  in.check_rows(kTermChecksum, 0, 1, "terms of step", step, {checksum(checksum(sum, first), count)});
  found.recoveries = recovery[0], found.recoveries_unsolved = recovery[1], found.pairs_missed = recovery[2];
  for (std::size_t k = 0; k < static_cast<std::size_t>(count[0]); ++k) {
    const int kind = key[2 * k], body = key[2 * k + 1];
    require(kind >= 0 && kind <= 2 && body >= 0 && static_cast<std::size_t>(body) < bodies, in.path, ": step ", step,
            ", term ", k, ": expected a kind of 0 to 2 and a body of the scene, got ", kind, " and ", body);
    BodyTerm& term = found.terms.emplace_back();
    term.kind = static_cast<BodyTerm::Kind>(kind), term.body = body;
    const double* x = &values[kTermParts * k];
    if (term.kind == BodyTerm::Kind::kChange)
      term.start = {{x[0], x[1], x[2]}, {x[3], x[4], x[5], x[6]}, {x[7], x[8], x[9]}, {x[10], x[11], x[12]}};
    else
      term.linear = {x[0], x[1], x[2]}, term.angular = {x[3], x[4], x[5]};
  }
  return found;
}

}  // namespace repose::record
