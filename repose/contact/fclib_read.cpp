// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "repose/contact/fclib_internal.h"
#include "repose/contact/global_form_internal.h"
#include "repose/contact/hdf5_internal.h"
#include "repose/contact/sparse_internal.h"

namespace repose::files {
namespace {

std::size_t slot(int i) { return static_cast<std::size_t>(i); }

/// Refuses equality constraints (bilateral joints), which are another problem class.
void refuse_equalities(const Hdf5Reader& in, std::initializer_list<std::string> names) {
  for (const std::string& name : names)
    in.fault().expect(!in.has(name), name, "an equality part", "none: joints are not supported");
}

void check_dimension(const Hdf5Reader& in, const std::string& group) {
  const std::int64_t dimension = in.integer(group + "/spacedim");
  in.fault().expect(dimension == 3, group + "/spacedim", dimension,
                    "3 (planar and rolling problems are not supported)");
}

std::vector<double> read_friction(const Hdf5Reader& in, const std::string& path) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max() / 3;
  const std::int64_t contacts = in.size(path);
  in.fault().expect(contacts <= kMost, path, contacts, "at most ", kMost, " contacts");
  std::vector<double> mu = in.numbers(path);
  for (std::size_t i = 0; i < mu.size(); ++i)
    if (mu[i] < 0) in.fault().fail(path, shown(mu[i]) + " at entry " + shown(i), "numbers >= 0");
  return mu;
}

// ---- our body form ----------------------------------------------------------------------------------------------

/// Reads the node indices of every contact; the extent of `contacts_per_body` bounds the number of bodies.
std::vector<BodyForm::Ends> read_ends(const Hdf5Reader& in, int contacts, int bodies) {
  const std::string group = kBodyGroup, path = group + "/ends";
  const std::vector<std::int64_t> found = in.integers(path);
  in.fault().expect(found.size() == 2 * slot(contacts), path, found.size(), 2 * contacts, " entries");
  std::vector<BodyForm::Ends> ends;
  for (std::size_t i = 0; i < slot(contacts); ++i) {
    const std::int64_t a = found[2 * i], b = found[2 * i + 1];
    for (std::int64_t body : {a, b})
      in.fault().expect(body >= kStaticBody && body < bodies, path, body, "-1 .. ", bodies - 1);
    in.fault().expect(a != b || a == kStaticBody, path, a, "two different bodies per contact");
    const auto node = [bodies](std::int64_t body) { return body == kStaticBody ? bodies : static_cast<int>(body); };
    ends.push_back({node(a), node(b)});
  }
  return ends;
}

void check_counts(const Hdf5Reader& in, const std::string& path, const std::vector<std::int64_t>& counts,
                  const std::vector<BodyForm::Ends>& ends) {
  std::vector<std::int64_t> counted(counts.size() + 1, 0);
  for (const auto& e : ends) {
    ++counted[slot(e.a)];
    ++counted[slot(e.b)];
  }
  for (std::size_t k = 0; k < counts.size(); ++k)
    in.fault().expect(counts[k] == counted[k], path, counts[k], counted[k], ", as in ends");
}

/// Six numbers per row, rows (N, T1, T2), bodies a and b.
AlignedVector<BodyForm::Rows> read_rows(const Hdf5Reader& in, const std::vector<BodyForm::Ends>& ends, int bodies) {
  const std::string path = std::string(kBodyGroup) + "/rows";
  const std::vector<double> x = in.numbers(path, 36 * static_cast<std::int64_t>(ends.size()));
  AlignedVector<BodyForm::Rows> rows(ends.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < ends.size(); ++i)
    for (auto [node, target] : {std::pair{ends[i].a, rows[i].a}, std::pair{ends[i].b, rows[i].b}})
      for (int axis : kOurAxis)
        for (int lane = 0; lane < BodyForm::kDof; ++lane, ++at) {
          in.fault().expect(node < bodies || x[at] == 0, path, x[at], "0 where there is no body");
          target[axis][lane] = x[at];
        }
  return rows;
}

std::vector<BodyForm::Roots> read_roots(const Hdf5Reader& in, int bodies) {
  const std::string group = kBodyGroup;
  if (!in.has(group + "/root_inverse_mass")) return {};
  const std::vector<double> mass = in.numbers(group + "/root_inverse_mass", bodies);
  const std::vector<double> inertia = in.numbers(group + "/root_inverse_inertia", 9 * std::int64_t{bodies});
  std::vector<BodyForm::Roots> roots(slot(bodies));
  for (std::size_t k = 0; k < roots.size(); ++k) {
    roots[k].root_inverse_mass = mass[k];
    std::copy_n(&inertia[9 * k], 9, &roots[k].root_inverse_inertia.m[0][0]);
  }
  return roots;
}

/// The ends of blocks with more than two bodies, without rows when H has them.
AlignedVector<BodyForm::Further> read_further(const Hdf5Reader& in, const std::vector<BodyForm::Ends>& ends, int bodies,
                                              bool with_rows) {
  const auto contacts = std::ssize(ends);
  const std::string group = kBodyGroup, path = group + "/further_ends";
  AlignedVector<BodyForm::Further> further;
  if (in.integer(group + "/version") == kBodyVersion) return further;
  const std::vector<std::int64_t> found = in.integers(path);
  in.fault().expect(found.size() % 2 == 0, path, found.size(), "pairs of a contact and a body");
  further.resize(found.size() / 2);
  std::vector<double> x;
  if (with_rows) x = in.numbers(group + "/further_rows", 18 * std::ssize(further));
  for (std::size_t k = 0; k < further.size(); ++k) {
    in.fault().expect(found[2 * k] >= 0 && found[2 * k] < contacts, path, found[2 * k], "0 .. ", contacts - 1);
    in.fault().expect(found[2 * k + 1] >= 0 && found[2 * k + 1] < bodies, path, found[2 * k + 1], "0 .. ", bodies - 1);
    in.fault().expect(k == 0 || found[2 * k - 2] <= found[2 * k], path, found[2 * k], "ascending contacts");
    further[k].block = static_cast<int>(found[2 * k]), further[k].node = static_cast<int>(found[2 * k + 1]);
    const BodyForm::Ends& two = ends[slot(further[k].block)];
    const bool repeats = std::any_of(further.begin(), further.begin() + std::ptrdiff_t(k), [&](const auto& other) {
      return other.block == further[k].block && other.node == further[k].node;
    });
    in.fault().expect(further[k].node != two.a && further[k].node != two.b && !repeats, path, further[k].node,
                      "different bodies per contact");
    for (std::size_t j = 0; with_rows && j < 18; ++j)
      further[k].rows[kOurAxis[j / 6]][static_cast<int>(j % 6)] = x[18 * k + j];
  }
  return further;
}

/// What `rows` of a contact become from H of the global form, whose coordinates are mass-scaled.
AlignedVector<BodyForm::Rows> rows_of(const Triplets& H, const std::vector<BodyForm::Ends>& ends,
                                      std::span<BodyForm::Further> further, const FileFault& fault) {
  AlignedVector<BodyForm::Rows> rows(ends.size());
  for (std::size_t k = 0; k < H.value.size(); ++k) {
    const std::size_t contact = slot(H.column[k] / 3);
    const int body = H.row[k] / BodyForm::kDof, axis = kOurAxis[H.column[k] % 3];
    const auto other = std::find_if(further.begin(), further.end(), [&](const BodyForm::Further& end) {
      return slot(end.block) == contact && end.node == body;
    });
    if (other != further.end()) {
      other->rows[axis][H.row[k] % BodyForm::kDof] = H.value[k];
      continue;
    }
    fault.expect(body == ends[contact].a || body == ends[contact].b, "/fclib_global/H", body,
                 "the bodies that ends names for contact ", contact);
    BodyForm::Node* const target = body == ends[contact].a ? rows[contact].a : rows[contact].b;
    target[axis][H.row[k] % BodyForm::kDof] = H.value[k];  // not one expression: GCC 16 would write to a temporary
  }
  return rows;
}

bool has_bodies(const Hdf5Reader& in) {
  const std::string version = std::string(kBodyGroup) + "/version";
  if (!in.has(version)) return false;
  return in.integer(version) == kBodyVersion || in.integer(version) == kFurtherVersion;
}

/// `H`: where the rows are, unless the group has them itself.
BodyForm read_body_form(const Hdf5Reader& in, int contacts, const Triplets* H = nullptr) {
  const std::string path = std::string(kBodyGroup) + "/contacts_per_body";
  const std::vector<std::int64_t> counts = in.integers(path);
  in.fault().expect(counts.size() < std::numeric_limits<int>::max(), path, counts.size(), "fewer bodies");
  const int bodies = static_cast<int>(counts.size());
  const auto ends = read_ends(in, contacts, bodies);
  check_counts(in, path, counts, ends);
  in.fault().expect(!H || H->rows == BodyForm::kDof * bodies, path, bodies, "one sixth of the rows of H");
  AlignedVector<BodyForm::Further> further = read_further(in, ends, bodies, H == nullptr);
  const auto rows = H ? rows_of(*H, ends, further, in.fault()) : read_rows(in, ends, bodies);
  return BodyForm::from_scaled_rows(bodies, ends, rows, read_roots(in, bodies), further);
}

double largest_difference(const Mat3& A, const Mat3& B) {
  double top = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) top = std::max(top, std::abs(A.m[r][c] - B.m[r][c]));
  return top;
}

