#include "convert/passes/live_users.h"

#include <gtest/gtest.h>

namespace edgeconv {

namespace {

TEST(LiveUsers, AreThoseOfTheGraphAfterEachChange) {
  Graph g;
  const Origin origin{"n", "Relu", ""};
  const ValueId x = g.add_value("x"), w = g.add_value("w");
  const ValueId twice = g.add_node(OpKind::kMatMul, {x, x}, {}, origin);
  const ValueId y = g.add_node(OpKind::kMatMul, {twice, w}, {}, origin), a = g.add_value("a"), b = g.add_value("b");
  g.add_node_with_outputs(OpKind::kTopK, {y, w}, {a, b}, {}, origin);
  const ValueId z = g.add_node(OpKind::kMatMul, {a, b}, {}, origin);
  LiveUsers users(g);
  EXPECT_EQ(users.get(), g.users());
  // A node with new operands instead of one.
  redefine(g, y, OpKind::kMatMul, {g.add_node(OpKind::kIdentity, {x}, {}, origin), w}, {}, origin);
  users.update();
  EXPECT_EQ(users.get(), g.users());
  // Each output of a node, which lives until the last.
  redefine(g, a, OpKind::kIdentity, {y}, {}, origin);
  users.update();
  EXPECT_EQ(users.get(), g.users());
  redefine(g, b, OpKind::kIdentity, {a}, {}, origin);
  // Twice between two updates.
  redefine(g, z, OpKind::kIdentity, {a}, {}, origin);
  redefine(g, z, OpKind::kIdentity, {w}, {}, origin);
  users.update();
  EXPECT_EQ(users.get(), g.users());
  const auto first = static_cast<NodeId>(g.producer(twice) - g.nodes.data());
  g.node(first).dead = true;
  users.remove(first);
  EXPECT_EQ(users.get(), g.users());
}

}  // namespace

}  // namespace edgeconv
