// Some ops of a program as one RowBands, and what the runtime says of an op: whether it takes its operands, and the scratch that it needs for them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convert/program/target.h"
#include "rt/ops/op.h"

namespace edgeconv {

using Dims = std::map<std::string, int64_t>;

// All size expressions of the program.
std::vector<int64_t> evaluated(const TargetProgram& p, const Dims& dims);

// Ops [first, last) as one, for `rows` rows of the last one's output at a time; exprs(e) is the place of a size expression. Whether they are a chain is
// what the runtime's op says (OpAtDims).
TargetOp chain_of(const TargetProgram& p, int first, int last, int rows, const std::function<int(const DimExpr&)>& exprs);

// Refers to op and exprs.
class OpAtDims {
 public:
  OpAtDims(const TargetProgram& p, const TargetOp& op, const std::vector<int64_t>& exprs, const Dims& dims);
  // Of one thread; nothing: the op does not take them.
  std::optional<size_t> scratch() const;

 private:
  std::vector<ert::Operand> operands_;
  ert::OpContext context_;
  const ert::OpDef* def_;
};

}  // namespace edgeconv
