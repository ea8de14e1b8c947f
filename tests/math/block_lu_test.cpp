// SPDX-License-Identifier: Apache-2.0
#include "repose/math/block_lu.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "repose/base/random.h"

namespace repose {
namespace {

using Edge = std::pair<int, int>;

/// A random diagonally dominant block matrix on a graph, as the factor sees it and as a dense matrix.
template <class Node, int N>
struct RandomSystem {
  BlockLu<Node, N> lu;
  Eigen::MatrixXd dense;

  RandomSystem(int nodes, const std::vector<Edge>& edges, std::uint64_t seed)
      : dense(Eigen::MatrixXd::Identity(nodes * N, nodes * N)) {
    lu.analyse(nodes, edges);
    lu.set_identity();
    Random random(seed);
    const auto fill = [&](Block<Node, N>& block, int row, int column, double size) {
      for (int c = 0; c < N; ++c)
        for (int r = 0; r < N; ++r) {
          const double x = size * random.uniform(-1, 1);
          block.column[c][r] += x;
          dense(row * N + r, column * N + c) += x;
        }
    };
    for (int i = 0; i < nodes; ++i) fill(lu.diagonal(i), i, i, 0.1);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      fill(lu.forward(static_cast<int>(e)), edges[e].first, edges[e].second, 0.05);
      fill(lu.backward(static_cast<int>(e)), edges[e].second, edges[e].first, 0.05);
    }
  }

  /// ‖A x − b‖ for a random b.
  double error(int nodes) {
    Random random(5);
    std::vector<Node, CacheLineAllocator<Node>> x(static_cast<std::size_t>(nodes), Node{});
    Eigen::VectorXd b(nodes * N), found(nodes * N);
    for (int i = 0; i < nodes; ++i)
      for (int r = 0; r < N; ++r) b[i * N + r] = x[static_cast<std::size_t>(i)][r] = random.uniform(-1, 1);
    EXPECT_TRUE(lu.factor());
    lu.solve(x);
    for (int i = 0; i < nodes; ++i)
      for (int r = 0; r < N; ++r) found[i * N + r] = x[static_cast<std::size_t>(i)][r];
    return (dense * found - b).norm();
  }
};

std::vector<Edge> grid(int side) {
  std::vector<Edge> edges;
  for (int r = 0; r < side; ++r)
    for (int c = 0; c < side; ++c) {
      if (c + 1 < side) edges.emplace_back(r * side + c, r * side + c + 1);
      if (r + 1 < side) edges.emplace_back(r * side + c, (r + 1) * side + c);
    }
  return edges;
}

TEST(BlockLu, SolvesNonsymmetricSystemsOnAGrid) {
  RandomSystem<Pack, 6> bodies(49, grid(7), 1);
  EXPECT_LT(bodies.error(49), 1e-12);
  RandomSystem<Quad, 3> contacts(49, grid(7), 2);
  EXPECT_LT(contacts.error(49), 1e-12);
}

TEST(BlockLu, NodesWithoutNeighboursAreSolvedAlone) {
  RandomSystem<Pack, 6> system(5, {}, 3);
  EXPECT_EQ(system.lu.fill_blocks(), 0);
  EXPECT_LT(system.error(5), 1e-13);
}

TEST(BlockLu, ChainsDoNotFill) {
  std::vector<Edge> chain;
  for (int i = 0; i + 1 < 100; ++i) chain.emplace_back(i, i + 1);
  BlockLu<Pack, 6> lu;
  lu.analyse(100, chain);
  EXPECT_EQ(lu.fill_blocks(), 99);
}

TEST(BlockLu, SaysWhenAPivotVanishes) {
  BlockLu<Quad, 3> lu;
  lu.analyse(2, std::vector<Edge>{{0, 1}});
  lu.set_identity();
  lu.diagonal(0) = {};
  lu.diagonal(1) = {};
  EXPECT_FALSE(lu.factor());
}

TEST(BlockLu, RefusesAFactorThatIsTooLarge) {
  BlockLu<Pack, 6> lu;
  EXPECT_FALSE(lu.analyse(100, grid(10), 50));
}

}  // namespace
}  // namespace repose
