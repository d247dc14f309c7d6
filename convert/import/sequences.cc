// Sequences of tensors whose members are known by position, as torch writes for x.chunk(5)[i] and for lists in scripts: SequenceAt and
// ConcatFromSequence read the tensors that the nodes before them put into the sequence, which itself becomes nothing.
#include "convert/import/building_blocks.h"
#include "convert/ir/axis.h"

namespace edgeconv {
namespace {

constexpr int kMaxChain = 1000;  // SequenceInsert after SequenceInsert

[[noreturn]] void refuse_unknown_members() {
  refuse("its members are not known: the sequence comes from a loop, a branch or a split of unknown form",
         "export without scripting (torch.jit.script), so that lists are unrolled");
}

int64_t known_position(ImportContext& c, const OnnxNode& n, size_t i) {
  const auto position = constant_ints(c, required_input(c, n, i));
  if (!position || position->size() != 1)
    refuse("the position in the sequence depends on data", "index lists with constants when you export");
  return (*position)[0];
}

// Negative positions count from the end; `size` + 1 of them are allowed for an insertion.
size_t position_in(int64_t position, size_t size) {
  const auto count = static_cast<int64_t>(size);
  const int64_t p = from_front(position, count);
  if (p < 0 || p >= count)
    throw NodeError("position " + std::to_string(position) + " is outside the sequence of " + std::to_string(count));
  return static_cast<size_t>(p);
}

// The tensors in the sequence that is n's input 0.
std::vector<ValueId> members(ImportContext& c, const OnnxNode& n, int depth = 0) {
  const OnnxNode* source = c.source(n, 0);
  if (source == nullptr || depth > kMaxChain) refuse_unknown_members();
  std::vector<ValueId> list;
  if (source->op_type == "SequenceConstruct") {
    for (size_t i = 0; i < source->inputs.size(); ++i) list.push_back(required_input(c, *source, i));
  } else if (source->op_type == "SequenceInsert") {
    list = members(c, *source, depth + 1);
    const bool at_end = !source->has_input(2);
    const int64_t where = at_end ? 0 : known_position(c, *source, 2);
    const auto end = static_cast<int64_t>(list.size());
    if (where < -end || where > end) throw NodeError("a tensor is inserted outside the sequence");
    list.insert(at_end ? list.end() : list.begin() + from_front(where, end), required_input(c, *source, 1));
  } else if (source->op_type == "SequenceErase") {
    list = members(c, *source, depth + 1);
    const int64_t where = source->has_input(1) ? known_position(c, *source, 1) : -1;
    list.erase(list.begin() + static_cast<int64_t>(position_in(where, list.size())));
  } else if (source->op_type != "SequenceEmpty") {
    refuse_unknown_members();
  }
  return list;
}

// Part `position` of a split: with one size, the last part may be smaller; with a list, sums of sizes are its ends.
ValueId part_of_split(ImportContext& c, const OnnxNode& n, const OnnxNode& split, int64_t position) {
  const ValueId x = required_input(c, split, 0), sizes = c.input(split, 1);
  const int64_t axis = split.integer("axis", 0);
  const Tensor* known = constant_of(c, sizes);
  ValueId start, end;
  if (sizes == kNone || (known != nullptr && known->rank() == 0) || (known == nullptr && rank_hint(c.graph(), sizes) == 0)) {
    const ValueId size = sizes == kNone ? int_scalar(c, n, 1) : cast(c, n, sizes, DType::kInt64);
    ValueId index = int_scalar(c, n, position);
    if (position < 0) {
      const ValueId rounded = sub(c, n, add(c, n, dim_size(c, n, x, axis), size), int_scalar(c, n, 1));
      index = add(c, n, binary(c, n, BinaryKind::kDiv, rounded, size), index);
    }
    start = unsqueeze(c, n, mul(c, n, index, size), {0});
    end = add(c, n, start, size);
  } else {
    const auto sum_before = [&](int64_t count) {
      const ValueId first = slice(c, n, cast(c, n, sizes, DType::kInt64), 0, 0, count);
      return c.inner(n, OpKind::kReduce, {first}, ReduceAttrs{ReduceKind::kSum, {0}});
    };
    start = position == 0 ? ints(c, n, {0}) : sum_before(position);
    end = sum_before(position == -1 ? INT64_MAX : position + 1);
  }
  const ValueId part = c.inner(n, OpKind::kSlice, {x, start, end, ints(c, n, {axis}), ints(c, n, {1})});
  return sizes == kNone && split.integer("keepdims", 1) == 0 ? c.inner(n, OpKind::kSqueeze, {part}, AxesAttrs{{axis}}) : part;
}

}  // namespace

// SequenceConstruct, SequenceEmpty, SequenceInsert, SequenceErase, SplitToSequence: whoever reads the sequence looks them up.
void import_sequence(ImportContext&, const OnnxNode&) {}

void import_sequence_at(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 2, 2);
  const int64_t position = known_position(c, n, 1);
  const OnnxNode* source = c.source(n, 0);
  if (source != nullptr && source->op_type == "SplitToSequence") {
    c.bind(n, 0, part_of_split(c, n, *source, position));
    return;
  }
  const std::vector<ValueId> list = members(c, n);
  c.bind(n, 0, list[position_in(position, list.size())]);
}

void import_sequence_length(ImportContext& c, const OnnxNode& n) {
  c.bind(n, 0, int_scalar(c, n, static_cast<int64_t>(members(c, n).size())));
}

void import_concat_from_sequence(ImportContext& c, const OnnxNode& n) {
  const int64_t axis = n.integer("axis");
  std::vector<ValueId> list = members(c, n);
  if (list.empty()) throw NodeError("the sequence is empty");
  if (n.integer("new_axis", 0) != 0)
    for (ValueId& v : list) v = unsqueeze(c, n, v, {axis});
  c.emit(n, OpKind::kConcat, std::move(list), AxisAttrs{axis});
}

}  // namespace edgeconv