/// Requires both descriptions of W to be the same matrix, up to the rounding of another machine.
void check_agreement(const Hdf5Reader& in, const ContactProblem& body, const MatrixForm& W) {
  constexpr double kRounding = 1e-12;
  double difference = 0, scale = 0;
  const auto compare = [&](int i, int j) {
    const Mat3 stored = W.coupling(i, j);
    difference = std::max(difference, largest_difference(stored, body.coupling(i, j)));
    scale = std::max(scale, largest_difference(stored, {}));
  };
  for (int i = 0; i < W.size(); ++i)
    for (int s = W.first(i); s < W.first(i + 1); ++s) compare(W.row(s), i);
  for (const auto& [i, j] : body.coupled_pairs()) {
    compare(i, j);
    compare(j, i);
  }
  in.fault().expect(difference <= kRounding * scale, kBodyGroup, "rows that differ from W", "J J' = W");
}

// ---- sets -------------------------------------------------------------------------------------------------------

/// The problem with the boxes and compliances of the file, where it has any.
ContactProblem with_sets(const Hdf5Reader& in, ContactProblem problem) {
  const std::string group = kSetGroup;
  if (!in.has(group)) return problem;
  const std::int64_t n = problem.size();
  const std::vector<std::int64_t> is_box = in.integers(group + "/is_box"), bounded = in.integers(group + "/bounded");
  in.fault().expect(std::ssize(is_box) == n, group + "/is_box", is_box.size(), n, " values");
  in.fault().expect(std::ssize(bounded) == 6 * n, group + "/bounded", bounded.size(), 6 * n, " values");
  const std::vector<double> lower = in.numbers(group + "/lower", 3 * n), upper = in.numbers(group + "/upper", 3 * n);
  const std::vector<ContactVec> compliance = from_file_order(in.numbers(group + "/compliance", 3 * n));
  const auto bound = [&](const std::vector<double>& values, std::int64_t block, int row, int side) {
    const bool has = bounded[static_cast<std::size_t>(6 * block + 3 * side + row)] != 0;
    return has ? values[static_cast<std::size_t>(3 * block + row)] : (side == 0 ? -kUnbounded : kUnbounded);
  };
  std::vector<BlockSet> sets;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto side = [&](const std::vector<double>& v, int s) {
      return ContactVec{bound(v, i, 1, s), bound(v, i, 2, s), bound(v, i, 0, s)};
    };
    const BlockSet set = is_box[static_cast<std::size_t>(i)]
                             ? BlockSet::box({side(lower, 0), side(upper, 1)})
                             : BlockSet::cone(problem.sets().mu()[static_cast<std::size_t>(i)]);
    sets.push_back(set.with_compliance(compliance[static_cast<std::size_t>(i)]));
  }
  return ContactProblem(problem.form(), {problem.v_free().begin(), problem.v_free().end()}, SetList(sets));
}

