// SPDX-License-Identifier: Apache-2.0
// Tables of one type of number, and how vectors are put into them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "repose/math/pose.h"
#include "repose/math/vec3.h"
#include "repose/record/checksum_internal.h"
#include "repose/record/hdf5_file_internal.h"
#include "repose/set/contact_vec.h"

namespace repose::record {

template <class Value>
struct ValueTable : Table {
  ValueTable(hid_t file, const std::string& path, std::vector<std::size_t> shape = {}, Packing packing = Packing::kNone,
             std::size_t block_rows = kStepRows)
      : Table(file, path, hdf5_type<Value>(), sizeof(Value), std::move(shape), packing, block_rows) {}
};
using DoubleTable = ValueTable<double>;

inline void put(Table& table, Vec3 v) { table.put(v.x), table.put(v.y), table.put(v.z); }
inline void put(Table& table, Quat q) { table.put(q.w), table.put(q.x), table.put(q.y), table.put(q.z); }
inline void put(Table& table, ContactVec v) { table.put(v.t1), table.put(v.t2), table.put(v.n); }

/// Returns the checksum of the new rows of these tables, table by table.
[[nodiscard]] inline std::uint32_t checksum_of(std::initializer_list<Table*> tables) {
  std::uint32_t sum = 0;
  for (Table* table : tables) sum = table->checksum_new(sum);
  return stored_checksum(sum);
}

inline Vec3 vec(const std::vector<double>& x, std::size_t k) { return {x[3 * k], x[3 * k + 1], x[3 * k + 2]}; }
inline Quat quat(const std::vector<double>& x, std::size_t k) {
  return {x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3]};
}
inline ContactVec impulse(const std::vector<double>& x, std::size_t k) {
  return {x[3 * k], x[3 * k + 1], x[3 * k + 2]};
}

}  // namespace repose::record
