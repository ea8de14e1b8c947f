// SPDX-License-Identifier: Apache-2.0
// Problem: one contact problem, from a file, from matrices or from a step; solve() with its history.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <numeric>
#include <sstream>

#include "python/src/bindings.h"
#include "repose/scheme/solve.h"
#include "repose/stage/equivalent_impulses.h"

namespace repose::python {
namespace {

using InputIndices = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InputPairs = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using InputBlocks = nb::ndarray<const double, nb::shape<-1, 3, 3>, nb::c_contig, nb::device::cpu>;

struct Solved {
  std::vector<ContactVec> lambda, v;
  OuterReport report;
  std::string outer, inner, forces = "solver";
  std::vector<double> history;  ///< rows of (iteration, r_c, force, velocity, gap, nat)
  double ms = 0;
};

/// `indptr`, `indices`: rows of 3×3 blocks, compressed.
StoredProblem from_blocks(const InputIndices& indptr, const InputIndices& indices, const InputBlocks& values,
                          const InputMatrix& v_free, const InputColumn& mu) {
  std::vector<ContactVec> free = contacts_from(v_free, "v_free");
  const std::size_t n = free.size();
  require(mu.shape(0) == n, "mu: expected ", n, ", got ", mu.shape(0), " values");
  require(indptr.shape(0) == n + 1, "W: expected ", n, ", got ", indptr.shape(0) ? indptr.shape(0) - 1 : 0,
          " block rows");
  require(
      indices.shape(0) == values.shape(0) && indptr(0) == 0 && indptr(n) == static_cast<std::int64_t>(values.shape(0)),
      "W: expected a block sparse matrix, got index arrays that do not fit each other");
  std::vector<DelassusBlock> blocks;
  for (std::size_t row = 0; row < n; ++row) {
    require(indptr(row) <= indptr(row + 1), "W: expected a block sparse matrix, got descending index pointers");
    for (auto k = static_cast<std::size_t>(indptr(row)); k < static_cast<std::size_t>(indptr(row + 1)); ++k) {
      require(indices(k) >= 0 && indices(k) < static_cast<std::int64_t>(n), "W: expected 0 to ",
              static_cast<long>(n) - 1, ", got block column ", indices(k));
      DelassusBlock block{static_cast<int>(row), static_cast<int>(indices(k)), {}};
      std::memcpy(block.value.m, &values(k, 0, 0), sizeof block.value.m);
      blocks.push_back(block);
    }
  }
  StoredProblem made;
  made.problem = ContactProblem(MatrixForm(static_cast<int>(n), blocks), std::move(free),
                                std::vector<double>(mu.data(), mu.data() + n));
  return made;
}

/// `ends`: two bodies per contact, −1 for none; `rows`: 2 × 3 × 6 numbers per contact, the Jacobian times a root of the
/// inverse mass.
/// `further_ends`, `further_rows`: (contact, body) and 3 × 6 numbers for every body beyond the second, by contact.
StoredProblem from_bodies(int bodies, const InputPairs& ends, const InputMatrix& rows, const InputMatrix& v_free,
                          const InputColumn& mu, const InputPairs& further_ends, const InputMatrix& further_rows) {
  std::vector<ContactVec> free = contacts_from(v_free, "v_free");
  const std::size_t n = free.size();
  require(mu.shape(0) == n && ends.shape(0) == n && rows.shape(0) == n && rows.shape(1) == 36,
          "J: expected 36 numbers for each, got rows that do not fit the contacts");
  std::vector<BodyForm::Ends> pairs(n);
  std::vector<BodyForm::Rows> scaled(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto node = [&](std::size_t k) {
      require(ends(i, k) >= -1 && ends(i, k) < bodies, "J: expected 0 to ", bodies - 1, ", got body ", ends(i, k));
      return ends(i, k) < 0 ? bodies : static_cast<int>(ends(i, k));
    };
    pairs[i] = {node(0), node(1)};
    for (std::size_t k = 0; k < 18; ++k) {
      scaled[i].a[k / 6][k % 6] = rows(i, k);
      scaled[i].b[k / 6][k % 6] = rows(i, 18 + k);
    }
  }
  std::vector<BodyForm::Further> further(further_ends.shape(0));
  require(further_rows.shape(0) == further.size() && further_rows.shape(1) == 18,
          "J: expected 18 numbers for each body beyond a contact's second");
  for (std::size_t i = 0; i < further.size(); ++i) {
    further[i].block = static_cast<int>(further_ends(i, 0)), further[i].node = static_cast<int>(further_ends(i, 1));
    for (std::size_t k = 0; k < 18; ++k) further[i].rows[k / 6][k % 6] = further_rows(i, k);
  }
  StoredProblem made;
  made.problem = ContactProblem(BodyForm::from_scaled_rows(bodies, pairs, scaled, {}, further), std::move(free),
                                std::vector<double>(mu.data(), mu.data() + n));
  return made;
}

std::optional<nb::ndarray<nb::numpy, double>> optional_array(const std::optional<std::vector<ContactVec>>& values) {
  if (!values) return {};
  return contact_array(*values);
}

/// (n_blocks, 3, 3) with rows and columns: W in coordinates, both triangles.
nb::tuple matrix_blocks(const StoredProblem& stored) {
  const ContactProblem& p = stored.problem;
  std::vector<double> values;
  std::vector<std::int64_t> rows, columns;
  const auto add = [&](int i, int j) {
    const Mat3 block = p.coupling(i, j);
    values.insert(values.end(), &block.m[0][0], &block.m[0][0] + 9);
    rows.push_back(i);
    columns.push_back(j);
  };
  for (int i = 0; i < p.size(); ++i) add(i, i);
  for (const auto& [i, j] : p.coupled_pairs()) add(i, j), add(j, i);
  const std::size_t n = rows.size();
  return nb::make_tuple(owned_array(std::move(values), {n, 3, 3}), owned_array(std::move(rows), {n}),
                        owned_array(std::move(columns), {n}));
}

Solved solve_problem(const StoredProblem& stored, const std::optional<InputMatrix>& start, bool keep_history,
                     double time_limit, const std::string& forces, const nb::kwargs& scheme) {
  require(forces == "solver" || forces == "canonical", "forces: expected solver or canonical, got '", forces, "'");
  const FrictionOptions options = options_from_values(scheme_values(scheme));
  const ContactProblem& problem = stored.problem;
  Solved solved;
  solved.lambda.resize(at(problem.size()));
  if (start) solved.lambda = contacts_from(*start, "start");
  require(solved.lambda.size() == at(problem.size()), "start: expected ", problem.size(), ", got ",
          solved.lambda.size(), " contacts");
  require(time_limit >= 0, "time_limit: expected >= 0, got ", time_limit, " s");
  solved.v.resize(solved.lambda.size());
  solved.outer = name(options.outer);
  solved.inner = has_inner(options.outer) ? name(options.inner) : "none";

  nb::gil_scoped_release release;
  const auto begin = std::chrono::steady_clock::now();
  const std::unique_ptr<OuterSolver> solver = make_solver(options);
  if (time_limit > 0) solver->stop = StopToken(time_limit);
  if (keep_history)
    solver->observer = [&](int k, const Certificate& c) {
      solved.history.insert(solved.history.end(), {static_cast<double>(k), c.r_c(), c.residual.force,
                                                   c.residual.velocity, c.residual.gap, c.nat});
    };
  solver->bind(problem);
  solved.report = solver->solve(solved.lambda);
  solved.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (forces == "canonical" && solved.report.certificate.solved(options.tolerance)) {
    EquivalentImpulses equivalent(problem, solved.lambda, options.tolerance);
    const EquivalentResult result = equivalent.canonical(solved.lambda);
    solved.report.certificate = result.certificate;
    if (result.solved) solved.forces = forces;
  }
  DelassusOperator W;
  W.bind(problem);
  W.velocity(solved.lambda, solved.v);
  return solved;
}

nb::list stages(const Solved& s) {
  nb::list list;
  for (const Stage& stage : s.report.stages) list.append(nb::make_tuple(stage.method, stage.iterations, stage.worst));
  return list;
}

using Triple = std::array<double, 3>;
ContactVec vec(const Triple& x) { return {x[0], x[1], x[2]}; }
Triple triple(ContactVec x) { return {x.t1, x.t2, x.n}; }

std::string describe(const BlockSet& set) {
  std::ostringstream text;
  text << "<repose.Set " << set.name();
  if (set.is_cone()) text << ", mu " << set.mu();
  if (const ContactVec c = set.compliance(); c.t1 + c.t2 + c.n > 0)
    text << ", compliance (" << c.t1 << ", " << c.t2 << ", " << c.n << ") 1/kg";
  return text.str() + ">";
}

void bind_set(nb::module_& m) {
  nb::class_<BlockSet>(
      m, "Set",
      "The set that a block's impulse lies in: a Coulomb cone (a contact), or a box with bounds for each "
      "row (a joint, a limit, dry friction, a motor). Rows are ordered (t1, t2, n).")
      .def_static("cone", &BlockSet::cone, nb::arg("mu"), "A contact with friction coefficient mu.")
      .def_static("bilateral", &BlockSet::bilateral, nb::arg("rows") = 3,
                  "No velocity in the rows used: one row is n, two are t1 and t2.")
      .def_static("half_line", &BlockSet::half_line, "Impulse and velocity of row n >= 0: a limit.")
      .def_static("interval", &BlockSet::interval, nb::arg("lower"), nb::arg("upper"),
                  "Impulse of row n between two bounds, N s: dry friction, a motor with a force limit.")
      .def_static(
          "box",
          [](const Triple& lower, const Triple& upper) {
            return BlockSet::box({vec(lower), vec(upper)});
          },
          nb::arg("lower"), nb::arg("upper"), "Bounds for each row, N s; infinite ones leave a side open.")
      .def(
          "with_compliance", [](const BlockSet& set, const Triple& c) { return set.with_compliance(vec(c)); },
          nb::arg("compliance"), "The same set with these numbers added to the diagonal of W, 1/kg.")
      .def_prop_ro("name", &BlockSet::name)
      .def_prop_ro("mu", &BlockSet::mu, "0 for a box")
      .def_prop_ro(
          "lower", [](const BlockSet& set) { return triple(set.bounds().lower); }, "of a box, N s")
      .def_prop_ro(
          "upper", [](const BlockSet& set) { return triple(set.bounds().upper); }, "of a box, N s")
      .def_prop_ro(
          "compliance", [](const BlockSet& set) { return triple(set.compliance()); }, "1/kg")
      .def("__repr__", &describe);
}

/// The same problem with other sets.
StoredProblem with_sets(const StoredProblem& stored, const std::vector<BlockSet>& sets) {
  const ContactProblem& p = stored.problem;
  require(sets.size() == at(p.size()), "sets: expected ", p.size(), ", got ", sets.size());
  StoredProblem made = stored;
  made.solution.reset();
  made.problem = ContactProblem(p.form(), {p.v_free().begin(), p.v_free().end()}, SetList(sets));
  return made;
}

std::vector<BlockSet> sets_of(const StoredProblem& stored) {
  std::vector<BlockSet> sets;
  for (int i = 0; i < stored.problem.size(); ++i) sets.push_back(stored.problem.sets()[i]);
  return sets;
}

void bind_problem(nb::module_& m) {
  bind_set(m);
  nb::class_<StoredProblem>(
      m, "Problem",
      "One contact problem: v = W λ + v_free with friction mu per contact. Contacts are ordered (t1, t2, n).")
      .def_static("from_file", &read_stored_problem, nb::arg("path"), "FCLIB .hdf5 or Siconos .dat.")
      .def_static("_from_blocks", &from_blocks, nb::arg("indptr"), nb::arg("indices"), nb::arg("values"),
                  nb::arg("v_free"), nb::arg("mu"))
      .def_static("_from_bodies", &from_bodies, nb::arg("bodies"), nb::arg("ends"), nb::arg("rows"), nb::arg("v_free"),
                  nb::arg("mu"), nb::arg("further_ends"), nb::arg("further_rows"))
      .def("__len__", [](const StoredProblem& p) { return p.problem.size(); })
      .def_ro("title", &StoredProblem::title)
      .def_prop_ro(
          "v_free", [](const StoredProblem& p) { return contact_array(p.problem.v_free()); }, kNewArray,
          "(contacts, 3) m/s")
      .def_prop_ro(
          "mu",
          [](const StoredProblem& p) {
            std::vector<double> mu(p.problem.sets().mu().begin(), p.problem.sets().mu().end());
            const std::size_t n = mu.size();
            return owned_array(std::move(mu), {n});
          },
          kNewArray, "(contacts,)")
      .def_prop_ro("sets", &sets_of, "The set of each block.")
      .def("with_sets", &with_sets, nb::arg("sets"), "The same problem with other sets, one for each block.")
      .def_prop_ro(
          "guess", [](const StoredProblem& p) { return optional_array(p.guess); }, kNewArray,
          "(contacts, 3) N s to start from, where known.")
      .def_prop_ro(
          "solution", [](const StoredProblem& p) { return optional_array(p.solution); }, kNewArray,
          "(contacts, 3) N s, where stored.")
      .def_prop_ro(
          "form",
          [](const StoredProblem& p) { return std::holds_alternative<BodyForm>(p.problem.form()) ? "body" : "matrix"; })
      .def("_matrix_blocks", &matrix_blocks)
      .def_prop_ro(
          "W", [](nb::handle self) { return nb::module_::import_("repose._problem").attr("delassus")(self); },
          nb::for_getter(nb::sig("def W(self) -> typing.Any")),
          "(3 contacts, 3 contacts) 1/kg: a SciPy sparse array where SciPy is there, else a NumPy array.")
      .def(
          "certify",
          [](const StoredProblem& p, const InputMatrix& impulse) {
            const std::vector<ContactVec> lambda = contacts_from(impulse, "impulse");
            require(lambda.size() == at(p.problem.size()), "impulse: expected ", p.problem.size(), ", got ",
                    lambda.size(), " contacts");
            return certify(p.problem, lambda, std::vector<ContactVec>(lambda.size()));
          },
          nb::arg("impulse"),
          "Scores impulses from anywhere, (contacts, 3) N s, with the scales of a solve that started from zero.")
      .def(
          "save",
          [](const StoredProblem& p, const std::filesystem::path& path) {
            FclibOptions content;
            content.title = p.title;
            if (p.guess) content.guess = *p.guess;
            if (p.solution) content.solution = *p.solution;
            write_fclib(path, p.problem, content);
          },
          nb::arg("path"), "Writes FCLIB .hdf5.")
      .def("__repr__", [](const StoredProblem& p) {
        return "<repose.Problem of " + std::to_string(p.problem.size()) + " contacts>";
      });
}

/// Ends of one block keep their order. The order is sorted, not the ends: std::stable_sort of GCC 12 copies to memory
/// that is not aligned as they are.
std::vector<BodyForm::Further> ascending_by_block(const std::vector<BodyForm::Further>& ends) {
  std::vector<std::size_t> order(ends.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return ends[a].block < ends[b].block; });
  std::vector<BodyForm::Further> sorted;
  for (const std::size_t k : order) sorted.push_back(ends[k]);
  return sorted;
}

}  // namespace