// ---- the two forms ----------------------------------------------------------------------------------------------

ContactProblem read_local(const Hdf5Reader& in) {
  check_dimension(in, "/fclib_local");
  refuse_equalities(in, {"/fclib_local/V", "/fclib_local/R", "/fclib_local/vectors/s"});
  std::vector<double> mu = read_friction(in, "/fclib_local/vectors/mu");
  const int contacts = static_cast<int>(mu.size());
  std::vector<ContactVec> q = from_file_order(in.numbers("/fclib_local/vectors/q", 3 * std::int64_t{contacts}));
  MatrixForm W(contacts, delassus_blocks(read_sparse(in, "/fclib_local/W", 3 * contacts, 3 * contacts), in.fault()));
  if (!has_bodies(in)) return {std::move(W), std::move(q), std::move(mu)};
  ContactProblem problem(read_body_form(in, contacts), std::move(q), std::move(mu));
  check_agreement(in, problem, W);
  return problem;
}

/// Mass-scaled coordinates, as we write them: M = I and f = 0, so that nothing is computed and nothing rounded.
bool is_scaled(const GlobalForm& global) {
  const Triplets& M = global.M;
  const auto is = [](double x) { return [x](double y) { return x == y; }; };
  return M.row == M.column && M.value.size() == slot(M.rows) && std::is_sorted(M.row.begin(), M.row.end()) &&
         std::adjacent_find(M.row.begin(), M.row.end()) == M.row.end() &&
         std::all_of(M.value.begin(), M.value.end(), is(1)) && std::all_of(global.f.begin(), global.f.end(), is(0));
}

