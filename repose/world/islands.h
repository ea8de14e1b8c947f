// SPDX-License-Identifier: Apache-2.0
// Contact islands: groups of moving bodies that touch each other, directly or through others. Bodies that do not move
// freely separate islands. The order depends on the contacts only: islands by their first body, patches as given.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace repose {

/// All contacts of one pair of shapes: contacts [first, first + count) of the step.
struct Patch {
  int body_a = 0, body_b = 0;
  int first = 0, count = 0;
  std::uint64_t stamp = 0;  ///< of its manifold: the same geometry to the bit while it does not change; 0: none
};
/// Whether two patches are the same part of a contact graph, whatever their geometry.
[[nodiscard]] inline bool same_place(const Patch& a, const Patch& b) {
  return a.body_a == b.body_a && a.body_b == b.body_b && a.first == b.first && a.count == b.count;
}

class Islands {
 public:
  /// `moves[body]`: dynamic and present. `links`: the blocks of joints, which connect bodies like patches; their body a
  /// may be −1, the world. Does not allocate when no call before had fewer bodies and patches.
  void build(std::span<const char> moves, std::span<const Patch> patches, std::span<const Patch> links = {});

  [[nodiscard]] int count() const { return static_cast<int>(body_start_.size()) - 1; }
  /// Bodies of an island, ascending; the index of a body in this list is its node.
  [[nodiscard]] std::span<const int> bodies(int island) const { return part(bodies_, body_start_, island); }
  /// Indices into the patches, ascending.
  [[nodiscard]] std::span<const int> patches(int island) const { return part(patches_, patch_start_, island); }
  /// Indices into the links, ascending.
  [[nodiscard]] std::span<const int> links(int island) const { return part(links_, link_start_, island); }
  /// Node of every body that is in an island; kStaticBody (−1) for all others.
  [[nodiscard]] std::span<const int> nodes() const { return node_; }

 private:
  [[nodiscard]] static std::span<const int> part(const std::vector<int>& all, const std::vector<int>& start, int k) {
    const auto first = static_cast<std::size_t>(start[static_cast<std::size_t>(k)]);
    const auto last = static_cast<std::size_t>(start[static_cast<std::size_t>(k) + 1]);
    return std::span(all).subspan(first, last - first);
  }
  int root(int body);
  void join(int a, int b);
  void connect(std::span<const char> moves, std::span<const Patch> patches);
  void number_bodies();
  void sort_into_islands(std::span<const Patch> patches, std::vector<int>& sorted, std::vector<int>& start) const;

  std::vector<int> parent_, island_, node_, bodies_, patches_, links_, body_start_{0}, patch_start_{0}, link_start_{0};
  std::vector<char> touched_;
};

}  // namespace repose
