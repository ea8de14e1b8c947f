// SPDX-License-Identifier: Apache-2.0
// One large problem by sweeps on a CUDA device or, with the same bits, on the host. What the sweeps do not
// bring to the tolerance is finished by `auto`, from their best impulses.  [decision 030]
#pragma once

#include <memory>
#include <span>

#include "repose/large/sweep_crew.h"
#include "repose/scheme/options.h"
#include "repose/scheme/solver.h"

namespace repose {

enum class SweepDevice { kHost, kCuda };

struct SweptOptions {
  SweepDevice device = SweepDevice::kCuda;
  SweepCrew crew = SweepCrew::kAny;
  int most_sweeps = 20000;  ///< sweeps in all, ≥ 1
  int patience = 2000;  ///< sweeps without halving the residual after which sweeping ends, ≥ 1; grows with the sweeps
  int check_every = 20;  ///< sweeps between two judgements, ≥ 1
  /// Momentum ends where f exceeds so many times its best value, ≥ 1; the smaller number once the residual has not
  /// halved within slow_after sweeps.
  double restart = 30, slow_restart = 1.5;
  int slow_after = 500;
  bool finish = true;  ///< `auto` goes on where the sweeps end above tolerance
};

/// What became of the sweeps of the last solve.
struct SweptReport {
  long long sweeps = 0;
  bool solved = false;     ///< by the sweeps, as the host judges their impulses
  double worst = 0;        ///< max(r_c, nat) of their best impulses, as they judged themselves
  double build_ms = 0;     ///< arrays, at bind()
  double transfer_ms = 0;  ///< to the device and back, that at bind() included
  double sweep_ms = 0;
  double finish_ms = 0;  ///< of `auto`; 0 where it was not needed
  long long launches = 0;
};

/// Needs a problem in body form whose sets are Coulomb cones without compliance. The scheme that finishes claims its
/// memory when it is first needed.
class SweptSolver final : public OuterSolver {
 public:
  /// InputError where an option is out of its range, or there is no device.
  explicit SweptSolver(const SweptOptions& options = {}, const AutoOptions& finisher = {});
  ~SweptSolver() override;
  void bind(const ContactProblem& problem) override;
  OuterReport solve(std::span<ContactVec> lambda) override;
  [[nodiscard]] const SweptReport& swept() const;

 private:
  [[nodiscard]] OuterReport finished(OuterReport report, std::span<ContactVec> lambda);

  struct Parts;
  SweptOptions options_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace repose
