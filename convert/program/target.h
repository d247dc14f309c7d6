// The program as the blob will hold it, still in memory: runtime values, runtime ops, size
// expressions, constants. lower/ builds it from the graph, the program passes finish it (program_pass.h), blob/ writes it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convert/ir/attributes.h"
#include "convert/ir/dim_expr.h"
#include "convert/ir/tensor.h"
#include "rt/blob/kinds.h"
#include "rt/ops/op_params.h"

namespace edgeconv {

using ert::Storage;

struct TargetValue {
  uint8_t dtype = 0;  // ert_dtype or params::Layout
  Shape shape;
  Storage storage = Storage::kArena;
  int index = 0;                    // input or output position, aliased value, or (set by plan_slots) slot
  Tensor data;                      // constants: the bytes as the blob holds them, shared with the graph where they are equal
  int first_op = -1, last_op = -1;  // set by plan_slots
};

struct TargetOp {
  ert::params::OpCode code;
  std::vector<int> inputs;  // value indices, -1 = absent
  std::vector<int> outputs;
  std::vector<int32_t> ints;
  std::vector<float> floats;
  std::string name;  // source node
};

struct TargetDim {
  std::string name;
  int32_t min = 1, max = 1;
};

struct TargetInput {
  std::string name;
  uint8_t file_dtype = 0;  // ert_dtype of the ONNX input
  int value = -1;
  int32_t min = INT32_MIN, max = INT32_MAX;  // allowed integers
};

struct TargetOutput {
  std::string name;
  uint8_t file_dtype = 0;
  int value = -1;
};

// One row of the blob's expression table.
struct ExprRow {
  ert::ExprKind kind = ert::ExprKind::kConstant;
  uint32_t lhs = 0, rhs = 0;
  int64_t value = 0;
  auto operator<=>(const ExprRow&) const = default;
};

// Turns DimExprs into rows that share subexpressions. Dims must be declared first.
class ExprTable {
 public:
  explicit ExprTable(const std::vector<TargetDim>& dims);
  int add(const DimExpr& e);
  // The symbol `name` is from now on the number of packed rows of a [batch, sequence] mask.
  void declare_rows(const std::string& name, const DimExpr& batch, const DimExpr& sequence);
  const std::vector<ExprRow>& rows() const { return rows_; }

 private:
  int row(ExprRow r);
  int atom(const DimExpr::Atom& a);
  std::vector<ExprRow> rows_;
  std::map<ExprRow, int> index_;
  std::map<std::string, int> dims_;
  std::map<std::string, int> packed_rows_;  // symbol -> row
};

// A custom operator with one set of attributes.
struct TargetCustomOp {
  std::string name;  // "domain::Name"
  std::vector<CustomAttribute> attributes;
  bool operator==(const TargetCustomOp&) const = default;
};

// Padded positions are left out (program/pack_rows.cc): the input that marks them, its element there, and the symbol for the number
// of rows that are left of batch * sequence.
struct TargetPacking {
  int mask = 0, padding = 0;
  std::string rows;
  DimExpr batch, sequence;
};

// An output that the runtime keeps for an input of its next run; positions among outputs and inputs.
struct TargetState {
  uint32_t output, input;
};

struct TargetProgram {
  explicit TargetProgram(std::vector<TargetDim> d) : dims(std::move(d)), exprs(dims) {}

  std::vector<TargetDim> dims;
  ExprTable exprs;
  std::vector<TargetValue> values;
  std::vector<TargetOp> ops;
  std::vector<TargetInput> inputs;
  std::vector<TargetOutput> outputs;
  std::vector<TargetCustomOp> custom_ops;
  std::optional<TargetPacking> packing;
  std::vector<TargetState> states;
  int slots = 0;

  int add_value(uint8_t dtype, Shape shape);
  int add_constant(uint8_t dtype, Shape shape, Tensor data);
  int add_alias(int of, Shape shape);  // the same bytes under another shape
  int root(int v) const;               // follows aliases
  // Drops ops whose outputs nobody reads, then values that no op or boundary names; renumbers.
  void remove_dead();
};

size_t element_bytes(uint8_t dtype);
// Bytes of a value for concrete dims: elements times size, or the padded size of a packed layout.
int64_t value_bytes(const TargetValue& v, const std::map<std::string, int64_t>& dims);

}  // namespace edgeconv
