// SPDX-License-Identifier: Apache-2.0
#include "repose/inner/ipm.h"

#include "repose/contact/primal_dual_cones.h"
#include "repose/inner/cone_newton_internal.h"

namespace repose {
namespace {

constexpr double kBilateral = 1e4;  // stiffness of the bilateral constraints at the start, in units of 1/ρ
constexpr double kAnchor = 1e-8;  // proximal term about the start, in units of ρ: keeps a central path when bodies jam
constexpr double kLeastCentring = 0.02;  // lower bound of σ: keeps λ_T and v_T opposed while contacts slide
constexpr int kStalled = 8;              // iterations without a better residual before the loop ends

// Residuals below which Newton's method is tried, and its budgets of factorisations.
constexpr double kWarm = 0.1, kHandOver = 1e-5, kNextHandOver = 0.1;
constexpr int kWarmBudget = 12, kPolishBudget = 15;

/// Returns (H⁻² + g T²)⁻¹ with T² = diag(τ_t², τ_t², τ_n²): a 2×2 block and a number in the axes (n, d, d⊥).
template <class R>
struct DampedScaling {
  R nn{}, nd{}, dd{}, pp{}, d1{}, d2{};

  DampedScaling() = default;
  DampedScaling(const NesterovTodd<R>& scale, R tangent2, R normal2, R g) {
    const LorentzMap<R>& H2 = scale.square;
    const R q = H2.c * H2.c;  // det of H² in the plane (n, d)
    const R inverse = 1.0 / (1.0 + g * H2.a * (tangent2 + normal2) + g * g * tangent2 * normal2 * q);
    nn = (H2.a + g * tangent2 * q) * inverse;
    nd = H2.b * inverse;
    dd = (H2.a + g * normal2 * q) * inverse;
    pp = H2.c / (1.0 + g * tangent2 * H2.c);
    d1 = H2.d1, d2 = H2.d2;
  }
  [[nodiscard]] ContactVecT<R> operator*(ContactVecT<R> x) const {
    const R along = d1 * x.t1 + d2 * x.t2;
    const R tangent = nd * x.n + (dd - pp) * along;
    return {tangent * d1 + pp * x.t1, tangent * d2 + pp * x.t2, nn * x.n + nd * along};
  }
};

/// The diagonal scaling between λ and x.
struct Weight {
  Pack tangent{}, normal{};
  [[nodiscard]] ContactPack operator*(ContactPack x) const { return {tangent * x.t1, tangent * x.t2, normal * x.n}; }
};

template <class Form>
class IpmKernel {
 public:
  explicit IpmKernel(const IpmOptions& options) : options_(options) {}

  void bind(const BoundQp<Form>& qp) {
    require_cones(*qp.sets, "ipm", "its barrier is the cone's");
    qp_ = qp;
    residual_.bind(qp);
    system_.bind(*qp.form, kNoFactorLimit);
    newton_.bind(qp, residual_, system_);
    cones_.claim(qp.size());
    for (ContactArray* array : {&c_, &v_, &dv_, &rd_, &lambda_, &gradient_, &best_}) array->resize(qp.size());
    const auto packs = static_cast<std::size_t>(c_.packs());
    anchor_.resize(qp.size());
    damped_.resize(packs);
    D_.resize(packs);
    T_.resize(packs);
    for (auto* nodes : {&y_, &dy_, &rp_}) nodes->assign(static_cast<std::size_t>(qp.form->nodes()), Node{});
    for (std::size_t p = 0; p < packs; ++p) {
      const Pack mu = residual_.sets().pack(static_cast<int>(p)).mu, one = broadcast(1.0);
      T_[p] = {smaller(mu, one), one / larger(mu, one)};
    }
    set_prox(qp.inverse_gamma);
  }

  void set_prox(double inverse_gamma) {
    qp_.inverse_gamma = inverse_gamma;
    residual_.set_prox(inverse_gamma);
    newton_.set_prox(inverse_gamma);
    for (int p = 0; p < c_.packs(); ++p) {
      const Pack inverse = residual_.inverse_rho().pack(p);
      anchor_.pack(p) = kAnchor / select(live(p), inverse, inverse + 1.0);
    }
  }

  InnerReport solve(std::span<const ContactVec> c, std::span<ContactVec> lambda) {
    c_.load(c);
    lambda_.load(lambda);
    if (norm(c_) == 0) lambda_.resize(qp_.size());  // zero is the answer, and there is no scale to start from
    InnerReport report{.residual = HUGE_VAL};
    score(report);
    if (!report.converged && report.residual < kWarm && norm(lambda_) > 0) polish(report, kWarmBudget);
    if (!report.converged && start()) interior_point(report);
    best_.store(lambda);
    return report;
  }

 private:
  using Node = typename Form::Node;