StoredProblem contact_problem(const Data& data) {
  const World& world = data.world;
  const std::size_t contacts = world.contacts().size(), n = contacts + world.joint_blocks().size();
  std::vector<BodyForm::Ends> ends(n);
  std::vector<BodyForm::Rows> rows(n);
  std::vector<BodyForm::Further> further;
  std::vector<BodyForm::Roots> roots;
  std::vector<BlockSet> sets(n, BlockSet::cone(0));
  std::vector<ContactVec> v_free(n), start(n), lambda(n);
  std::size_t covered = 0;
  for (int k = 0; k < world.problems(); ++k) {
    const auto& form = std::get<BodyForm>(world.problem(k).form());
    const auto own_contacts = world.problem_contacts(k), own_joints = world.problem_joint_blocks(k);
    const int first = static_cast<int>(roots.size());
    roots.insert(roots.end(), form.roots().begin(), form.roots().end());
    for (int i = 0; i < form.size(); ++i) {
      const bool joint = at(i) >= own_contacts.size();
      const std::size_t c = joint ? contacts + at(own_joints[at(i) - own_contacts.size()]) : at(own_contacts[at(i)]);
      // The static node is last; marked here, numbered when all bodies are known.
      const auto node = [&](int e) { return e == form.bodies() ? -1 : first + e; };
      ends[c] = {node(form.ends(i).a), node(form.ends(i).b)};
      rows[c] = form.rows(i);
      for (BodyForm::Further end : form.further(i)) {
        end.block = static_cast<int>(c), end.node += first;
        further.push_back(end);
      }
      v_free[c] = world.problem(k).v_free()[at(i)];
      sets[c] = world.problem(k).sets()[i];
      start[c] = joint ? world.joint_blocks()[c - contacts].start : world.contacts()[c].start;
      lambda[c] = joint ? world.joint_blocks()[c - contacts].lambda : world.contacts()[c].lambda;
      ++covered;
    }
  }
  require(covered == n, "contact_problem: expected after a step, got no step since the checkpoint was loaded");
  const int bodies = static_cast<int>(roots.size());
  for (BodyForm::Ends& e : ends) e = {e.a < 0 ? bodies : e.a, e.b < 0 ? bodies : e.b};
  further = ascending_by_block(further);
  StoredProblem made;
  made.problem =
      ContactProblem(BodyForm::from_scaled_rows(bodies, ends, rows, roots, further), std::move(v_free), SetList(sets));
  made.title = world.scene().name + " step " + std::to_string(world.steps());
  made.guess = std::move(start);
  made.solution = std::move(lambda);
  return made;
}

