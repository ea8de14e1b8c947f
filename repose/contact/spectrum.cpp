// SPDX-License-Identifier: Apache-2.0
#include "repose/contact/spectrum.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "repose/base/random.h"
#include "repose/contact/operators.h"
#include "repose/math/scalar.h"

namespace repose {

double largest_eigenvalue(const Mat3& A) {
  const double mean = trace(A) / 3;
  const double d1 = A.m[0][0] - mean, d2 = A.m[1][1] - mean, d3 = A.m[2][2] - mean;
  const double o1 = 0.5 * (A.m[1][2] + A.m[2][1]), o2 = 0.5 * (A.m[0][2] + A.m[2][0]),
               o3 = 0.5 * (A.m[0][1] + A.m[1][0]);
  const double spread = std::sqrt((d1 * d1 + d2 * d2 + d3 * d3 + 2 * (o1 * o1 + o2 * o2 + o3 * o3)) / 6);
  if (!(spread > 0)) return mean;
  const double determinant = d1 * (d2 * d3 - o1 * o1) - o3 * (o3 * d3 - o1 * o2) + o2 * (o3 * o1 - d2 * o2);
  const double of_thrice = std::clamp(determinant / (2 * spread * spread * spread), -1.0, 1.0);
  return mean + 2 * spread * cosine(arc_cosine(of_thrice) / 3);
}

double largest_block_eigenvalue(const ContactProblem& problem) {
  double largest = 0;
  for (int i = 0; i < problem.size(); ++i) largest = std::max(largest, largest_eigenvalue(problem.diagonal_block(i)));
  return largest;
}

double power_iteration(const ContactProblem& problem, int products) {
  std::vector<ContactVec> x(static_cast<std::size_t>(problem.size())), y(x.size());
  DelassusOperator W;
  W.bind(problem);
  Random random(1);
  for (ContactVec& yi : y) yi = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
  double quotient = 0;
  for (int k = 0; k < products; ++k) {
    double size = 0;
    for (const ContactVec& yi : y) size += squared_norm(yi);
    if (!(size > 0)) return 0;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = (1 / std::sqrt(size)) * y[i];
    W.apply(x, y);
    quotient = 0;
    for (std::size_t i = 0; i < x.size(); ++i) quotient += dot(x[i], y[i]);
  }
  return quotient;
}

SpectralEstimate largest_eigenvalue(const ContactProblem& problem, const SpectrumOptions& options) {
  if (problem.separable()) return {.largest = largest_block_eigenvalue(problem)};
  ContactArray x, y, before;
  for (ContactArray* array : {&x, &y, &before}) array->resize(problem.size());
  SetArray sets;
  sets.bind(problem.sets());
  return std::visit(
      [&](const auto& form) {
        using Form = std::decay_t<decltype(form)>;
        AlignedVector<typename Form::Node> response(static_cast<std::size_t>(form.nodes()));
        const auto apply = [&](const ContactArray& in, ContactArray& out) {
          respond(form, in, response);
          gather_all(form, response, out);
          add_compliance(sets, in, out);
        };
        return lanczos(apply, x, y, before, options);
      },
      problem.form());
}

}  // namespace repose
