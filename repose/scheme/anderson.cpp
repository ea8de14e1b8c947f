// SPDX-License-Identifier: Apache-2.0
#include "repose/scheme/anderson.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace repose {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

double product(std::span<const ContactVec> a, std::span<const ContactVec> b) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) total += dot(a[i], b[i]);
  return total;
}

void difference(std::span<const ContactVec> a, std::span<const ContactVec> b, std::span<ContactVec> out) {
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] - b[i];
}

}  // namespace

void Anderson::bind(std::size_t contacts, int depth) {
  assert(depth >= 1 && depth <= kMaxDepth);
  depth_ = depth;
  for (auto* x : {&image_, &step_, &last_image_, &last_step_}) x->resize(contacts);
  for (int k = 0; k < depth; ++k) {
    change_of_step_[at(k)].resize(contacts);
    change_of_image_[at(k)].resize(contacts);
  }
  reset();
}

void Anderson::reset() {
  stored_ = 0;
  newest_ = -1;
  has_last_ = false;
}

void Anderson::mix(std::span<const ContactVec> lambda, std::span<const ContactVec> image, std::span<ContactVec> next) {
  std::copy(image.begin(), image.end(), image_.begin());
  difference(image, lambda, step_);
  if (has_last_) remember();
  const Small theta = weights();
  std::copy(image_.begin(), image_.end(), next.begin());
  for (int k = 0; k < stored_; ++k)
    for (std::size_t i = 0; i < next.size(); ++i) next[i] = next[i] - theta[at(k)] * change_of_image_[at(k)][i];
  last_image_.swap(image_);
  last_step_.swap(step_);
  has_last_ = true;
}

/// Stores the newest differences in place of the oldest ones.
void Anderson::remember() {
  newest_ = (newest_ + 1) % depth_;
  stored_ = std::min(stored_ + 1, depth_);
  difference(step_, last_step_, change_of_step_[at(newest_)]);
  difference(image_, last_image_, change_of_image_[at(newest_)]);
  for (int k = 0; k < stored_; ++k) {
    const double g = product(change_of_step_[at(k)], change_of_step_[at(newest_)]);
    gram_[at(k)][at(newest_)] = gram_[at(newest_)][at(k)] = g;
  }
}

/// Returns θ by Cholesky of the normal equations, columns scaled to length one. The shift bounds θ where differences
/// are nearly parallel, as they are whenever the iteration is slow.
Anderson::Small Anderson::weights() const {
  constexpr double kShift = 1e-10;
  std::array<Small, kMaxDepth> L{};
  Small scale{}, y{};
  for (int i = 0; i < stored_; ++i) {
    const double length = std::sqrt(gram_[at(i)][at(i)]);
    scale[at(i)] = length > 0 ? 1.0 / length : 0.0;
  }
  for (int i = 0; i < stored_; ++i) {
    y[at(i)] = scale[at(i)] * product(change_of_step_[at(i)], step_);
    for (int j = 0; j <= i; ++j) {
      double sum = scale[at(i)] * gram_[at(i)][at(j)] * scale[at(j)] + (i == j ? kShift : 0.0);
      for (int k = 0; k < j; ++k) sum -= L[at(i)][at(k)] * L[at(j)][at(k)];
      L[at(i)][at(j)] = i == j ? std::sqrt(std::max(sum, kShift)) : sum / L[at(j)][at(j)];
    }
    for (int k = 0; k < i; ++k) y[at(i)] -= L[at(i)][at(k)] * y[at(k)];
    y[at(i)] /= L[at(i)][at(i)];
  }
  for (int i = stored_ - 1; i >= 0; --i) {
    for (int k = i + 1; k < stored_; ++k) y[at(i)] -= L[at(k)][at(i)] * y[at(k)];
    y[at(i)] /= L[at(i)][at(i)];
  }
  for (int i = 0; i < stored_; ++i) y[at(i)] *= scale[at(i)];
  return y;
}

}  // namespace repose
