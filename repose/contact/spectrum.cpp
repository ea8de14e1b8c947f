// SPDX-License-Identifier: Apache-2.0
#include "repose/contact/spectrum.h"

#include "repose/contact/operators.h"

namespace repose {

SpectralEstimate largest_eigenvalue(const ContactProblem& problem, const SpectrumOptions& options) {
  ContactArray x, y;
  x.resize(problem.size());
  y.resize(problem.size());
  return std::visit(
      [&](const auto& form) {
        using Form = std::decay_t<decltype(form)>;
        AlignedVector<typename Form::Node> response(static_cast<std::size_t>(form.nodes()));
        const auto apply = [&](const ContactArray& in, ContactArray& out) {
          respond(form, in, response);
          gather_all(form, response, out);
        };
        return power_iteration(apply, x, y, options);
      },
      problem.form());
}

}  // namespace repose
