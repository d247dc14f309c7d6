// See op_kind.h.
#include "convert/ir/op_kind.h"

#include <iterator>

namespace edgeconv {

namespace {

enum MovedInputs : uint32_t { kNothing = 0, kFirst = 1, kFirstAndThird = 5, kSecondAndThird = 6, kAll = ~0u };

struct KindRow {
  std::string_view name;
  Computes computes;
  uint32_t moves;
  bool view;
};

constexpr KindRow kRows[] = {
#define EDGECONV_OP(name, inference, evaluation, lowering, computes, moves) \
  {#name, Computes::computes, MovedInputs::moves, std::string_view(#lowering) == "lower_view"},
#include "convert/ir/op_kinds.inc"
#undef EDGECONV_OP
};

const KindRow& row(OpKind k) { return kRows[static_cast<size_t>(k)]; }

}  // namespace

std::string_view op_name(OpKind k) { return static_cast<size_t>(k) < std::size(kRows) ? row(k).name : "?"; }
Computes computes(OpKind k) { return row(k).computes; }
uint32_t moved_inputs(OpKind k) { return row(k).moves; }
bool only_reshapes(OpKind k) { return row(k).view; }

}  // namespace edgeconv
