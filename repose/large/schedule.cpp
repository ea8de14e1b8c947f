// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "repose/large/schedule_internal.h"

namespace repose::large {
namespace {

/// s of the weights 1 + s (n − 1) of split masses. On bricks and heaps sweeps diverge at 0.45; 0.8 and 1 take up to a
/// half more. [decision 030]
constexpr double kShare = 0.6;
/// Of a patch: a phase lasts as long as its largest patch.
constexpr int kMostContacts = 4;
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
  l.tile_first = claim.take<int>(l.tiles + 1);
  for (std::size_t* list : {&l.patch_a, &l.patch_b, &l.patch_contacts}) *list = claim.take<int>(patches);
  for (std::size_t* light : {&l.light_a, &l.light_b}) *light = claim.take<double>(patches);
  l.body_first = claim.take<int>(l.bodies + 1);
  l.body_entry = claim.take<int>(2 * patches);
  l.rows = claim.take<double>(kRows * l.slots);
  l.W = claim.take<double>(6 * l.slots);
  l.mu = claim.take<double>(l.slots);
  l.inverse_rho = claim.take<double>(l.slots);
  l.v_free = claim.take<double>(3 * l.slots);  // the last one: written by start()
  l.constant_bytes = claim.bytes();
  l.progress = claim.take<Progress>(1);
  for (std::size_t* three : {&l.x, &l.y, &l.best}) *three = claim.take<double>(3 * l.slots);
  l.rate = claim.take<double>(l.slots);
  l.momentum = claim.take<int>(l.slots);
  l.push = claim.take<double>(2 * kBodyPlace * patches);
  l.response = claim.take<double>(kBodyPlace * (l.bodies + 1));
  l.change = claim.take<double>(patches);
  l.groups = claim.take<double>((kSums + 1) * l.tiles);
  l.totals = claim.take<double>(kSums + 2);
  l.bytes = claim.bytes();
}

/// A contact and its pair of nodes, smaller first, as one number.
struct Paired {
  std::uint64_t nodes;
  int contact;
  bool operator<(const Paired& other) const {
    return nodes != other.nodes ? nodes < other.nodes : contact < other.contact;
  }
};

}  // namespace

std::vector<double> Schedule::light_of_bodies() const {
  std::vector<double> patches(static_cast<std::size_t>(layout_.bodies) + 1);
  for (const Patch& p : patches_) ++patches[static_cast<std::size_t>(p.a)], ++patches[static_cast<std::size_t>(p.b)];
  patches.back() = 1;  // what is static
  for (double& n : patches) n = 1 + kShare * (n - 1);
  return patches;
}

void Schedule::find_patches(const BodyForm& form) {
  std::vector<Paired> pairs(static_cast<std::size_t>(form.size()));
  for (int i = 0; i < form.size(); ++i) {
    const auto [a, b] = form.ends(i);
    const auto low = static_cast<std::uint64_t>(std::min(a, b)), high = static_cast<std::uint64_t>(std::max(a, b));
    pairs[static_cast<std::size_t>(i)] = {low << 32 | high, i};
  }
  if (!std::is_sorted(pairs.begin(), pairs.end())) std::sort(pairs.begin(), pairs.end());
  order_.clear(), patches_.clear();
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (k == 0 || pairs[k].nodes != pairs[k - 1].nodes || patches_.back().size == kMostContacts)
      patches_.push_back({.a = static_cast<int>(pairs[k].nodes >> 32),
                          .b = static_cast<int>(pairs[k].nodes & 0xffffffff),
                          .first = static_cast<int>(k)});
    ++patches_.back().size;
    order_.push_back(pairs[k].contact);
  }
}

/// Puts patches with about as many contacts into one tile.
void Schedule::place_patches() {
  std::stable_sort(patches_.begin(), patches_.end(), [](const Patch& p, const Patch& q) { return p.size > q.size; });
  layout_.tiles = (static_cast<int>(patches_.size()) + kTile - 1) / kTile;
  tile_first_.assign(1, 0);
  for (std::size_t k = 0; k < patches_.size(); k += kTile)
    tile_first_.push_back(tile_first_.back() + kTile * patches_[k].size);
  layout_.slots = tile_first_.back();
}

void Schedule::bind(const ContactProblem& problem) {
  const auto& form = std::get<BodyForm>(problem.form());
  layout_.contacts = form.size();
  layout_.bodies = form.bodies();
  find_patches(form);
  place_patches();
  lay_out(layout_);
  memory_.resize(layout_.bytes);
  fill_patches(problem, form);
  fill_bodies();
}

