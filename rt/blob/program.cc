// Turns FlatBuffers vectors into plain spans: see program.h.
#include "rt/blob/program.h"

#include "rt/base/limits.h"

namespace ert {
namespace {

template <class T>
Span<T> structs(const flatbuffers::Vector<const T*>* v) {
  if (v == nullptr) return {};
  return {static_cast<const T*>(static_cast<const void*>(v->Data())), v->size()};
}

template <class T>
Span<T> scalars(const flatbuffers::Vector<T>* v) {
  if (v == nullptr) return {};
  return {static_cast<const T*>(static_cast<const void*>(v->Data())), v->size()};
}

}  // namespace

Program program_view(const uint8_t* blob, const fb::Program* root) {
  Program p;
  p.blob = blob;
  p.root = root;
  p.dims = structs(root->dims());
  p.exprs = structs(root->exprs());
  p.values = structs(root->values());
  p.inputs = scalars(root->inputs());
  p.outputs = scalars(root->outputs());
  p.input_dtypes = scalars(root->input_dtypes());
  p.output_dtypes = scalars(root->output_dtypes());
  p.input_ranges = structs(root->input_ranges());
  p.slots = root->slots();
  p.arena_order = scalars(root->arena_order());
  p.operands = scalars(root->operands());
  p.ints = scalars(root->ints());
  p.floats = scalars(root->floats());
  p.ops = structs(root->ops());
  p.segments = structs(root->segments());
  p.packing = structs(root->packing());
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
