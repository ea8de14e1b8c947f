// SPDX-License-Identifier: Apache-2.0
#include "repose/record/push_tables_internal.h"

#include <algorithm>

#include "repose/record/layout_internal.h"

namespace repose::record {
namespace {

constexpr std::size_t kBlock = 512;  // rows stored together

}  // namespace

PushWriter::PushWriter(hid_t file, Packing rest)
    : key_(file, kPushKey, {kPushKeyParts}, Packing::kDeflated, kBlock),
      values_(file, kPushValues, {kPushParts}, rest, kBlock),
      residual_(file, kRecoveryResidual),
      first_(file, kFirstPush),
      count_(file, kPushes),
      checksum_(file, kPushChecksum) {}

void PushWriter::add_step(double residual, std::span<const OverlapPush> pushes) {
  for (const OverlapPush& p : pushes) {
    for (const int x : {p.round, p.island, p.body_a, p.body_b, p.shape_a, p.shape_b, static_cast<int>(p.moved)})
      key_.put(x);
    put(values_, p.position), put(values_, p.normal);
    for (const double x : {p.gap, p.allowed, p.lambda}) values_.put(x);
  }
  residual_.put(residual);
  first_.put(written_);
  count_.put(static_cast<int>(pushes.size()));
  written_ += static_cast<std::int64_t>(pushes.size());
  checksum_.put(checksum_of({&key_, &values_, &residual_, &first_, &count_}));
}

std::vector<Table*> PushWriter::tables() { return {&key_, &values_, &residual_, &first_, &count_, &checksum_}; }

bool has_pushes(const Reader& in) { return in.has(kPushes) && in.has(kPushValues); }

std::int64_t complete_push_steps(const Reader& in, std::int64_t steps) {
  for (const char* table : {kRecoveryResidual, kFirstPush, kPushes}) steps = std::min(steps, in.count(table));
  if (in.has(kPushChecksum)) steps = std::min(steps, in.count(kPushChecksum));
  const std::int64_t rows = std::min(in.count(kPushKey), in.count(kPushValues));
  const auto first = in.rows<std::int64_t>(kFirstPush, 0, steps, 1);
  const auto counts = in.rows<int>(kPushes, 0, steps, 1);
  std::vector<std::uint32_t> sums(static_cast<std::size_t>(steps), 1);
  if (in.has(kPushChecksum)) sums = in.rows<std::uint32_t>(kPushChecksum, 0, steps, 1);
  const auto is_written = [&](std::size_t k) { return sums[k] != 0 && end_within(first[k], counts[k], rows); };
  while (steps > 0 && !is_written(static_cast<std::size_t>(steps) - 1)) --steps;
  return steps;
}

std::vector<OverlapPush> read_pushes(const Reader& in, std::size_t bodies, int step) {
  std::vector<OverlapPush> found;
  const auto residual = in.rows<double>(kRecoveryResidual, step, 1, 1);
  const auto first = in.rows<std::int64_t>(kFirstPush, step, 1, 1);
  const auto count = in.rows<int>(kPushes, step, 1, 1);
  require(count[0] >= 0, in.path, ": ", kPushes, ": expected 0 or more, got ", count[0], " for step ", step);
  const auto key = in.rows<int>(kPushKey, first[0], count[0], kPushKeyParts);
  const auto values = in.rows<double>(kPushValues, first[0], count[0], kPushParts);
  const std::uint32_t sum = checksum(checksum(checksum(0, key), values), residual);
  in.check_rows(kPushChecksum, 0, 1, "pushes of step", step, {checksum(checksum(sum, first), count)});
  for (std::size_t k = 0; k < static_cast<std::size_t>(count[0]); ++k) {
    const int* id = &key[kPushKeyParts * k];
    require(std::min(id[2], id[3]) >= 0 && static_cast<std::size_t>(std::max(id[2], id[3])) < bodies, in.path,
            ": step ", step, ", push ", k, ": expected bodies of the scene, got ", id[2], " and ", id[3]);
    const double* x = &values[kPushParts * k];
    found.push_back({id[0],
                     id[1],
                     id[2],
                     id[3],
                     id[4],
                     id[5],
                     id[6] != 0,
                     {x[0], x[1], x[2]},
                     {x[3], x[4], x[5]},
                     x[6],
                     x[7],
                     x[8]});
  }
  return found;
}

}  // namespace repose::record
