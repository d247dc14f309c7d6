// Turns FlatBuffers vectors into plain spans: see program.h.
#include "rt/blob/program.h"

#include <string.h>

#include "rt/base/limits.h"

namespace ert {
namespace {

// One function for vectors of all types, which all are a number of elements and the elements. out: a Span of any type.
__attribute__((noinline)) void find(const fb::Program* root, flatbuffers::voffset_t field, void* out) {
  const auto* table = reinterpret_cast<const flatbuffers::Table*>(root);  // its base, which the generated class keeps private
  const auto* v = table->GetPointer<const flatbuffers::Vector<uint8_t>*>(field);
  Span<uint8_t> span;
  if (v != nullptr) span = {v->Data(), v->size()};
  memcpy(out, &span, sizeof span);
}

template <class T>
void view(const fb::Program* root, flatbuffers::voffset_t field, Span<T>* out) {
  static_assert(sizeof(Span<T>) == sizeof(Span<uint8_t>), "one layout");
  find(root, field, out);
}

}  // namespace

Program program_view(const uint8_t* blob, const fb::Program* root) {
  Program p;
  p.blob = blob;
  p.root = root;
  view(root, fb::Program::VT_DIMS, &p.dims);
  view(root, fb::Program::VT_EXPRS, &p.exprs);
  view(root, fb::Program::VT_VALUES, &p.values);
  view(root, fb::Program::VT_INPUTS, &p.inputs);
  view(root, fb::Program::VT_OUTPUTS, &p.outputs);
  view(root, fb::Program::VT_INPUT_DTYPES, &p.input_dtypes);
  view(root, fb::Program::VT_OUTPUT_DTYPES, &p.output_dtypes);
  view(root, fb::Program::VT_INPUT_RANGES, &p.input_ranges);
  p.slots = root->slots();
  view(root, fb::Program::VT_ARENA_ORDER, &p.arena_order);
  view(root, fb::Program::VT_OPERANDS, &p.operands);
  view(root, fb::Program::VT_INTS, &p.ints);
  view(root, fb::Program::VT_FLOATS, &p.floats);
  view(root, fb::Program::VT_OPS, &p.ops);
  view(root, fb::Program::VT_SEGMENTS, &p.segments);
  view(root, fb::Program::VT_PACKING, &p.packing);
  view(root, fb::Program::VT_STATES, &p.states);
  return p;
}

uint32_t root_value(const Program& p, uint32_t v) {
  for (uint32_t hop = 0; hop < limits::kMaxAliasHops && storage_of(p.values[v]) == Storage::kAlias; ++hop)
    v = p.values[v].index();
  return v;
}

const char* op_name(const Program& p, uint32_t op) {
  const auto* names = p.root->op_names();
  return names != nullptr && op < names->size() ? names->Get(op)->c_str() : "";
}

}  // namespace ert
