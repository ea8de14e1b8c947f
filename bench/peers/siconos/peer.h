// SPDX-License-Identifier: Apache-2.0
// A contact problem in Siconos' hands: conversion to its structures, and one call of its driver.
#pragma once

#include <span>
#include <vector>

#include "bench/peers/siconos/configuration.h"
#include "bench/peers/siconos/sandbox.h"
#include "repose/contact/problem.h"

struct FrictionContactProblem;  // Siconos

namespace repose::bench {

/// W, q and μ as Siconos orders them: contact by contact, normal first.
class PeerProblem {
 public:
  explicit PeerProblem(const ContactProblem& problem);

  /// A fresh copy in Siconos' structures (it writes into them while it solves). The caller frees it.
  [[nodiscard]] FrictionContactProblem* make(const Presentation& presentation) const;
  /// Impulse in the file's unit, of an impulse of 1 in the given one.
  [[nodiscard]] double impulse_unit(Units units) const { return units == Units::kNatural ? unit_ : 1.0; }
  [[nodiscard]] int contacts() const { return static_cast<int>(mu_.size()); }

 private:
  struct Block {
    unsigned column;  // contact
    double entry[9];  // column by column, order (n, t1, t2)
  };
  std::vector<std::vector<Block>> rows_;
  std::vector<double> q_, mu_;
  double unit_ = 1;
};

/// One cold solve (λ = 0) to Siconos' own tolerance. Only its driver is timed.
[[nodiscard]] Attempt solve_with_siconos(const PeerProblem& problem, const Configuration& configuration,
                                         const Presentation& presentation, double tolerance,
                                         std::span<ContactVec> lambda);

/// Quiet, one thread, the error handler left as it is: once per process.
void initialise_siconos();

}  // namespace repose::bench
