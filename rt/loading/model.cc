// ert_model_open and the questions about a model.
#include "rt/loading/model.h"

#include <new>

#include "rt/base/abi.h"
#include "rt/sizes/dims.h"
#include "rt/base/limits.h"
#include "rt/verify/semantics.h"
#include "rt/verify/structure.h"

namespace ert {
namespace {

constexpr uint64_t kModelMagic = 0x6C65646F6D747265u;  // "ertmodel"

const char* text(const flatbuffers::String* s) { return s == nullptr ? "" : s->c_str(); }

uint32_t golden_count(const Program& p) { return p.root->golden() == nullptr ? 0 : p.root->golden()->size(); }

ert_status value_info(const Program& p, uint32_t v, const char* name, uint32_t dtype, ert_value_info* out) {
  const fb::Value& value = p.values[v];
  ert_value_info info{};
  info.name = name;
  info.dtype = dtype;
  info.rank = value.rank();
  info.min_value = INT32_MIN;
  info.max_value = INT32_MAX;
  for (uint32_t axis = 0; axis < ERT_MAX_RANK; ++axis) {
    info.dim[axis] = -1;
    if (axis >= info.rank) continue;
    const fb::Expr& e = p.exprs[value.shape()->Get(axis)];
    const ExprKind kind = kind_of(e);
    info.shape[axis] = kind == ExprKind::kConstant ? static_cast<int32_t>(e.value()) : -1;
    if (kind == ExprKind::kDim) info.dim[axis] = static_cast<int32_t>(e.lhs());
  }
  if (storage_of(value) == Storage::kInput && p.input_ranges.size != 0 && dtype != ERT_F32) {
    info.min_value = p.input_ranges[value.index()].min();
    info.max_value = p.input_ranges[value.index()].max();
  }
  info.state = -1;
  for (uint32_t i = 0; i < p.states.size; ++i) {
    const fb::State& s = p.states[i];
    const bool input = storage_of(value) == Storage::kInput;
    if ((input ? s.input() : s.output()) == value.index()) info.state = static_cast<int32_t>(input ? s.output() : s.input());
  }
  return write_struct(info, out) ? ERT_OK : ERT_ERR_ARG;
}

}  // namespace

const ModelState* model_state(const ert_model* m) {
  const ModelState* s = reinterpret_cast<const ModelState*>(m);
  return s != nullptr && s->magic == kModelMagic ? s : nullptr;
}

bool read_dims(const Program& p, const int32_t* dims, int32_t* out) {
  for (uint32_t i = 0; i < p.dims.size; ++i) {
    out[i] = dims == nullptr ? p.dims[i].max() : dims[i];
    if (out[i] < p.dims[i].min() || out[i] > p.dims[i].max()) return false;
  }
  return true;
}

}  // namespace ert

using namespace ert;

ert_status ert_model_open(ert_model* m, const void* blob, size_t bytes) { return ert_model_open_in(m, blob, bytes, nullptr, 0); }

ert_status ert_model_open_in(ert_model* m, const void* blob, size_t bytes, void* work, size_t work_bytes) {
  if (m == nullptr) return ERT_ERR_ARG;
  *m = ert_model{};
  if (blob == nullptr) return ERT_ERR_ARG;
  if (reinterpret_cast<uintptr_t>(work) % alignof(int64_t) != 0) return ERT_ERR_ALIGN;
  const LentMemory lent{static_cast<uint8_t*>(work), work_bytes};
  if (reinterpret_cast<uintptr_t>(blob) % ERT_REQUIRED_BLOB_ALIGN != 0) return ERT_ERR_ALIGN;
  Structure structure;
  const ert_status status = verify_structure(static_cast<const uint8_t*>(blob), bytes, &structure);
  if (status != ERT_OK) return status;
  const Program p = program_view(static_cast<const uint8_t*>(blob), structure.root);
  // Without the flag no segment is compressed (verify_structure).
  if ((structure.header.flags & kFlagCompressed) != 0) return ERT_ERR_COMPRESSED;
  const ert_status semantics = verify_semantics(p, lent);
  if (semantics != ERT_OK) return semantics;
  new (m) ModelState{kModelMagic, p.blob, p.root, structure.header, lent, p.segments.data, p.segments.size};
  return ERT_OK;
}

ert_status ert_model_info(const ert_model* m, ert_info* out) {
  const ModelState* s = model_state(m);
  if (s == nullptr) return ERT_ERR_ARG;
  const Program p = program_view(s->blob, s->root);
  ert_info info{};
  info.format_major = s->header.format_major;
  info.format_minor = s->header.format_minor;
  info.inputs = p.inputs.size;
  info.outputs = p.outputs.size;
  info.dims = p.dims.size;
  info.ops = p.ops.size;
  info.values = p.values.size;
  info.segments = p.segments.size;
  info.golden_vectors = golden_count(p);
  info.security_counter = s->header.security_counter;
  info.content_crc = s->header.content_crc;
  info.blob_bytes = s->header.total_bytes;
  for (uint32_t i = 0; i < p.segments.size; ++i) {
    if (kind_of(p.segments[i]) == SegmentKind::kConstants) info.weight_bytes += p.segments[i].bytes();
  }
  info.states = p.states.size;
  info.work_bytes = static_cast<uint32_t>(eval_bytes(p));
  info.producer = text(p.root->producer());
  info.source_sha256 = text(p.root->source_sha256());
  if (p.packing.size != 0) {
    info.skips_padding = 1;
    info.mask_input = p.packing[0].mask();
    info.mask_padding = p.packing[0].padding();
  }
  return write_struct(info, out) ? ERT_OK : ERT_ERR_ARG;
}

ert_status ert_model_dim(const ert_model* m, uint32_t i, ert_dim_info* out) {
  const ModelState* s = model_state(m);
  if (s == nullptr) return ERT_ERR_ARG;
  const Program p = program_view(s->blob, s->root);
  if (i >= p.dims.size) return ERT_ERR_ARG;
  ert_dim_info info{};
  info.name = p.root->dim_names()->Get(i)->c_str();
  info.min = p.dims[i].min();
  info.max = p.dims[i].max();
  return write_struct(info, out) ? ERT_OK : ERT_ERR_ARG;
}

ert_status ert_model_input(const ert_model* m, uint32_t i, ert_value_info* out) {
  const ModelState* s = model_state(m);
  if (s == nullptr) return ERT_ERR_ARG;
  const Program p = program_view(s->blob, s->root);
  if (i >= p.inputs.size) return ERT_ERR_ARG;
  return value_info(p, p.inputs[i], p.root->input_names()->Get(i)->c_str(), p.input_dtypes[i], out);
}

ert_status ert_model_output(const ert_model* m, uint32_t i, ert_value_info* out) {
  const ModelState* s = model_state(m);
  if (s == nullptr) return ERT_ERR_ARG;
  const Program p = program_view(s->blob, s->root);
  if (i >= p.outputs.size) return ERT_ERR_ARG;
  return value_info(p, p.outputs[i], p.root->output_names()->Get(i)->c_str(), p.output_dtypes[i], out);
}
