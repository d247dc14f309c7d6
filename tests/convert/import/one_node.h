// A model of one node, for tests of importers.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/convert/model_builder.h"

namespace edgeconv {

// Tests fill in m. kinds() imports it and tells the kinds of graph nodes that the node became; message() is what importing it ends with.
struct OneNode {
  explicit OneNode(int opset) : m(opset) {}

  std::vector<std::string> kinds() {
    Diagnostics d;
    imported = m.import(d);
    EXPECT_TRUE(d.ok()) << (d.ok() ? "" : message());
    std::vector<std::string> r;
    for (const Node& n : imported.graph.nodes) r.emplace_back(op_name(n.kind));
    return r;
  }
  std::string message() {
    std::string s;
    import_code(m, &s);
    return s;
  }

  ModelBuilder m;
  ImportedModel imported;
};

using Kinds = std::vector<std::string>;

}  // namespace edgeconv