  /// Runs Mehrotra's loop and tries Newton's method whenever its own residual passes the next threshold.
  void interior_point(InnerReport& report) {
    double hand_over = kHandOver, own_best = HUGE_VAL;
    int stalled = 0;
    while (!report.converged && report.iterations < options_.max_iterations && stalled < kStalled) {
      if (!linearise()) break;
      direction(0.0, false);
      const double rest = 1.0 - step_length();
      direction(std::max(rest * rest * rest, kLeastCentring), true);
      const double step = step_length();
      if (!(step > 0)) break;
      move(step);
      ++report.iterations;
      for (int p = 0; p < c_.packs(); ++p) lambda_.pack(p) = T_[static_cast<std::size_t>(p)] * cones_.x.pack(p);
      const double now = score(report);
      stalled = now < own_best ? 0 : stalled + 1;
      own_best = std::min(now, own_best);
      if (now > hand_over) continue;
      polish(report, kPolishBudget);
      hand_over = kNextHandOver * now;
    }
    if (!report.converged) polish(report, kPolishBudget);
  }

  /// Runs Newton's method from the best λ.
  void polish(InnerReport& report, int budget) {
    budget = std::min(budget, options_.max_iterations - report.iterations);
    const auto result = newton_.run(c_, best_, report.residual, options_.tolerance, budget);
    report.iterations += result.factorisations;
    report.residual = result.residual;
    report.converged = report.residual <= options_.tolerance;
  }

  /// λ ← Π_K λ; returns its natural map and keeps λ when it is the best so far.
  double score(InnerReport& report) {
    for (int p = 0; p < c_.packs(); ++p)
      lambda_.pack(p) = select_live(p, project_onto_cone(lambda_.pack(p), residual_.sets().pack(p).mu), {});
    residual_.gradient(c_, lambda_, gradient_);
    const double now = residual_.score(c_, lambda_, gradient_);
    if (!(now < report.residual)) return now;
    report.residual = now;
    best_ = lambda_;
    report.converged = now <= options_.tolerance;
    return now;
  }

  /// Returns γ⁻¹ plus the anchor.
  [[nodiscard]] Pack prox(int p) const { return qp_.inverse_gamma + anchor_.pack(p); }

  /// Returns the contacts of the system: those that can move (lanes past the last contact have ρ⁻¹ = 0 as well).
  [[nodiscard]] PackMask live(int p) const { return residual_.inverse_rho().pack(p) > Pack{}; }
  [[nodiscard]] ContactPack select_live(int p, ContactPack yes, ContactPack no) const {
    const PackMask mask = live(p);
    return {select(mask, yes.t1, no.t1), select(mask, yes.t2, no.t2), select(mask, yes.n, no.n)};
  }

  /// Puts x on the axes of the cones at the size of the impulses that make every contact stick, z likewise at that of
  /// c.
  bool start() {
    for (int p = 0; p < c_.packs(); ++p) {
      const Pack g = kBilateral * residual_.inverse_rho().pack(p);
      D_[static_cast<std::size_t>(p)] = {.t1t1 = g, .t2t2 = g, .nn = g};
      lambda_.pack(p) = (-g) * c_.pack(p);
    }
    if (!system_.factor(D_)) return false;
    respond(*qp_.form, lambda_, dy_);
    system_.solve(dy_);
    gather_all(*qp_.form, dy_, v_);
    Pack total{};
    for (int p = 0; p < c_.packs(); ++p) {
      const Pack g = D_[static_cast<std::size_t>(p)].nn, size = g * root(squared_norm(v_.pack(p) + c_.pack(p)));
      cones_.x.pack(p) = {Pack{}, Pack{}, size};
      total += size;
    }
    const double contacts = qp_.size();
    const Pack mean = broadcast(sum(total) / contacts), speed = broadcast(norm(c_) / std::sqrt(contacts));
    for (int p = 0; p < c_.packs(); ++p)
      set_point(p, {Pack{}, Pack{}, 0.5 * (cones_.x.pack(p).n + mean)}, {Pack{}, Pack{}, speed});
    respond(*qp_.form, lambda_, y_);
    gather_all(*qp_.form, y_, v_);
    for (int p = 0; p < c_.packs(); ++p)
      v_.pack(p) = v_.pack(p) + prox(p) * lambda_.pack(p) + c_.pack(p) - anchor_.pack(p) * best_.pack(p);
    return std::isfinite(complementarity());
  }

  void set_point(int p, ContactPack x, ContactPack z) {
    const ContactPack axis{Pack{}, Pack{}, broadcast(1.0)};
    cones_.x.pack(p) = select_live(p, x, axis);
    cones_.z.pack(p) = select_live(p, z, axis);
    lambda_.pack(p) = select_live(p, T_[static_cast<std::size_t>(p)] * cones_.x.pack(p), {});
  }

  /// Returns the mean of xᵀz over contacts.
  [[nodiscard]] double complementarity() const {
    return cones_.total_complementarity([this](int p) { return live(p); }) / qp_.size();
  }

