// Parts of a model that no input of a validation set reaches: branches of If, and sides of Where. How accurate they are is not measured.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

class BranchWatch {
 public:
  // g stays where it is.
  explicit BranchWatch(const Graph& g);
  // What an observer of interpret() gets.
  void see(const Node& n, const std::vector<Tensor>& values);
  // "branch 'else' of 'name'", "side Y of Where 'name'", in a fixed order.
  std::vector<std::string> untaken() const;

 private:
  struct Ways {
    bool yes = false, no = false;
  };
  bool matters(const Node& n, bool side) const;

  const Graph& g_;
  std::vector<char> moves_;  // by value: whether its contents depend on those of the inputs
  std::map<const Node*, Ways> seen_;
};

}  // namespace edgeconv
