// SPDX-License-Identifier: Apache-2.0
// Contact islands: groups of moving bodies that touch each other, directly or through others. Bodies that do not move
// freely separate islands. The order depends on the contacts only: islands by their first body, patches as given.
#pragma once

#include <span>
#include <vector>

namespace repose {

/// All contacts between two bodies of one pair of shapes: contacts first .. first + count.
struct Patch {
  int body_a = 0, body_b = 0;
  int first = 0, count = 0;
  bool operator==(const Patch&) const = default;
};

class Islands {
 public:
  /// `moves[body]`: dynamic. Does not allocate when there were as many bodies and patches before.
  void build(std::span<const char> moves, std::span<const Patch> patches);

  [[nodiscard]] int count() const { return static_cast<int>(body_start_.size()) - 1; }
  /// The bodies of an island, ascending; its place in this list is a body's node.
  [[nodiscard]] std::span<const int> bodies(int island) const { return part(bodies_, body_start_, island); }
  /// Indices into the patches, ascending.
  [[nodiscard]] std::span<const int> patches(int island) const { return part(patches_, patch_start_, island); }
  /// Place of a moving body in its island; kStaticBody (−1) for all others.
  [[nodiscard]] std::span<const int> nodes() const { return node_; }

 private:
  [[nodiscard]] static std::span<const int> part(const std::vector<int>& all, const std::vector<int>& start, int k) {
    const auto first = static_cast<std::size_t>(start[static_cast<std::size_t>(k)]);
    const auto last = static_cast<std::size_t>(start[static_cast<std::size_t>(k) + 1]);
    return std::span(all).subspan(first, last - first);
  }
  int root(int body);
  void join(int a, int b);
  void number_islands(std::span<const Patch> patches);

  std::vector<int> parent_, island_, node_, bodies_, patches_, body_start_{0}, patch_start_{0};
  std::vector<char> touched_;
};

}  // namespace repose
