// SPDX-License-Identifier: Apache-2.0
// The central path of the exact law, followed by arclength: for jammed and mixed piles.
//
//   x = (μλ_N, λ_T),  z = (v_N/μ + s, v_T),  x ∘ z = m 1  in Lorentz cones,  s = |v_T|²/√(|v_T|² + e²),  e² = κ m ρ
//
// The law is not monotone: the path turns back in m (a fold), and a method that only lowers m ends there. The sign of
// det(I + R D G) tells on which branch the iterate is: m falls where it is positive and rises where it is negative. A
// step is a + β b: a leads back to the path at constant m, b along it per unit of log m. Two corrections by the same
// factor follow, and the step is accepted inside a neighbourhood of the path. Damping is proximal: the complementarity
// that a step asks for stays exact, and the dual residual keeps δ dx for the next step. Boxes have their own barriers
// (box_barrier.h).
#pragma once

#include "repose/contact/newton_system.h"
#include "repose/contact/primal_dual_cones.h"
#include "repose/contact/residual.h"
#include "repose/set/lorentz.h"
#include "repose/stage/bilateral_start.h"
#include "repose/stage/box_barrier.h"
#include "repose/stage/soft_cones.h"
#include "repose/stage/stage.h"

namespace repose {

struct CentralPathSchedule {
  double tolerance = 1e-5;  ///< residual at which the run ends; Newton's method is cheaper from there
  int iterations = 150;     ///< limit on the number of factorisations
  double smoothing = 1e-4;  ///< κ, share of m ρ
  bool warm = false;        ///< starts around λ; otherwise from impulses of soft contacts
  bool resume = false;      ///< continues where the last run ended; `warm` and `soft_start` are not read
  double soft_start = 10;   ///< stiffness of the contacts at a cold start, in units of 1/ρ_i
};

struct CentralPathResult {
  Certificate certificate;  ///< of the best iterate, which is the λ returned
  int iterations = 0;       ///< factorisations
  bool reached = false;     ///< the last point is within the schedule's tolerance
};

template <class Form>
class CentralPath {
 public:
  using Node = typename Form::Node;

  /// The caller binds `system` and `judge` to the same problem.
  void bind(const Form& form, NewtonSystem<Form>& system, Judge& judge);
  /// Replaces `lambda` by the best iterate if that is better. `before` is the certificate of `lambda`.
  CentralPathResult run(ContactArray& lambda, const Certificate& before, const CentralPathSchedule& schedule,
                        const StageContext& context);

 private:
  struct Point {
    ContactArray x, z, v;
    AlignedVector<Node> y;
    BoxBarrier::Point box;
    double m = 0;
  };
  struct Direction {
    ContactArray x, z, v;
    AlignedVector<Node> y;
    BoxBarrier::Step box;
  };
  enum class Kind { kAlong, kBack, kBroken };
  struct Step {
    Kind kind = Kind::kBroken;
    double length = 0;         // arclength of a step along the path; share taken of a step back to it
    double distance = 0;       // from the path, after the step
    bool first_trial = false;  // no shorter step was needed
  };

  void impulses(const ContactArray& x, ContactArray& lambda) const;
  [[nodiscard]] Certificate certify_now();
  [[nodiscard]] double mean_complementarity() const;
  bool begin(ContactArray& lambda, const CentralPathSchedule& schedule, int& iterations);
  bool start_cold(double stiffness);
  void start_warm(const ContactArray& lambda);
  void settle();
  bool predictor_corrector();
  bool linearise(double m);
  void solve(bool with_primal_residual, Direction& d);
  [[nodiscard]] ContactPack dual_residual(int p, const Point& at) const;
  [[nodiscard]] double inverse_step(const Direction& d) const;
  [[nodiscard]] double distance(const Point& at) const;
  [[nodiscard]] double merit(const Point& at) const;
  void put_sum(const Direction& a, double t, const Direction& b, Direction& sum) const;
  void correct(double beta);
  void tangent();
  void take_direction(double beta, bool corrected);
  void step_to(double t, double beta);
  Step iterate(double length);
  Step back_to_path(double beta);
  bool go_on(const Step& step);

  const Form* form_ = nullptr;
  NewtonSystem<Form>* system_ = nullptr;
  Judge* judge_ = nullptr;
  BoxBarrier boxes_;
  SoftCones soft_;
  ScalarArray mu_, rho_;
  int terms_ = 0;  // cones and finite bounds
  double kappa_ = 1e-4;
  Point now_, trial_, saved_;  // saved_: before the last step along the path
  Direction a_, b_, d_, correction_;
  ContactArray best_, packed_;
  ContactArray q_, rd_;           // right-hand sides of solve()
  ContactArray point_, inverse_;  // W z, and m times its Jordan inverse
  AlignedVector<NesterovTodd<Pack>> scaling_;
  AlignedVector<LorentzMap<Pack>> damped_root_;
  AlignedVector<ContactPack> slip_;  // ∂z_N/∂v
  ScalarArray growth_;               // ∂s/∂log m
  SlopeArray D_;
  AlignedVector<Node> rp_;
  double length_ = 0, saved_length_ = 0;
  bool has_saved_ = false;
  int steps_back_ = 0;
};

extern template class CentralPath<BodyForm>;
extern template class CentralPath<MatrixForm>;

}  // namespace repose
