// Writes a BlobSpec as an .ert blob: see blob_builder.h.
#include "tests/support/blob_builder.h"

#include <cstring>
#include <type_traits>

#include "rt/blob/crc32c.h"

namespace ert::testing {
namespace {

// Numbers of the format are written out in tests: taken from the product, a change of one would go unnoticed.
uint64_t aligned(uint64_t x) { return (x + 63) / 64 * 64; }

template <class T, class F>
auto mapped(const std::vector<T>& from, F f) {
  std::vector<std::decay_t<decltype(f(from[0]))>> to;
  for (const T& x : from) to.push_back(f(x));
  return to;
}

std::vector<fb::Value> value_rows(const BlobSpec& s) {
  std::vector<fb::Value> rows;
  for (const BlobSpec::Value& v : s.values) {
    uint32_t shape[8] = {};
    for (size_t i = 0; i < v.shape.size() && i < 8; ++i) shape[i] = v.shape[i];
    rows.emplace_back(v.dtype, static_cast<uint8_t>(v.shape.size()), v.storage, 0, v.index, v.offset,
                      flatbuffers::span<const uint32_t, 8>(shape), v.first_op, v.last_op);
  }
  return rows;
}

std::vector<fb::Segment> segment_rows(const BlobSpec& s, uint64_t base) {
  std::vector<fb::Segment> rows;
  uint64_t end = base;
  for (const BlobSpec::Segment& g : s.segments) {
    const bool packed = g.raw_bytes != 0;
    rows.emplace_back(aligned(end), g.bytes.size(), packed ? g.raw_bytes : g.bytes.size(),
                      crc32c(0, g.bytes.data(), g.bytes.size()), g.kind, static_cast<uint8_t>(packed), 0);
    end = aligned(end) + g.bytes.size();
  }
  return rows;
}

struct Pools {
  std::vector<int32_t> operands, ints;
  std::vector<float> floats;
  std::vector<fb::Op> ops;
};

Pools pools_of(const BlobSpec& s) {
  Pools p;
  for (const BlobSpec::Op& op : s.ops) {
    p.ops.emplace_back(static_cast<uint16_t>(op.code), static_cast<uint8_t>(op.inputs.size()),
                       static_cast<uint8_t>(op.outputs.size()), static_cast<uint32_t>(p.operands.size()),
                       static_cast<uint32_t>(p.ints.size()), static_cast<uint16_t>(op.ints.size()),
                       static_cast<uint16_t>(op.floats.size()), static_cast<uint32_t>(p.floats.size()));
    p.operands.insert(p.operands.end(), op.inputs.begin(), op.inputs.end());
    p.operands.insert(p.operands.end(), op.outputs.begin(), op.outputs.end());
    p.ints.insert(p.ints.end(), op.ints.begin(), op.ints.end());
    p.floats.insert(p.floats.end(), op.floats.begin(), op.floats.end());
  }
  return p;
}

void build_metadata(const BlobSpec& s, uint64_t base, flatbuffers::FlatBufferBuilder& b) {
  const Pools pools = pools_of(s);
  const auto values = value_rows(s);
  const auto segments = segment_rows(s, base);
  const auto value_of = [](const BlobSpec::Port& p) { return p.value; };
  const auto name_of = [](const BlobSpec::Port& p) { return p.name; };
  const auto dtype_of = [](const BlobSpec::Port& p) { return p.dtype; };
  const auto inputs = mapped(s.inputs, value_of), outputs = mapped(s.outputs, value_of);
  const auto strings = [&b](const std::vector<std::string>& from) {
    return mapped(from, [&b](const std::string& text) { return b.CreateString(text); });
  };
  const auto dim_names = strings(s.dim_names);
  const auto input_names = strings(mapped(s.inputs, name_of)), output_names = strings(mapped(s.outputs, name_of));
  const auto input_dtypes = mapped(s.inputs, dtype_of), output_dtypes = mapped(s.outputs, dtype_of);
  const auto ranges = mapped(s.inputs, [](const BlobSpec::Port& p) { return fb::IntRange(p.min, p.max); });
  std::vector<flatbuffers::Offset<flatbuffers::String>> op_names;
  for (size_t i = 0; i < s.ops.size(); ++i) op_names.push_back(b.CreateString("node_" + std::to_string(i)));
  std::vector<flatbuffers::Offset<fb::Golden>> golden;
  for (const BlobSpec::Golden& g : s.golden) golden.push_back(fb::CreateGoldenDirect(b, &g.dims, g.segment, &g.offsets));
  std::vector<flatbuffers::Offset<fb::CustomOp>> customs;
  for (const BlobSpec::CustomOp& c : s.custom_ops) {
    std::vector<flatbuffers::Offset<fb::CustomAttribute>> attributes;
    if (!c.attribute.empty()) attributes.push_back(fb::CreateCustomAttributeDirect(b, c.attribute.c_str(), 3, &c.ints));
    for (const BlobSpec::Attribute& a : c.more)
      attributes.push_back(fb::CreateCustomAttributeDirect(b, a.name.c_str(), a.kind, a.ints ? &*a.ints : nullptr,
                                                           a.floats ? &*a.floats : nullptr, a.text ? a.text->c_str() : nullptr));
    customs.push_back(fb::CreateCustomOpDirect(b, c.name.c_str(), attributes.empty() ? nullptr : &attributes));
  }
  fb::FinishProgramBuffer(
      b,
      fb::CreateProgramDirect(b, "blob_builder", "", &s.dims, &dim_names, &s.exprs, &values, &inputs, &input_names, &input_dtypes,
                              s.input_ranges ? &ranges : nullptr, &outputs, &output_names, &output_dtypes, s.slots, &s.arena_order, &pools.operands,
                              &pools.ints, &pools.floats, &pools.ops, s.op_names ? &op_names : nullptr, &segments, &customs, &golden, "{}",
                              s.program_flags, s.packing.empty() ? nullptr : &s.packing, s.states.empty() ? nullptr : &s.states));
}

}  // namespace

uint32_t BlobSpec::constant(int64_t value) {
  exprs.emplace_back(0, 0, 0, 0, value);
  return static_cast<uint32_t>(exprs.size()) - 1;
}

uint32_t BlobSpec::expr(uint32_t kind, uint32_t lhs, uint32_t rhs) {
  exprs.emplace_back(kind, lhs, rhs, 0, 0);
  return static_cast<uint32_t>(exprs.size()) - 1;
}

uint32_t BlobSpec::dim(const std::string& name, int32_t min, int32_t max) {
  dims.emplace_back(min, max);
  dim_names.push_back(name);
  return expr(1, static_cast<uint32_t>(dims.size()) - 1, 0);
}

uint32_t BlobSpec::add(Value v) {
  values.push_back(std::move(v));
  return static_cast<uint32_t>(values.size()) - 1;
}

uint32_t BlobSpec::add_constant(uint8_t dtype, std::vector<uint32_t> shape, const std::vector<float>& contents) {
  Segment segment;
  segment.bytes.resize(contents.size() * sizeof(float));
  std::memcpy(segment.bytes.data(), contents.data(), segment.bytes.size());
  segments.push_back(std::move(segment));
  return add({dtype, std::move(shape), 1, static_cast<uint32_t>(segments.size()) - 1});
}

uint32_t BlobSpec::add_input(const std::string& name, uint8_t dtype, std::vector<uint32_t> shape) {
  const uint32_t v = add({dtype, std::move(shape), 2, static_cast<uint32_t>(inputs.size())});
  inputs.push_back({v, name, dtype});
  return v;
}

uint32_t BlobSpec::add_output(const std::string& name, uint8_t dtype, std::vector<uint32_t> shape, uint32_t first_op) {
  const uint32_t v = add({dtype, std::move(shape), 3, static_cast<uint32_t>(outputs.size()), 0, first_op, first_op});
  outputs.push_back({v, name, dtype});
  return v;
}

AlignedBytes BlobSpec::build() const {
  flatbuffers::FlatBufferBuilder measured, b;
  build_metadata(*this, 0, measured);
  Header h;
  for (const Segment& g : segments) h.flags |= g.raw_bytes != 0 ? kFlagCompressed : 0;
  h.metadata_bytes = measured.GetSize();
  h.security_counter = security_counter;
  h.segments_offset = aligned(kHeaderBytes + h.metadata_bytes);
  build_metadata(*this, h.segments_offset, b);
  const std::vector<fb::Segment> rows = segment_rows(*this, h.segments_offset);
  h.total_bytes = rows.empty() ? h.segments_offset : rows.back().offset() + rows.back().bytes();
  AlignedBytes blob(h.total_bytes);
  std::memcpy(blob.data() + kHeaderBytes, b.GetBufferPointer(), b.GetSize());
  for (size_t i = 0; i < rows.size(); ++i)
    std::copy(segments[i].bytes.begin(), segments[i].bytes.end(), blob.data() + rows[i].offset());
  encode_header(h, blob.data());
  reseal(&blob);
  return blob;
}

ert_status open_spec(const BlobSpec& s) {
  const AlignedBytes b = s.build();
  ert_model m;
  return ert_model_open(&m, b.data(), b.size());
}

AlignedBytes with_signature(const AlignedBytes& blob, const uint8_t* signature) {
  Header h;
  if (decode_header(blob.data(), blob.size(), &h) != ERT_OK) return blob;
  const size_t block = static_cast<size_t>(segment_start(h.segments_end()));
  AlignedBytes out(block + kSignatureBlockBytes);
  std::copy(blob.data(), blob.data() + h.segments_end(), out.data());
  h.flags |= kFlagSigned;
  h.total_bytes = out.size();
  const auto content_crc = [&](size_t end) { return crc32c(0, out.data() + kHeaderBytes, end - kHeaderBytes); };
  h.content_crc = content_crc(out.size());
  encode_header(h, out.data());
  std::copy(signature, signature + kSignatureBytes, out.data() + block);
  // The last four bytes bring the checksum back to that of a block of zeros: bit by bit, each flips bits of the checksum that depend on
  // nothing else, so this solves 32 equations by elimination. (The converter has a shorter way; two ways check each other.)
  const size_t last = block + kSignatureBytes;
  uint32_t rows[32], effects[32];
  const uint32_t start = content_crc(out.size());
  for (uint32_t bit = 0; bit < 32; ++bit) {
    out.data()[last + bit / 8] = static_cast<uint8_t>(1u << bit % 8);
    effects[bit] = content_crc(out.size()) ^ start, rows[bit] = 1u << bit;
    out.data()[last + bit / 8] = 0;
  }
  uint32_t wanted = start ^ h.content_crc, fix = 0;
  for (uint32_t column = 0; column < 32; ++column) {
    uint32_t pivot = column;
    while (pivot < 31 && (effects[pivot] >> column & 1) == 0) ++pivot;
    std::swap(effects[pivot], effects[column]), std::swap(rows[pivot], rows[column]);
    for (uint32_t r = column + 1; r < 32; ++r)
      if ((effects[r] >> column & 1) != 0) effects[r] ^= effects[column], rows[r] ^= rows[column];
    if ((wanted >> column & 1) != 0) wanted ^= effects[column], fix ^= rows[column];
  }
  for (size_t i = 0; i < 4; ++i) out.data()[last + i] = static_cast<uint8_t>(fix >> (8 * i));
  return out;
}

void reseal(AlignedBytes* blob) {
  const auto put = [&](size_t at, uint32_t v) { std::memcpy(blob->data() + at, &v, sizeof v); };
  put(48, crc32c(0, blob->data() + kHeaderBytes, blob->size() - kHeaderBytes));
  put(52, crc32c(0, blob->data(), 52));
}

const float kSmallBias[4] = {0.5f, -1.0f, 2.0f, 0.0f};

float small_program_result(float x, int column) {
  const float sum = -x + kSmallBias[column];
  return sum < 0 ? -sum : sum;
}

BlobSpec small_program() {
  using params::OpCode;
  BlobSpec s;
  const uint32_t batch = s.dim("batch", 1, 8);
  const uint32_t four = s.constant(4);
  const uint32_t x = s.add_input("x", ERT_F32, {batch, four});
  const uint32_t bias = s.add_constant(ERT_F32, {four}, {kSmallBias, kSmallBias + 4});
  const uint32_t negated = s.add({ERT_F32, {batch, four}, 0, 0, 0, 0, 1});
  const uint32_t sum = s.add({ERT_F32, {batch, four}, 0, 1, 0, 1, 2});
  const uint32_t copied = s.add({ERT_F32, {batch, four}, 0, 0, 0, 2, 3});
  const uint32_t out = s.add_output("out", ERT_F32, {batch, four}, 3);
  const auto i = [](uint32_t v) { return static_cast<int32_t>(v); };
  s.ops = {{OpCode::kUnary, {i(x)}, {i(negated)}, {params::unary::kNeg}, {}},
           {OpCode::kBinary, {i(negated), i(bias)}, {i(sum)}, {params::binary::kAdd}, {}},
           {OpCode::kCopy, {i(sum)}, {i(copied)}, {}, {}},
           {OpCode::kUnary, {i(copied)}, {i(out)}, {params::unary::kAbs}, {}}};
  s.slots = 2;
  s.arena_order = {negated, copied, sum};
  return s;
}

}  // namespace ert::testing
