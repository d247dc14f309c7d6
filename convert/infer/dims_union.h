// Union of dims that the graph proves equal: batch = batch_1, sequence = 33. A representative is a number where one is
// known, else the name that comes first among the graph's inputs, else any other.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

class DimsUnion {
 public:
  explicit DimsUnion(Graph& g);

  enum class Result { kSame, kMerged, kSpecialised, kUndecided, kContradiction };
  // Makes a == b hold by replacing one symbol everywhere in the graph. kSpecialised: a dim of an input became a number.
  // kUndecided: both are expressions that this class does not solve; nothing changed.
  Result unify(const DimExpr& a, const DimExpr& b);
  bool changed() const { return changed_; }
  // After kSpecialised: which dim, and its value.
  const std::string& last_symbol() const { return last_symbol_; }
  int64_t last_number() const { return last_number_; }

 private:
  bool is_input_dim(const std::string& name) const { return order_.count(name) != 0; }
  bool preferred(const std::string& a, const std::string& b) const;  // a is the better name
  void replace(const std::string& symbol, const DimExpr& with);
  void note_same(const std::string& symbol, const std::string& kept);

  Graph& g_;
  std::map<std::string, size_t> order_;  // dims of graph inputs, in order of appearance
  bool changed_ = false;
  std::string last_symbol_;
  int64_t last_number_ = 0;
};

}  // namespace edgeconv
