// See blob_spec_reader.h.
#include "tests/fuzz/blob_spec_reader.h"

#include <cstring>

#include "rt/verify/structure.h"

namespace ert::fuzz {
namespace {

using testing::AlignedBytes;
using testing::BlobSpec;

template <class V, class T>
void copy_all(const V* from, std::vector<T>* to) {
  if (from == nullptr) return;
  for (uint32_t i = 0; i < from->size(); ++i) to->push_back(from->Get(i));
}

template <class T>
void copy_rows(const Span<T>& from, std::vector<T>* to) {
  to->assign(from.data, from.data + from.size);
}

template <class T>
std::string text(const T* s) {
  return s == nullptr ? std::string() : s->str();
}

// Lists that are shorter than they should be are the verifier's business: what is missing becomes 0.
template <class T>
T at_or(const Span<T>& span, uint32_t i, T otherwise) {
  return i < span.size ? span[i] : otherwise;
}

template <class T>
std::vector<T> part(const Span<T>& pool, uint32_t first, uint32_t n) {
  if (first > pool.size || n > pool.size - first) return {};
  return std::vector<T>(pool.data + first, pool.data + first + n);
}

void read_ops(const Program& p, BlobSpec* s) {
  for (uint32_t i = 0; i < p.ops.size; ++i) {
    const fb::Op& op = p.ops[i];
    BlobSpec::Op row{static_cast<params::OpCode>(op.code()), {}, {}, {}, {}};
    row.inputs = part(p.operands, op.first_operand(), op.n_inputs());
    row.outputs = part(p.operands, op.first_operand() + op.n_inputs(), op.n_outputs());
    row.ints = part(p.ints, op.first_int(), op.n_ints());
    row.floats = part(p.floats, op.first_float(), op.n_floats());
    s->ops.push_back(row);
  }
}

void read_ports(const Program& p, BlobSpec* s) {
  const auto name = [](const auto* names, uint32_t i) {
    return names != nullptr && i < names->size() ? names->Get(i)->str() : std::string();
  };
  for (uint32_t i = 0; i < p.inputs.size; ++i) {
    BlobSpec::Port port{p.inputs[i], name(p.root->input_names(), i), at_or<uint8_t>(p.input_dtypes, i, 0)};
    if (i < p.input_ranges.size) port.min = p.input_ranges[i].min(), port.max = p.input_ranges[i].max();
    s->inputs.push_back(port);
  }
  for (uint32_t i = 0; i < p.outputs.size; ++i)
    s->outputs.push_back({p.outputs[i], name(p.root->output_names(), i), at_or<uint8_t>(p.output_dtypes, i, 0)});
}

void read_tables(const Program& p, BlobSpec* s) {
  const auto* golden = p.root->golden();
  for (uint32_t i = 0; golden != nullptr && i < golden->size(); ++i) {
    BlobSpec::Golden g{{}, golden->Get(i)->segment(), {}};
    copy_all(golden->Get(i)->dims(), &g.dims);
    copy_all(golden->Get(i)->offsets(), &g.offsets);
    s->golden.push_back(g);
  }
  const auto* customs = p.root->custom_ops();
  for (uint32_t i = 0; customs != nullptr && i < customs->size(); ++i) {
    BlobSpec::CustomOp custom{text(customs->Get(i)->name()), "", {}, {}};
    const auto* attributes = customs->Get(i)->attributes();
    for (uint32_t k = 0; attributes != nullptr && k < attributes->size(); ++k) {
      const fb::CustomAttribute& a = *attributes->Get(k);
      BlobSpec::Attribute row{text(a.name()), a.kind()};
      if (a.ints() != nullptr) copy_all(a.ints(), &row.ints.emplace());
      if (a.floats() != nullptr) copy_all(a.floats(), &row.floats.emplace());
      if (a.text() != nullptr) row.text = a.text()->str();
      custom.more.push_back(row);
    }
    s->custom_ops.push_back(custom);
  }
}

}  // namespace

bool read_spec(const uint8_t* data, size_t bytes, BlobSpec* spec) {
  AlignedBytes blob(bytes);
  if (bytes != 0) std::memcpy(blob.data(), data, bytes);
  Structure structure;
  if (verify_structure(blob.data(), bytes, &structure) != ERT_OK) return false;
  const Program p = program_view(blob.data(), structure.root);
  BlobSpec s;
  copy_rows(p.dims, &s.dims);
  const auto* names = p.root->dim_names();
  for (uint32_t i = 0; names != nullptr && i < names->size(); ++i) s.dim_names.push_back(names->Get(i)->str());
  copy_rows(p.exprs, &s.exprs);
  for (uint32_t i = 0; i < p.values.size; ++i) {
    const fb::Value& v = p.values[i];
    BlobSpec::Value row{v.dtype(), {}, v.storage(), v.index(), v.offset(), v.first_op(), v.last_op()};
    for (uint32_t axis = 0; axis < v.rank() && axis < ERT_MAX_RANK; ++axis) row.shape.push_back(v.shape()->Get(axis));
    s.values.push_back(row);
  }
  read_ops(p, &s);
  read_ports(p, &s);
  for (uint32_t i = 0; i < p.segments.size; ++i) {
    const fb::Segment& g = p.segments[i];
    const uint8_t* first = blob.data() + g.offset();
    s.segments.push_back({{first, first + g.bytes()}, g.kind(), compression_of(g) == Compression::kNone ? 0 : g.raw_bytes()});
  }
  read_tables(p, &s);
  copy_rows(p.arena_order, &s.arena_order);
  s.slots = p.slots;
  s.security_counter = structure.header.security_counter;
  s.program_flags = p.root->flags();
  copy_rows(p.packing, &s.packing);
  copy_rows(p.states, &s.states);
  *spec = s;
  return true;
}

}  // namespace ert::fuzz