void bind_solve(nb::module_& m) {
  bind_problem(m);
  nb::class_<Solved>(m, "Solution", "Impulses, velocities and their certificate.")
      .def_prop_ro(
          "impulse", [](const Solved& s) { return contact_array(s.lambda); }, kNewArray,
          "λ, (contacts, 3) N s, (t1, t2, n)")
      .def_prop_ro(
          "velocity", [](const Solved& s) { return contact_array(s.v); }, kNewArray, "W λ + v_free, (contacts, 3) m/s")
      .def_prop_ro("certificate", [](const Solved& s) { return s.report.certificate; })
      .def_prop_ro(
          "status", [](const Solved& s) { return to_string(s.report.status); },
          "'converged', 'iteration_limit', 'time_limit', 'stalled' or 'numerical_failure'")
      .def_prop_ro("converged", [](const Solved& s) { return s.report.status == Status::kConverged; })
      .def_ro("outer", &Solved::outer)
      .def_ro("inner", &Solved::inner)
      .def_ro("forces", &Solved::forces, "solver, or canonical: of least norm with the same motion.")
      .def_prop_ro("outer_iterations", [](const Solved& s) { return s.report.outer_iterations; })
      .def_prop_ro("inner_iterations", [](const Solved& s) { return s.report.inner_iterations; })
      .def_prop_ro("fallbacks", [](const Solved& s) { return s.report.fallbacks; })
      .def_prop_ro("stages", &stages, "(method, iterations, residual after it) for schemes that combine others.")
      .def_ro("ms", &Solved::ms, "Wall time, ms.")
      .def_prop_ro(
          "history",
          [](const Solved& s) { return as_rows(nb::cast(owned_array(s.history, {s.history.size()})), "HISTORY"); },
          nb::for_getter(nb::sig("def history(self) -> numpy.typing.NDArray[typing.Any]")),
          "Structured array, one row per outer iteration: iteration, r_c, force, velocity, gap, nat.")
      .def("__repr__", [](const Solved& s) {
        return std::string("<repose.Solution ") + to_string(s.report.status) + " in " +
               std::to_string(s.report.outer_iterations) + " iterations>";
      });
  m.def("solve_problem", &solve_problem, nb::arg("problem"), nb::kw_only(), nb::arg("start").none(), nb::arg("history"),
        nb::arg("time_limit"), nb::arg("forces"), nb::arg("scheme"));
}

}  // namespace repose::python