  /// Computes scalings, residuals and D at the current point and factors the system. False when a pivot vanishes.
  [[nodiscard]] bool linearise() {
    mean_ = complementarity();
    for (int p = 0; p < c_.packs(); ++p) {
      const auto k = static_cast<std::size_t>(p);
      const Weight& T = T_[k];
      cones_.scale(p, Pack{});
      damped_[k] = {cones_.scaling[k], T.tangent * T.tangent, T.normal * T.normal, prox(p)};
      D_[k] = stiffness(p);
      rd_.pack(p) = cones_.z.pack(p) - T * v_.pack(p);
      lambda_.pack(p) = select_live(p, T * cones_.x.pack(p), {});
    }
    respond(*qp_.form, lambda_, rp_);
    for (std::size_t k = 0; k < rp_.size(); ++k) rp_[k] = y_[k] - rp_[k];
    return system_.factor(D_);
  }

  /// D = T (H⁻² + gT²)⁻¹ T, zero for immovable contacts.
  [[nodiscard]] ContactSlope<Pack> stiffness(int p) const {
    const DampedScaling<Pack>& S = damped_[static_cast<std::size_t>(p)];
    const Weight& T = T_[static_cast<std::size_t>(p)];
    const Pack tt = select(live(p), T.tangent * T.tangent, Pack{}), tn = select(live(p), T.tangent * T.normal, Pack{});
    const Pack bend = tt * (S.dd - S.pp);
    return mirrored<Pack>({.t1t1 = tt * S.pp + bend * S.d1 * S.d1,
                           .t1t2 = bend * S.d1 * S.d2,
                           .t2t2 = tt * S.pp + bend * S.d2 * S.d2,
                           .t1n = tn * S.nd * S.d1,
                           .t2n = tn * S.nd * S.d2,
                           .nn = select(live(p), T.normal * T.normal * S.nn, Pack{})});
  }

  /// Returns H⁻¹ times the right-hand side of the linearised x ∘ z = σ m 1; the corrector adds the predictor's
  /// second-order term.
  [[nodiscard]] ContactPack target(int p, double centring, bool corrector) const {
    if (!corrector) return broadcast(-1.0) * cones_.z.pack(p);
    return cones_.scaling[static_cast<std::size_t>(p)].inverse_root * cones_.corrector(p, centring * mean_);
  }

  /// Computes (dx, dz, dy, dv) for the centring σ.
  void direction(double centring, bool corrector) {
    for (int p = 0; p < c_.packs(); ++p) {
      const auto k = static_cast<std::size_t>(p);
      cones_.dx.pack(p) = target(p, centring, corrector) + rd_.pack(p);  // completed below by −T G dy, then times D
      lambda_.pack(p) = select_live(p, T_[k] * (damped_[k] * cones_.dx.pack(p)), {});
    }
    respond(*qp_.form, lambda_, dy_);
    for (std::size_t k = 0; k < dy_.size(); ++k) dy_[k] -= rp_[k];
    system_.solve(dy_);
    gather_all(*qp_.form, dy_, dv_);
    for (int p = 0; p < c_.packs(); ++p) {
      const auto k = static_cast<std::size_t>(p);
      cones_.dx.pack(p) = damped_[k] * (cones_.dx.pack(p) - T_[k] * dv_.pack(p));
      dv_.pack(p) = dv_.pack(p) + prox(p) * (T_[k] * cones_.dx.pack(p));
      cones_.dz.pack(p) = T_[k] * dv_.pack(p) - rd_.pack(p);
    }
  }

  [[nodiscard]] double step_length() const {
    return PrimalDualCones::step_length(cones_.inverse_step([this](int p) { return live(p); }));
  }

  void move(double step) {
    cones_.move(step, [this](int p) { return live(p); });
    for (int p = 0; p < c_.packs(); ++p) v_.pack(p) = v_.pack(p) + select_live(p, broadcast(step) * dv_.pack(p), {});
    for (std::size_t k = 0; k < y_.size(); ++k) y_[k] += step * dy_[k];
  }

  IpmOptions options_;
  BoundQp<Form> qp_;
  QpResidual<Form> residual_;
  NewtonSystem<Form> system_;
  ConeNewton<Form> newton_;
  PrimalDualCones cones_;
  ContactArray c_, v_, dv_, rd_, lambda_, gradient_, best_;
  ScalarArray anchor_;  // kAnchor ρ, 1/kg
  AlignedVector<DampedScaling<Pack>> damped_;
  AlignedVector<Weight> T_;
  SlopeArray D_;
  AlignedVector<Node> y_, dy_, rp_;
  double mean_ = 0;  // complementarity per contact
};

}  // namespace

void validate(const IpmOptions& options) {
  require(options.tolerance > 0, "ipm: tolerance: expected > 0, got ", options.tolerance);
  require(options.max_iterations >= 1, "ipm: max_iterations: expected >= 1, got ", options.max_iterations);
}

std::unique_ptr<ConeQpSolver> make_inner(const IpmOptions& options) {
  return std::make_unique<TwoFormSolver<IpmKernel, IpmOptions>>(options);
}

}  // namespace repose