void Schedule::fill_patches(const ContactProblem& problem, const BodyForm& form) {
  const auto light = light_of_bodies();
  auto* patch_a = at<int>(layout_.patch_a);
  auto* patch_b = at<int>(layout_.patch_b);
  std::copy(tile_first_.begin(), tile_first_.end(), at<int>(layout_.tile_first));
  std::fill_n(at<int>(layout_.patch_contacts), kTile * layout_.tiles, 0);
  std::fill(patch_a, patch_a + kTile * layout_.tiles, layout_.bodies);
  std::fill(patch_b, patch_b + kTile * layout_.tiles, layout_.bodies);
  slot_.resize(static_cast<std::size_t>(layout_.contacts));
  tbb::parallel_for(std::size_t{0}, patches_.size(), [&](std::size_t k) {
    const Patch& patch = patches_[k];
    patch_a[k] = patch.a, patch_b[k] = patch.b;
    at<int>(layout_.patch_contacts)[k] = patch.size;
    const double light_a = at<double>(layout_.light_a)[k] = light[static_cast<std::size_t>(patch.a)];
    const double light_b = at<double>(layout_.light_b)[k] = light[static_cast<std::size_t>(patch.b)];
    for (int c = 0; c < patch.size; ++c) {
      const int contact = order_[static_cast<std::size_t>(patch.first + c)];
      const int slot = tile_first_[k / kTile] + kTile * c + static_cast<int>(k % kTile);
      slot_[static_cast<std::size_t>(contact)] = slot;
      fill_contact(problem, form, contact, slot, light_a, light_b);
    }
  });
}

void Schedule::fill_contact(const ContactProblem& problem, const BodyForm& form, int contact, int slot, double light_a,
                            double light_b) {
  const int slots = layout_.slots;
  double *rows = at<double>(layout_.rows) + slot, *block = at<double>(layout_.W) + slot;
  const BodyForm::Rows& J = form.rows(contact);
  const bool turned = form.ends(contact).a > form.ends(contact).b;
  for (int r = 0; r < 3; ++r)
    for (int axis = 0; axis < 6; ++axis) {
      rows[(6 * r + axis) * slots] = (turned ? J.b : J.a)[r][axis];
      rows[(18 + 6 * r + axis) * slots] = (turned ? J.a : J.b)[r][axis];
    }
  const auto product = [=](int side, int r, int c) {  // of two rows of one body
    double sum = 0;
    for (int axis = 0; axis < 6; ++axis)
      sum += rows[(18 * side + 6 * r + axis) * slots] * rows[(18 * side + 6 * c + axis) * slots];
    return sum;
  };
  double diagonal = 0;
  for (int r = 0, place = 0; r < 3; ++r)
    for (int c = r; c < 3; ++c, ++place) {
      const double of_a = product(0, r, c), of_b = product(1, r, c);
      block[place * slots] = light_a * of_a + light_b * of_b;
      if (r == c) diagonal += of_a + of_b;
    }
  const double rho = problem.sets().rho(contact, diagonal);
  at<double>(layout_.inverse_rho)[slot] = rho > 0 ? 1.0 / rho : 0.0;
  at<double>(layout_.mu)[slot] = problem.sets().mu()[static_cast<std::size_t>(contact)];
}

void Schedule::fill_bodies() {
  int *first = at<int>(layout_.body_first), *entries = at<int>(layout_.body_entry);
  std::fill_n(first, layout_.bodies + 1, 0);
  const auto each_end = [this](const auto& act) {
    for (std::size_t k = 0; k < patches_.size(); ++k) {
      if (patches_[k].a < layout_.bodies) act(patches_[k].a, 2 * static_cast<int>(k));
      if (patches_[k].b < layout_.bodies) act(patches_[k].b, 2 * static_cast<int>(k) + 1);
    }
  };
  each_end([&](int body, int) { ++first[body + 1]; });
  std::partial_sum(first, first + layout_.bodies + 1, first);
  std::vector<int> next(first, first + layout_.bodies);
  each_end([&](int body, int entry) { entries[next[static_cast<std::size_t>(body)]++] = entry; });
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
  }
  *v.progress = {};
}

void Schedule::store(std::span<ContactVec> lambda) {
  const double* best = arrays().best;
  for (std::size_t i = 0; i < slot_.size(); ++i)
    lambda[i] = {best[slot_[i]], best[layout_.slots + slot_[i]], best[2 * layout_.slots + slot_[i]]};
}

}  // namespace repose::large
