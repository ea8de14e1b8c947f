// SPDX-License-Identifier: Apache-2.0
// Memory is claimed in bind(): no scheme allocates while it solves, cold or warm, in either form.
#include <gtest/gtest.h>

#include "problems/families.h"
#include "problems/simple.h"
#include "repose/scheme/solve.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/problem_copies.h"

namespace repose {
namespace {

using testing::in_matrix_form;

/// Every scheme over every inner solver of our own; the libraries behind the adapters allocate as they like.
std::vector<FrictionOptions> own_choices() {
  std::vector<FrictionOptions> list;
  for (const std::string_view outer : outer_names())
    for (const char* inner : {"bgs", "apgd", "admm", "ipm"}) {
      FrictionOptions options = options_from_names(outer, inner);
      options.max_iterations = has_inner(options.outer) ? 3 : 100;
      if (auto* picard = std::get_if<PicardOptions>(&options.outer)) picard->max_inner_calls = 2;
      if (has_inner(options.outer) || std::string_view(inner) == "bgs") list.push_back(options);
      if (auto* fbf = std::get_if<FbfOptions>(&options.outer)) {
        fbf->acceleration = 4;
        options.max_iterations = 12;
        list.push_back(options);
      }
    }
  return list;
}

TEST(Allocation, NoSchemeAllocatesAfterBind) {
  const ContactProblem ball = problems::make_problem(problems::ball());
  const ContactProblem pile = problems::family("pile_2x2x3", 0.8, 1), matrix = in_matrix_form(pile);
  for (const FrictionOptions& options : own_choices())
    for (const ContactProblem* problem : {&ball, &pile, &matrix}) {
      const auto solver = make_solver(options);
      solver->bind(*problem);
      std::vector<ContactVec> lambda(static_cast<std::size_t>(problem->size()));
      const testing::AllocationScope scope;
      (void)solver->solve(lambda);  // cold
      (void)solver->solve(lambda);  // warm
      EXPECT_EQ(scope.count(), 0) << name(options.outer) << "/" << name(options.inner) << " on " << problem->size();
    }
}

}  // namespace
}  // namespace repose
