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
  std::vector<Edge> edges;
  int nodes;
  Random random;

  RandomSystem(int node_count, std::vector<Edge> graph, std::uint64_t seed)
      : edges(std::move(graph)), nodes(node_count), random(seed) {
    lu.analyse(nodes, edges);
    assemble(1.0);
  }

  /// New numbers for the diagonal and for about this share of the edges; the others are zero.
  void assemble(double share) {
    lu.set_identity();
    dense = Eigen::MatrixXd::Identity(nodes * N, nodes * N);
    for (int i = 0; i < nodes; ++i) fill(lu.diagonal(i), i, i, 0.1);
    for (int e = 0; e < static_cast<int>(edges.size()); ++e) {
      if (random.uniform(0, 1) > share) continue;
      const auto [i, j] = edges[static_cast<std::size_t>(e)];
      fill(lu.forward(e), i, j, 0.05);
      fill(lu.backward(e), j, i, 0.05);
    }
  }

  void fill(Block<Node, N>& block, int row, int column, double size) {
    for (int c = 0; c < N; ++c)
      for (int r = 0; r < N; ++r) {
        const double x = size * random.uniform(-1, 1);
        block.column[c][r] += x;
        dense(row * N + r, column * N + c) += x;
      }
  }

  /// ‖A x − b‖ for a random b.
  double error() {
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
  EXPECT_LT(bodies.error(), 1e-12);
  RandomSystem<Quad, 3> contacts(49, grid(7), 2);
  EXPECT_LT(contacts.error(), 1e-12);
}

TEST(BlockLu, EdgesThatAreZeroThisTimeStayOut) {
  RandomSystem<Pack, 6> bodies(49, grid(7), 4);
  RandomSystem<Quad, 3> contacts(49, grid(7), 5);
  for (const double share : {1.0, 0.5, 0.2, 0.0, 0.7, 1.0}) {
    bodies.assemble(share);
    EXPECT_LT(bodies.error(), 1e-12) << share;
    contacts.assemble(share);
    EXPECT_LT(contacts.error(), 1e-12) << share;
  }
}

TEST(BlockLu, AddsBothBlocksOfAnEdge) {
  for (const Edge& edge : {Edge{0, 1}, Edge{1, 0}}) {
    BlockLu<Pack, 6> by_reference, added;
    BodyBlock F{}, B{};
    for (int c = 0; c < 6; ++c) F.column[c] = Pack{0.01, 0.02, 0.03} * (1.0 + c), B.column[c] = Pack{-0.02, 0.01, 0.05};
    AlignedVector<Pack> x{Pack{1, 2, 3}, Pack{4, 5, 6}}, y = x;
    for (BlockLu<Pack, 6>* lu : {&by_reference, &added}) {
      lu->analyse(2, std::vector<Edge>{edge});
      lu->set_identity();
    }
    for (int twice = 0; twice < 2; ++twice) {
      add_block(by_reference.forward(0), F);
      add_block(by_reference.backward(0), B);
      added.add(0, F, B);
    }
    ASSERT_TRUE(by_reference.factor() && added.factor());
    by_reference.solve(x);
    added.solve(y);
    for (std::size_t i = 0; i < 2; ++i)
      for (int r = 0; r < 6; ++r) EXPECT_EQ(x[i][r], y[i][r]);
  }
}

TEST(BlockLu, NodesWithoutNeighboursAreSolvedAlone) {
  RandomSystem<Pack, 6> system(5, {}, 3);
  EXPECT_EQ(system.lu.fill_blocks(), 0);
  EXPECT_LT(system.error(), 1e-13);
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
