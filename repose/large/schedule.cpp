// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "repose/large/schedule_internal.h"
#include "repose/math/scalar.h"

namespace repose::large {
namespace {

constexpr int kBits = 64;
constexpr std::size_t kAligned = 256;  // bytes, as a device allocates

/// Claims arrays one after the other.
class Claim {
 public:
  template <class T>
  std::size_t take(int count) {
    const std::size_t at = bytes_;
    bytes_ += (static_cast<std::size_t>(count) * sizeof(T) + kAligned - 1) / kAligned * kAligned;
    return at;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

void lay_out(Layout& l) {
  Claim claim;
  const int patches = kTile * l.tiles;
  l.colour_first = claim.take<int>(l.colours + 1);
  l.tile_first = claim.take<int>(l.tiles + 1);
  for (std::size_t* list : {&l.patch_a, &l.patch_b, &l.patch_contacts}) *list = claim.take<int>(patches);
  l.body_first = claim.take<int>(l.bodies + 1);
  l.body_entry = claim.take<int>(2 * l.contacts);
  l.rows = claim.take<double>(kRows * l.slots);
  l.W = claim.take<double>(6 * l.slots);
  l.mu = claim.take<double>(l.slots);
  l.v_free = claim.take<double>(3 * l.slots);
  l.inverse_rho = claim.take<double>(l.slots);
  l.constant_bytes = claim.bytes();
  l.progress = claim.take<Progress>(1);
  for (std::size_t* three : {&l.x, &l.y, &l.z, &l.best}) *three = claim.take<double>(3 * l.slots);
  l.rate = claim.take<double>(l.slots);
  l.momentum = claim.take<int>(l.slots);
  for (std::size_t* bodies : {&l.response, &l.judged}) *bodies = claim.take<double>(kBodyPlace * (l.bodies + 1));
  l.change = claim.take<double>(patches);
  l.groups = claim.take<double>(kSums * l.tiles);
  l.totals = claim.take<double>(kSums + 1);
  l.bytes = claim.bytes();
}

/// The pairs of nodes, smaller first.
std::pair<int, int> pair_of(const BodyForm& form, int contact) {
  const auto [a, b] = form.ends(contact);
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace

void Schedule::find_patches(const BodyForm& form) {
  order_.resize(static_cast<std::size_t>(form.size()));
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](int i, int j) { return pair_of(form, i) < pair_of(form, j); });
  patches_.clear();
  for (int k = 0; k < form.size(); ++k) {
    const auto [a, b] = pair_of(form, order_[static_cast<std::size_t>(k)]);
    if (patches_.empty() || patches_.back().a != a || patches_.back().b != b)
      patches_.push_back({.a = a, .b = b, .first = k});
    ++patches_.back().size;
  }
}

/// Gives every patch the first colour that no patch of its moving bodies has, those of bodies with many patches first.
void Schedule::colour_patches(int bodies) {
  std::vector<int> degree(static_cast<std::size_t>(bodies) + 1);
  for (const Patch& p : patches_) ++degree[static_cast<std::size_t>(p.a)], ++degree[static_cast<std::size_t>(p.b)];
  degree.back() = 0;  // what is static may be touched by all at the same time
  const int most = *std::max_element(degree.begin(), degree.end());
  const auto words = static_cast<std::size_t>(2 * most / kBits + 1);
  const auto degree_of = [&](const Patch& p) {
    return std::max(degree[static_cast<std::size_t>(p.a)], degree[static_cast<std::size_t>(p.b)]);
  };
  std::stable_sort(patches_.begin(), patches_.end(),
                   [&](const Patch& p, const Patch& q) { return degree_of(p) > degree_of(q); });
  std::vector<std::uint64_t> used((static_cast<std::size_t>(bodies) + 1) * words);
  layout_.colours = 0;
  for (Patch& p : patches_) {
    std::uint64_t *a = &used[static_cast<std::size_t>(p.a) * words], *b = &used[static_cast<std::size_t>(p.b) * words];
    std::size_t w = 0;
    while (~(a[w] | b[w]) == 0) ++w;
    const std::uint64_t taken = a[w] | b[w], bit = ~taken & (taken + 1);
    p.colour = static_cast<int>(w) * kBits + __builtin_ctzll(bit);
    if (p.a < bodies) a[w] |= bit;
    if (p.b < bodies) b[w] |= bit;
    layout_.colours = std::max(layout_.colours, p.colour + 1);
  }
}

/// Puts patches with about as many contacts into one tile.
void Schedule::place_patches() {
  std::sort(patches_.begin(), patches_.end(), [](const Patch& p, const Patch& q) {
    return p.colour != q.colour ? p.colour < q.colour : p.size != q.size ? p.size > q.size : p.first < q.first;
  });
  colour_first_.assign(1, 0);
  tile_first_.assign(1, 0);
  place_.clear();
  const int patches = static_cast<int>(patches_.size());
  for (int k = 0; k < patches;) {
    const Patch& first = patches_[static_cast<std::size_t>(k)];
    int in_tile = 0;
    for (; in_tile < kTile && k < patches && patches_[static_cast<std::size_t>(k)].colour == first.colour; ++in_tile)
      place_.push_back(k++);
    place_.resize((place_.size() + kTile - 1) / kTile * kTile, -1);
    tile_first_.push_back(tile_first_.back() + kTile * first.size);
    const int tiles = static_cast<int>(tile_first_.size()) - 1;
    if (k == patches || patches_[static_cast<std::size_t>(k)].colour != first.colour) colour_first_.push_back(tiles);
  }
  layout_.tiles = static_cast<int>(tile_first_.size()) - 1;
  layout_.slots = tile_first_.back();
}

void Schedule::bind(const ContactProblem& problem) {
  const auto& form = std::get<BodyForm>(problem.form());
  layout_.contacts = form.size();
  layout_.bodies = form.bodies();
  find_patches(form);
  colour_patches(form.bodies());
  place_patches();
  lay_out(layout_);
  memory_.assign(layout_.bytes, std::byte{});
  fill(problem, form);
}

void Schedule::fill(const ContactProblem& problem, const BodyForm& form) {
  std::byte* memory = memory_.data();
  const auto ints = [memory](std::size_t at) { return reinterpret_cast<int*>(memory + at); };
  const auto numbers = [memory](std::size_t at) { return reinterpret_cast<double*>(memory + at); };
  std::copy(colour_first_.begin(), colour_first_.end(), ints(layout_.colour_first));
  std::copy(tile_first_.begin(), tile_first_.end(), ints(layout_.tile_first));
  int *patch_a = ints(layout_.patch_a), *patch_b = ints(layout_.patch_b), *sizes = ints(layout_.patch_contacts);
  int *body_first = ints(layout_.body_first), *body_entry = ints(layout_.body_entry);
  double *rows = numbers(layout_.rows), *blocks = numbers(layout_.W);
  const int slots = layout_.slots;
  slot_.resize(static_cast<std::size_t>(layout_.contacts));
  for (std::size_t place = 0; place < place_.size(); ++place) {
    patch_a[place] = patch_b[place] = layout_.bodies;
    if (place_[place] < 0) continue;
    const Patch& patch = patches_[static_cast<std::size_t>(place_[place])];
    patch_a[place] = patch.a, patch_b[place] = patch.b, sizes[place] = patch.size;
    for (int k = 0; k < patch.size; ++k) {
      const int contact = order_[static_cast<std::size_t>(patch.first + k)];
      const int slot = tile_first_[place / kTile] + kTile * k + static_cast<int>(place % kTile);
      slot_[static_cast<std::size_t>(contact)] = slot;
      const BodyForm::Rows& J = form.rows(contact);
      const bool turned = form.ends(contact).a > form.ends(contact).b;
      for (int r = 0; r < 3; ++r)
        for (int axis = 0; axis < 6; ++axis) {
          rows[(6 * r + axis) * slots + slot] = (turned ? J.b : J.a)[r][axis];
          rows[(18 + 6 * r + axis) * slots + slot] = (turned ? J.a : J.b)[r][axis];
        }
      const Mat3 W = form.diagonal_block(contact);
      const double six[] = {W.m[0][0], W.m[0][1], W.m[0][2], W.m[1][1], W.m[1][2], W.m[2][2]};
      for (int c = 0; c < 6; ++c) blocks[c * slots + slot] = six[c];
      numbers(layout_.mu)[slot] = problem.sets().mu()[static_cast<std::size_t>(contact)];
      const double rho = problem.sets().rho(contact, trace(W));
      numbers(layout_.inverse_rho)[slot] = rho > 0 ? 1.0 / rho : 0.0;
      if (patch.a < layout_.bodies) ++body_first[patch.a + 1];
      if (patch.b < layout_.bodies) ++body_first[patch.b + 1];
    }
  }
  std::partial_sum(body_first, body_first + layout_.bodies + 1, body_first);
  std::vector<int> next(body_first, body_first + layout_.bodies);
  for (std::size_t place = 0; place < place_.size(); ++place)
    for (int k = 0; k < sizes[place]; ++k) {
      const int slot = tile_first_[place / kTile] + kTile * k + static_cast<int>(place % kTile);
      if (patch_a[place] < layout_.bodies) body_entry[next[static_cast<std::size_t>(patch_a[place])]++] = 2 * slot;
      if (patch_b[place] < layout_.bodies) body_entry[next[static_cast<std::size_t>(patch_b[place])]++] = 2 * slot + 1;
    }
}

void Schedule::start(const ContactProblem& problem, std::span<const ContactVec> lambda) {
  std::memset(memory_.data() + layout_.constant_bytes, 0, layout_.bytes - layout_.constant_bytes);
  const Arrays v = arrays();
  auto* v_free = reinterpret_cast<double*>(memory_.data() + layout_.v_free);
  const auto write = [&](ContactVec value, double* to, int slot) {
    to[slot] = value.t1, to[layout_.slots + slot] = value.t2, to[2 * layout_.slots + slot] = value.n;
  };
  for (std::size_t i = 0; i < slot_.size(); ++i) {
    write(problem.v_free()[i], v_free, slot_[i]);
    write(lambda[i], v.x, slot_[i]);
    write(lambda[i], v.y, slot_[i]);
    write(lambda[i], v.z, slot_[i]);
  }
  *v.progress = {};
}

void Schedule::store(std::span<ContactVec> lambda) {
  const double* best = arrays().best;
  for (std::size_t i = 0; i < slot_.size(); ++i)
    lambda[i] = {best[slot_[i]], best[layout_.slots + slot_[i]], best[2 * layout_.slots + slot_[i]]};
}

}  // namespace repose::large
