// SPDX-License-Identifier: Apache-2.0
// The extension module repose._core.
#include <type_traits>

#include "python/src/bindings.h"
#include "repose/base/version.h"

namespace repose::python {
namespace {

void set_inner_iterations(InnerOptions& inner, int count) {
  const auto set = [count]<class Options>(Options& options) {
    if constexpr (std::is_same_v<Options, BgsOptions>)
      options.sweeps = count;
    else
      options.max_iterations = count;
  };
  std::visit(set, inner);
}

}  // namespace

FrictionOptions friction_options(const SolverSettings& s) {
  FrictionOptions options = options_from_names(s.outer, s.inner);
  const bool inner = has_inner(options.outer);
  require(inner || s.inner.empty() || s.inner == "auto", "inner: found '", s.inner, "' with outer ", s.outer,
          ", which has no cone solver under it; allowed with fbf, picard, relaxed");
  require(inner || !s.inner_iterations, "inner_iterations: found ", s.inner_iterations.value_or(0), " with outer ",
          s.outer, ", which has no cone solver under it; allowed with fbf, picard, relaxed");
  require(!s.gamma || std::holds_alternative<FbfOptions>(options.outer), "gamma: found ", s.gamma.value_or(0),
          " with outer ", s.outer, ", allowed with fbf only");
  require(!s.max_outer || *s.max_outer >= 1, "max_outer: found ", s.max_outer.value_or(0), ", allowed >= 1");
  options.tolerance = s.tolerance;
  options.max_iterations = s.max_outer.value_or(0);
  if (s.inner_iterations) set_inner_iterations(options.inner, *s.inner_iterations);
  if (s.gamma) std::get<FbfOptions>(options.outer).gamma = *s.gamma;
  (void)make_solver(options);  // values out of range, and solvers that this build lacks, show here
  return options;
}

nb::ndarray<nb::numpy, double> contact_array(std::span<const ContactVec> values) {
  std::vector<double> flat;
  flat.reserve(3 * values.size());
  for (const ContactVec& v : values) flat.insert(flat.end(), {v.t1, v.t2, v.n});
  return owned_array(std::move(flat), {values.size(), 3});
}

std::vector<ContactVec> contacts_from(const InputMatrix& values, const char* field) {
  require(values.shape(1) == 3, field, ": found shape (", values.shape(0), ", ", values.shape(1),
          "), allowed (contacts, 3)");
  std::vector<ContactVec> made(values.shape(0));
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = {values(i, 0), values(i, 1), values(i, 2)};
    require(std::isfinite(made[i].t1 + made[i].t2 + made[i].n), field, ": contact ", i,
            ": found a value that is not finite, allowed finite numbers");
  }
  return made;
}

nb::object as_rows(nb::object array, const char* name) {
  return array.attr("view")(nb::module_::import_("repose._dtypes").attr(name));
}

}  // namespace repose::python

NB_MODULE(_core, m) {
  using namespace repose::python;
  m.doc() = "The compiled part of repose. Use the names of the package itself.";
  m.attr("version") = std::string(repose::kVersion);
  // Python's own kinds: bad input is a ValueError, a breakdown a RuntimeError.
  nanobind::exception<repose::InputError>(m, "InputError", PyExc_ValueError).attr("__doc__") =
      "Bad input: a file, field or option with a value that is not allowed, in one line.";
  nanobind::exception<BrokenRun>(m, "BrokenRunError", PyExc_RuntimeError).attr("__doc__") =
      "The numbers of a step broke down (NaN, overflow, explosion); the state is the last good one.";
  bind_reports(m);
  bind_model(m);
  bind_builder(m);
  bind_solve(m);
  bind_data(m);
  bind_run(m);
  bind_rollout(m);
  bind_recording(m);
}