ContactProblem read_global(const Hdf5Reader& in) {
  check_dimension(in, "/fclib_global");
  refuse_equalities(in, {"/fclib_global/G", "/fclib_global/vectors/b"});
  GlobalForm global;
  global.mu = read_friction(in, "/fclib_global/vectors/mu");
  const int size = 3 * static_cast<int>(global.mu.size());
  global.w = in.numbers("/fclib_global/vectors/w", size);
  global.f = in.numbers("/fclib_global/vectors/f");
  in.fault().expect(global.f.size() < std::numeric_limits<int>::max(), "/fclib_global/vectors/f", global.f.size(),
                    "fewer degrees of freedom");
  const int dofs = static_cast<int>(global.f.size());
  global.M = read_sparse(in, "/fclib_global/M", dofs, dofs);
  global.H = read_sparse(in, "/fclib_global/H", dofs, size);
  if (!has_bodies(in) || !is_scaled(global)) return eliminate_velocities(global, in.fault());
  BodyForm form = read_body_form(in, size / 3, &global.H);
  return {std::move(form), from_file_order(global.w), std::move(global.mu)};
}

std::optional<std::vector<ContactVec>> read_impulse(const Hdf5Reader& in, const std::string& path, int contacts) {
  if (!in.written(path)) return std::nullopt;
  return from_file_order(in.numbers(path, 3 * std::int64_t{contacts}));
}

/// Reads an impulse. Public files store zeros in /solution/r (or a dataset never written) next to a true u: zeros count
/// only if no contact approaches.
bool is_placeholder(const std::vector<ContactVec>& lambda, const ContactProblem& problem) {
  const auto v = problem.v_free();
  return std::all_of(lambda.begin(), lambda.end(), [](ContactVec x) { return x.t1 == 0 && x.t2 == 0 && x.n == 0; }) &&
         std::any_of(v.begin(), v.end(), [](ContactVec x) { return x.n < 0; });
}

StoredProblem read_contents(const Hdf5Reader& in) {
  const bool local = in.has("/fclib_local");
  in.fault().expect(local || in.has("/fclib_global"), "/", "neither /fclib_local nor /fclib_global", "one of them");
  StoredProblem stored;
  stored.problem = with_sets(in, local ? read_local(in) : read_global(in));
  stored.title = in.text(local ? "/fclib_local/info/title" : "/fclib_global/info/title");
  stored.guess = read_impulse(in, "/guesses/1/r", stored.problem.size());
  stored.solution = read_impulse(in, "/solution/r", stored.problem.size());
  if (stored.solution && is_placeholder(*stored.solution, stored.problem)) stored.solution.reset();
  stored.facts.kind = local ? "hdf5-local" : "hdf5-global";
  return stored;
}

}  // namespace

StoredProblem read_fclib(std::string bytes, std::size_t superblock, const FileFault& fault) {
  return read_contents(Hdf5Reader(std::move(bytes), superblock, fault));
}

}  // namespace repose::files
