// SPDX-License-Identifier: Apache-2.0
#include "repose/stage/packed_sweeps.h"

#include <algorithm>
#include <cmath>

namespace repose {
namespace {

constexpr double kLargestMomentum = 0.995;
constexpr std::size_t kOpenBundles =
    48;  // bundles that a patch may join: patches stay near their neighbours in the order

/// Turns rows into columns: y[j][i] = x[i][j].
void transpose(const Pack (&x)[8], Pack (&y)[8]) {
  Pack s[8], t[8];
  for (int i = 0; i < 8; i += 2) {
    s[i] = __builtin_shufflevector(x[i], x[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    s[i + 1] = __builtin_shufflevector(x[i], x[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += 4)
    for (int k = 0; k < 2; ++k) {
      t[i + k] = __builtin_shufflevector(s[i + k], s[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      t[i + k + 2] = __builtin_shufflevector(s[i + k], s[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int k = 0; k < 4; ++k) {
    y[k] = __builtin_shufflevector(t[k], t[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    y[k + 4] = __builtin_shufflevector(t[k], t[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

}  // namespace

bool PackedSweeps::suits(const ContactProblem& problem) {
  const auto* form = std::get_if<BodyForm>(&problem.form());
  return form != nullptr && form->further().empty() && problem.sets().plain();
}

bool PackedSweeps::same_graph() const {
  if (static_cast<int>(ends_.size()) != form_->size() || static_cast<int>(response_.size()) != form_->nodes())
    return false;
  for (int i = 0; i < form_->size(); ++i)
    if (!(form_->ends(i) == ends_[static_cast<std::size_t>(i)])) return false;
  return true;
}

void PackedSweeps::bind(const BodyForm& form, const ContactProblem& problem) {
  form_ = &form;
  problem_ = &problem;
  loaded_ = false;
  if (same_graph()) return;
  ends_.clear();
  for (int i = 0; i < form.size(); ++i) ends_.push_back(form.ends(i));
  response_.assign(static_cast<std::size_t>(form.nodes()), Node{});
  find_patches();
  form_bundles();
  slots_.resize(contact_.size() / kLanes);
  states_.resize(contact_.size() / kLanes);
}

void PackedSweeps::find_patches() {
  patches_.clear();
  for (int i = 0; i < form_->size(); ++i) {
    const BodyForm::Ends ends = form_->ends(i);
    if (!patches_.empty() && patches_.back().ends == ends)
      ++patches_.back().count;
    else
      patches_.push_back({i, 1, ends});
  }
}

/// Whether a bundle has a free lane and none of the patch's bodies. Static bodies do not count: they stay at rest.
bool PackedSweeps::fits(const Bundle& bundle, const Patch& patch) const {
  if (bundle.lanes == kLanes || bundle.count != patch.count) return false;
  const int ground = form_->bodies();
  for (int lane = 0; lane < bundle.lanes; ++lane)
    for (const int end : {patch.ends.a, patch.ends.b})
      if (end < ground && (bundle.a[lane] == end || bundle.b[lane] == end)) return false;
  return true;
}

/// Puts every patch into the first bundle of the last kOpenBundles that takes it, patches with the same number of
/// contacts together; what is left of a bundle stays empty.
void PackedSweeps::form_bundles() {
  order_.resize(patches_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) order_[k] = static_cast<int>(k);
  std::stable_sort(order_.begin(), order_.end(), [&](int p, int q) {
    return patches_[static_cast<std::size_t>(p)].count > patches_[static_cast<std::size_t>(q)].count;
  });
  bundles_.clear();
  contact_.clear();
  for (const int p : order_) {
    const Patch& patch = patches_[static_cast<std::size_t>(p)];
    std::size_t k = bundles_.size() > kOpenBundles ? bundles_.size() - kOpenBundles : 0;
    while (k < bundles_.size() && !fits(bundles_[k], patch)) ++k;
    if (k == bundles_.size()) {
      Bundle& added = bundles_.emplace_back();
      std::fill(std::begin(added.a), std::end(added.a), form_->bodies());
      std::fill(std::begin(added.b), std::end(added.b), form_->bodies());
      added.first = static_cast<int>(contact_.size()) / kLanes;
      added.count = patch.count;
      contact_.resize(contact_.size() + static_cast<std::size_t>(patch.count * kLanes), -1);
    }
    Bundle& bundle = bundles_[k];
    for (int c = 0; c < patch.count; ++c)
      contact_[static_cast<std::size_t>((bundle.first + c) * kLanes + bundle.lanes)] = patch.first + c;
    bundle.a[bundle.lanes] = patch.ends.a;
    bundle.b[bundle.lanes] = patch.ends.b;
    ++bundle.lanes;
  }
}

/// Copies rows and local laws into the slots, before the first sweep only. An empty lane is an open contact.
void PackedSweeps::load() {
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    Slot& slot = slots_[s];
    slot = Slot{};
    for (int lane = 0; lane < kLanes; ++lane) {
      const int i = contact_[s * kLanes + static_cast<std::size_t>(lane)];
      if (i < 0) continue;
      const Mat3 W = form_->diagonal_block(i);
      slot.law.set(lane, W, problem_->sets().mu()[static_cast<std::size_t>(i)]);
      slot.rho[lane] = problem_->sets().rho(i, trace(W));
      const BodyForm::Rows& J = form_->rows(i);
      for (int r = 0; r < 3; ++r)
        for (int axis = 0; axis < kAxes; ++axis) {
          slot.a[r][axis][lane] = J.a[r][axis];
          slot.b[r][axis][lane] = J.b[r][axis];
        }
    }
  }
  loaded_ = true;
}

void PackedSweeps::start(const ContactArray& lambda) {
  if (!loaded_) load();
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    State& state = states_[s];
    state = State{};
    for (int lane = 0; lane < kLanes; ++lane) {
      const int i = contact_[s * kLanes + static_cast<std::size_t>(lane)];
      if (i < 0) continue;
      const ContactVec l = lambda[i], v = problem_->v_free()[static_cast<std::size_t>(i)];
      state.x.t1[lane] = l.t1, state.x.t2[lane] = l.t2, state.x.n[lane] = l.n;
      slots_[s].v_free.t1[lane] = v.t1, slots_[s].v_free.t2[lane] = v.t2, slots_[s].v_free.n[lane] = v.n;
    }
    state.y = state.z = state.x;
  }
  best_change_ = HUGE_VAL;
  refresh();
}

void PackedSweeps::store(ContactArray& lambda) const {
  for (std::size_t s = 0; s < slots_.size(); ++s)
    for (int lane = 0; lane < kLanes; ++lane) {
      const int i = contact_[s * kLanes + static_cast<std::size_t>(lane)];
      const ContactPack& x = states_[s].x;
      if (i >= 0) lambda.set(i, {x.t1[lane], x.t2[lane], x.n[lane]});
    }
}

PackedSweeps::Bodies PackedSweeps::load_bodies(const Bundle& bundle) const {
  Bodies bodies;
  const auto load = [&](const int(&nodes)[kLanes], Pack(&to)[kAxes]) {
    Pack rows[kLanes], columns[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) rows[lane] = response_[static_cast<std::size_t>(nodes[lane])];
    transpose(rows, columns);
    std::copy(columns, columns + kAxes, to);
  };
  load(bundle.a, bodies.a);
  load(bundle.b, bodies.b);
  return bodies;
}

void PackedSweeps::save_bodies(const Bundle& bundle, const Bodies& bodies) {
  const auto save = [&](const int(&nodes)[kLanes], const Pack(&from)[kAxes]) {
    Pack rows[kLanes]{}, columns[kLanes];
    std::copy(from, from + kAxes, rows);
    transpose(rows, columns);
    for (int lane = 0; lane < kLanes; ++lane) response_[static_cast<std::size_t>(nodes[lane])] = columns[lane];
  };
  save(bundle.a, bodies.a);
  save(bundle.b, bodies.b);
}

ContactPack PackedSweeps::gather(const Slot& slot, const Bodies& bodies) {
  const auto row = [&](int r) {
    auto of_a = in_registers(slot.a[r][0]) * in_registers(bodies.a[0]);
    auto of_b = in_registers(slot.b[r][0]) * in_registers(bodies.b[0]);
    for (int axis = 1; axis < kAxes; ++axis) {
      of_a = plus_product(of_a, in_registers(slot.a[r][axis]), in_registers(bodies.a[axis]));
      of_b = plus_product(of_b, in_registers(slot.b[r][axis]), in_registers(bodies.b[axis]));
    }
    Pack v;
    repose::store(of_a + of_b, v);
    return v;
  };
  return {row(0), row(1), row(2)};
}

void PackedSweeps::scatter(const Slot& slot, ContactPack lambda, Bodies& bodies) {
  const Pack along[3] = {lambda.t1, lambda.t2, lambda.n};
  for (int axis = 0; axis < kAxes; ++axis) {
    auto a = in_registers(bodies.a[axis]), b = in_registers(bodies.b[axis]);
    for (int r = 0; r < 3; ++r) {
      a = plus_product(a, in_registers(slot.a[r][axis]), in_registers(along[r]));
      b = plus_product(b, in_registers(slot.b[r][axis]), in_registers(along[r]));
    }
    repose::store(a, bodies.a[axis]);
    repose::store(b, bodies.b[axis]);
  }
}

void PackedSweeps::refresh() {
  std::fill(response_.begin(), response_.end(), Node{});
  for (const Bundle& bundle : bundles_) {
    Bodies bodies = load_bodies(bundle);
    for (int s = bundle.first; s < bundle.first + bundle.count; ++s)
      scatter(slots_[static_cast<std::size_t>(s)], states_[static_cast<std::size_t>(s)].y, bodies);
    save_bodies(bundle, bodies);
  }
}

/// z ← sweep(y); the response is updated to that of z. Returns Σ ρ ‖y − z‖².
double PackedSweeps::sweep() {
  Pack change{};
  for (const Bundle& bundle : bundles_) {
    Bodies bodies = load_bodies(bundle);
    for (int s = bundle.first; s < bundle.first + bundle.count; ++s) {
      const Slot& slot = slots_[static_cast<std::size_t>(s)];
      State& state = states_[static_cast<std::size_t>(s)];
      const ContactPack b = gather(slot, bodies) + slot.v_free - slot.law.times(state.y);
      state.z = slot.law.solve(b, state.rate);
      const ContactPack d = state.z - state.y;
      change += slot.rho * squared_norm(d);
      scatter(slot, d, bodies);
    }
    save_bodies(bundle, bodies);
  }
  return sum(change);
}

/// y ← z + b (z − x), x ← z; updates the response.
void PackedSweeps::extrapolate(bool restart) {
  const Pack zero{};
  for (const Bundle& bundle : bundles_) {
    Bodies bodies = load_bodies(bundle);
    for (int s = bundle.first; s < bundle.first + bundle.count; ++s) {
      State& state = states_[static_cast<std::size_t>(s)];
      const ContactPack step = state.z - state.x;
      const PackMask turned = dot(state.y - state.z, step) > zero;
      state.momentum = restart ? Count{} : turned ? state.momentum >> 1 : state.momentum + 1;
      const Pack k = __builtin_convertvector(state.momentum, Pack);
      const Pack b = select(state.z.n > zero, smaller(k / (k + 3.0), broadcast(kLargestMomentum)), zero);
      const ContactPack d = b * step;
      state.y = state.z + d;
      state.x = state.z;
      scatter(slots_[static_cast<std::size_t>(s)], d, bodies);
    }
    save_bodies(bundle, bodies);
  }
}

double PackedSweeps::sweep_momentum(double restart_factor) {
  const double change = sweep();
  const bool restart = change > restart_factor * best_change_;
  extrapolate(restart);
  best_change_ = restart ? HUGE_VAL : std::min(best_change_, change);
  return change;
}

}  // namespace repose
