// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of the file formats: a folder that vanishes, whole-file text, equality of problems by bits.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "repose/base/error.h"
#include "repose/base/random.h"
#include "repose/contact/problem_file.h"
#include "tests/support/complaint.h"
#include "tests/support/temporary_folder.h"

namespace repose::testing {

/// A new folder for thousands of small files: in memory, where there is a choice.
class TempFolder {
 public:
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path() / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path()), {}));
  }

 private:
  static std::filesystem::path parent() {
    const std::filesystem::path memory = "/dev/shm";
    const bool fast = std::filesystem::is_directory(memory) && ::access(memory.c_str(), W_OK) == 0;
    return fast ? memory : std::filesystem::temp_directory_path();
  }
  TemporaryFolder folder_{parent()};
};

inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}
inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}
template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

inline bool same_form(const MatrixForm& a, const MatrixForm& b) {
  if (a.size() != b.size() || a.first(a.size()) != b.first(b.size())) return false;
  for (int i = 0; i < a.size(); ++i)
    for (int s = a.first(i); s < a.first(i + 1); ++s)
      if (a.first(i) != b.first(i) || a.row(s) != b.row(s) || !same_bits(a.block(s), b.block(s))) return false;
  return true;
}
inline bool same_form(const BodyForm& a, const BodyForm& b) {
  if (a.size() != b.size() || a.bodies() != b.bodies() || !same_bits(a.roots(), b.roots())) return false;
  for (int i = 0; i < a.size(); ++i)
    if (!same_bits(a.ends(i), b.ends(i)) || !same_bits(a.rows(i), b.rows(i))) return false;
  return true;
}

/// The same form with the same numbers, to the last bit.
inline ::testing::AssertionResult same_problem(const ContactProblem& a, const ContactProblem& b) {
  if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " contacts and " << b.size();
  if (!same_bits(a.v_free(), b.v_free())) return ::testing::AssertionFailure() << "v_free differs";
  if (!same_bits(a.sets().mu(), b.sets().mu())) return ::testing::AssertionFailure() << "mu differs";
  if (a.form().index() != b.form().index()) return ::testing::AssertionFailure() << "different forms";
  const bool same = std::visit(
      [&](const auto& form) { return same_form(form, std::get<std::decay_t<decltype(form)>>(b.form())); }, a.form());
  return same ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << "W differs";
}

/// The message of the InputError that reading `path` throws; "" where it reads.
inline std::string fault_of(const std::filesystem::path& path) {
  return complaint([&] { (void)read_stored_problem(path); });
}

/// Three contacts, two of them sharing a body, in body form.
inline ContactProblem small_body_problem() {
  const std::vector<BodyInverseMass> bodies{{0.5, Mat3::diagonal(1, 2, 3)},
                                            {0.25, {{{2, 0.1, 0}, {0.1, 1, 0}, {0, 0, 5}}}}};
  const Vec3 tilted = normalized({0.1, -0.2, 1});
  const std::vector<BodyContact> contacts{point_contact(kStaticBody, {}, 0, {0.3, 0.1, -0.5}, {0, 0, 1}),
                                          point_contact(0, {0.1, 0, 0.5}, 1, {0.2, 0.1, -0.4}, tilted),
                                          point_contact(kStaticBody, {}, 1, {-0.3, 0.7, -0.4}, {0, 0, 1})};
  return {BodyForm(bodies, contacts), {{0.1, -0.2, -1}, {0, 1.0 / 3, 0.5}, {1e-30, -0.0, -2}}, {0.3, 0, 1.6}};
}

/// A random W of `contacts` with some blocks missing, not symmetric.
inline ContactProblem random_matrix_problem(int contacts, std::uint64_t seed) {
  Random random(seed);
  std::vector<DelassusBlock> blocks;
  for (int i = 0; i < contacts; ++i)
    for (int j = 0; j < contacts; ++j)
      if (i == j || random.uniform() < 0.3) {
        DelassusBlock block{i, j, {}};
        for (auto& row : block.value.m)
          for (double& x : row) x = random.uniform(-1, 1);
        blocks.push_back(block);
      }
  std::vector<ContactVec> v(static_cast<std::size_t>(contacts));
  std::vector<double> mu(v.size());
  for (auto& x : v) x = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  for (auto& m : mu) m = random.uniform(0, 2);
  return {MatrixForm(contacts, blocks), v, mu};
}

}  // namespace repose::testing
