// Serialises the target program. Order of everything follows the program, never a hash table or an address.
#include "convert/blob/blob.h"

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

#include "convert/blob/counts.h"
#include "convert/blob/golden_segment.h"
#include "convert/blob/names.h"
#include "convert/program/slots.h"
#include "rt/blob/crc32c.h"
#include "rt/blob/header.h"
#include "rt/blob/kinds.h"
#include "rt/include/ert.h"
#include "rt/schema/program_generated.h"

namespace edgeconv {

namespace {

using ert::AttributeKind;
using ert::segment_start;
using ert::SegmentKind;

bool same_bytes(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  const auto same = [](const Tensor& x, const Tensor& y) {
    return x.dtype() == y.dtype() && x.dims() == y.dims() && x.bytes() == y.bytes() &&
           (x.bytes() == 0 || std::memcmp(x.data(), y.data(), x.bytes()) == 0);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

// The constants of the blob, each once, in order of first use.
class SegmentTable {
 public:
  int add(std::string_view bytes, SegmentKind kind) {
    const auto [it, fresh] = index_.try_emplace(std::pair(kind, bytes), static_cast<int>(segments_.size()));
    if (fresh) {
      const uint64_t offset = segment_start(end_);
      segments_.push_back({offset, bytes.size(), ert::crc32c(0, bytes.data(), bytes.size()), kind});
      contents_.push_back(bytes);
      end_ = offset + bytes.size();
    }
    return it->second;
  }
  uint64_t bytes() const { return end_; }
  const std::vector<std::string_view>& contents() const { return contents_; }
  std::vector<ert::fb::Segment> rows(uint64_t base) const {
    std::vector<ert::fb::Segment> r;
    for (const Row& s : segments_) {
      r.emplace_back(base + s.offset, s.bytes, s.bytes, s.crc, static_cast<uint8_t>(s.kind),
                     static_cast<uint8_t>(ert::Compression::kNone), 0);
    }
    return r;
  }
  uint64_t offset(size_t i) const { return segments_[i].offset; }

 private:
  struct Row {
    uint64_t offset, bytes;
    uint32_t crc;
    SegmentKind kind;
  };
  std::map<std::pair<SegmentKind, std::string_view>, int> index_;
  std::vector<Row> segments_;
  std::vector<std::string_view> contents_;
  uint64_t end_ = 0;
};

std::vector<ert::fb::Value> value_rows(TargetProgram& p, SegmentTable& segments) {
  std::vector<ert::fb::Value> rows;
  for (const TargetValue& v : p.values) {
    uint32_t shape[ERT_MAX_RANK] = {};
    for (size_t i = 0; i < v.shape.size(); ++i) shape[i] = static_cast<uint32_t>(p.exprs.add(v.shape[i]));
    uint32_t index = static_cast<uint32_t>(v.index);
    if (v.storage == Storage::kConstant)
      index = static_cast<uint32_t>(
          segments.add({reinterpret_cast<const char*>(v.data.data()), v.data.bytes()}, SegmentKind::kConstants));
    const bool timed =
        v.storage == Storage::kArena || v.storage == Storage::kOutput;  // outputs: first_op names the op that writes them
    rows.emplace_back(v.dtype, static_cast<uint8_t>(v.shape.size()), static_cast<uint8_t>(v.storage), 0, index, 0,
                      flatbuffers::span<const uint32_t, ERT_MAX_RANK>(shape), timed ? static_cast<uint32_t>(v.first_op) : 0,
                      timed ? static_cast<uint32_t>(v.last_op) : 0);
  }
  return rows;
}

struct Golden {
  std::vector<std::string> bytes;  // kept alive until they are copied
  std::vector<std::vector<uint64_t>> offsets;
  std::vector<int> segment;
};

// One for each alternative of CustomAttribute: another alternative does not compile without it.
struct AttributeRow {
  AttributeKind kind = AttributeKind::kInt;
  std::vector<int32_t> ints;
  std::vector<float> floats;
  std::string text;

  void operator()(int64_t i) { ints = {static_cast<int32_t>(i)}; }
  void operator()(float f) { kind = AttributeKind::kFloat, floats = {f}; }
  void operator()(const std::string& s) { kind = AttributeKind::kString, text = s; }
  void operator()(const std::vector<int64_t>& v) { kind = AttributeKind::kInts, ints.assign(v.begin(), v.end()); }
  void operator()(const std::vector<float>& v) { kind = AttributeKind::kFloats, floats = v; }
};

flatbuffers::Offset<ert::fb::CustomAttribute> custom_attribute(flatbuffers::FlatBufferBuilder& b, const CustomAttribute& a) {
  AttributeRow row;
  std::visit(row, a.second);
  return ert::fb::CreateCustomAttributeDirect(b, a.first.c_str(), static_cast<uint32_t>(row.kind), &row.ints, &row.floats,
                                              row.text.c_str());
}

std::vector<flatbuffers::Offset<ert::fb::CustomOp>> custom_rows(flatbuffers::FlatBufferBuilder& b, const TargetProgram& p) {
  std::vector<flatbuffers::Offset<ert::fb::CustomOp>> rows;
  for (const TargetCustomOp& op : p.custom_ops) {
    std::vector<flatbuffers::Offset<ert::fb::CustomAttribute>> attributes;
    for (const CustomAttribute& a : op.attributes) attributes.push_back(custom_attribute(b, a));
    rows.push_back(ert::fb::CreateCustomOpDirect(b, op.name.c_str(), &attributes));
  }
  return rows;
}

// The expression of the packed rows; write_blob made sure that the table has it.
int exprs_of_rows(const TargetProgram& p) {
  ExprTable exprs = p.exprs;
  return exprs.add(DimExpr::symbol(p.packing->rows));
}

// The flatbuffer for segments that start at byte `base` of the blob. Its size does not depend on base.
void build_metadata(flatbuffers::FlatBufferBuilder& b, const TargetProgram& p, const BlobMeta& meta,
                    const std::vector<ert::fb::Value>& values, const SegmentTable& segments, const Golden& g, uint64_t base) {
  std::vector<int32_t> operands, ints;
  std::vector<float> floats;
  std::vector<ert::fb::Op> ops;
  std::vector<std::string> op_names;
  for (const TargetOp& op : p.ops) {
    ops.emplace_back(static_cast<uint16_t>(op.code), static_cast<uint8_t>(op.inputs.size()),
                     static_cast<uint8_t>(op.outputs.size()), static_cast<uint32_t>(operands.size()),
                     static_cast<uint32_t>(ints.size()), static_cast<uint16_t>(op.ints.size()),
                     static_cast<uint16_t>(op.floats.size()), static_cast<uint32_t>(floats.size()));
    operands.insert(operands.end(), op.inputs.begin(), op.inputs.end());
    operands.insert(operands.end(), op.outputs.begin(), op.outputs.end());
    ints.insert(ints.end(), op.ints.begin(), op.ints.end());
    floats.insert(floats.end(), op.floats.begin(), op.floats.end());
    op_names.push_back(op.name);
  }
  std::vector<ert::fb::Dim> dims;
  std::vector<std::string> dim_names;
  for (const TargetDim& d : p.dims) {
    dims.emplace_back(d.min, d.max);
    dim_names.push_back(d.name);
  }
  std::vector<uint32_t> inputs, outputs;
  std::vector<std::string> input_names, output_names;
  std::vector<uint8_t> input_dtypes, output_dtypes;
  std::vector<ert::fb::IntRange> ranges;
  for (const TargetInput& i : p.inputs) {
    inputs.push_back(static_cast<uint32_t>(i.value));
    input_names.push_back(i.name);
    input_dtypes.push_back(i.file_dtype);
    ranges.emplace_back(i.min, i.max);
  }
  for (const TargetOutput& o : p.outputs) {
    outputs.push_back(static_cast<uint32_t>(o.value));
    output_names.push_back(o.name);
    output_dtypes.push_back(o.file_dtype);
  }
  std::vector<ert::fb::Expr> exprs;
  for (const ExprRow& r : p.exprs.rows()) exprs.emplace_back(static_cast<uint32_t>(r.kind), r.lhs, r.rhs, 0, r.value);

  std::vector<flatbuffers::Offset<ert::fb::Golden>> golden;
  for (size_t i = 0; i < meta.golden.size(); ++i)
    golden.push_back(ert::fb::CreateGoldenDirect(b, &meta.golden[i].dims, static_cast<uint32_t>(g.segment[i]), &g.offsets[i]));
  const auto customs = custom_rows(b, p);
  const std::vector<ert::fb::Segment> segment_rows = segments.rows(base);
  const std::vector<uint32_t> order = arena_order(p);

  const auto producer = b.CreateString(meta.producer), sha = b.CreateString(meta.source_sha256),
             certificate = b.CreateString(meta.certificate);
  const auto dims_v = b.CreateVectorOfStructs(dims);
  const auto dim_names_v = b.CreateVectorOfStrings(dim_names);
  const auto exprs_v = b.CreateVectorOfStructs(exprs);
  const auto values_v = b.CreateVectorOfStructs(values);
  const auto inputs_v = b.CreateVector(inputs);
  const auto input_names_v = b.CreateVectorOfStrings(input_names);
  const auto input_dtypes_v = b.CreateVector(input_dtypes);
  const auto ranges_v = b.CreateVectorOfStructs(ranges);
  const auto outputs_v = b.CreateVector(outputs);
  const auto output_names_v = b.CreateVectorOfStrings(output_names);
  const auto output_dtypes_v = b.CreateVector(output_dtypes);
  const auto order_v = b.CreateVector(order);
  const auto operands_v = b.CreateVector(operands);
  const auto ints_v = b.CreateVector(ints);
  const auto floats_v = b.CreateVector(floats);
  const auto ops_v = b.CreateVectorOfStructs(ops);
  const auto op_names_v = b.CreateVectorOfStrings(op_names);
  const auto segments_v = b.CreateVectorOfStructs(segment_rows);
  const auto golden_v = b.CreateVector(golden);
  const auto customs_v = customs.empty() ? 0 : b.CreateVector(customs);
  std::vector<ert::fb::Packing> packing;
  if (p.packing)
    packing.emplace_back(static_cast<uint32_t>(p.packing->mask), static_cast<uint32_t>(p.packing->padding),
                         static_cast<uint32_t>(exprs_of_rows(p)), 0);
  std::vector<ert::fb::State> states;
  for (const TargetState& s : p.states) states.emplace_back(s.input, s.output);
  const auto states_v = states.empty() ? 0 : b.CreateVectorOfStructs(states);
  const auto packing_v = packing.empty() ? 0 : b.CreateVectorOfStructs(packing);

  ert::fb::ProgramBuilder builder(b);
  builder.add_producer(producer);
  builder.add_source_sha256(sha);
  builder.add_dims(dims_v);
  builder.add_dim_names(dim_names_v);
  builder.add_exprs(exprs_v);
  builder.add_values(values_v);
  builder.add_inputs(inputs_v);
  builder.add_input_names(input_names_v);
  builder.add_input_dtypes(input_dtypes_v);
  builder.add_input_ranges(ranges_v);
  builder.add_outputs(outputs_v);
  builder.add_output_names(output_names_v);
  builder.add_output_dtypes(output_dtypes_v);
  builder.add_slots(static_cast<uint32_t>(p.slots));
  builder.add_arena_order(order_v);
  builder.add_operands(operands_v);
  builder.add_ints(ints_v);
  builder.add_floats(floats_v);
  builder.add_ops(ops_v);
  builder.add_op_names(op_names_v);
  builder.add_segments(segments_v);
  if (!customs.empty()) builder.add_custom_ops(customs_v);
  builder.add_golden(golden_v);
  builder.add_certificate(certificate);
  if (p.packing) builder.add_packing(packing_v);
  if (!states.empty()) builder.add_states(states_v);
  const bool wide = std::any_of(p.values.begin(), p.values.end(),
                                [](const TargetValue& v) { return v.storage == Storage::kConstant && v.dtype == ERT_I16; });
  const uint32_t flags = (p.packing ? ert::kFlagPacking : 0) | (states.empty() ? 0 : ert::kFlagStates) |
                         (meta.tokenizer.empty() ? 0 : ert::kFlagTokenizer) | (wide ? ert::kFlagTables16 : 0) | (has_recipes(meta) ? ert::kFlagRecipes : 0);
  if (flags != 0) builder.add_flags(flags);
  ert::fb::FinishProgramBuffer(b, builder.Finish());
}

}  // namespace

bool GoldenVector::operator==(const GoldenVector& other) const {
  return dims == other.dims && same_bytes(inputs, other.inputs) && same_bytes(outputs, other.outputs);
}

Tensor write_blob(const TargetProgram& program, const BlobMeta& meta) {
  check_names(program);
  TargetProgram p = program;  // shapes may add expressions
  SegmentTable segments;
  const std::vector<ert::fb::Value> values = value_rows(p, segments);
  check_counts(p, segments.contents().size() + meta.golden.size() + (meta.tokenizer.empty() ? 0 : 1));
  Golden g{{}, std::vector<std::vector<uint64_t>>(meta.golden.size()), {}};
  for (size_t i = 0; i < meta.golden.size(); ++i)
    g.bytes.push_back(golden_segment(meta.golden[i], has_recipes(meta), g.offsets[i]));
  for (const std::string& bytes : g.bytes) g.segment.push_back(segments.add(bytes, SegmentKind::kGolden));
  if (!meta.tokenizer.empty()) segments.add(meta.tokenizer, SegmentKind::kTokenizer);

  flatbuffers::FlatBufferBuilder measured, b;
  build_metadata(measured, p, meta, values, segments, g, 0);
  const uint64_t base = segment_start(ert::kMetadataOffset + measured.GetSize());
  build_metadata(b, p, meta, values, segments, g, base);
  const uint64_t total = base + segments.bytes();
  Tensor blob(DType::kUint8, {static_cast<int64_t>(total)});
  uint8_t* bytes = blob.mutable_data();
  std::memcpy(bytes + ert::kMetadataOffset, b.GetBufferPointer(), b.GetSize());
  for (size_t i = 0; i < segments.contents().size(); ++i)
    std::memcpy(bytes + base + segments.offset(i), segments.contents()[i].data(), segments.contents()[i].size());
  ert::Header header;
  header.total_bytes = total;
  header.metadata_bytes = b.GetSize();
  header.security_counter = meta.security_counter;
  header.segments_offset = base;
  header.content_crc = ert::crc32c(0, bytes + ert::kHeaderBytes, total - ert::kHeaderBytes);
  ert::encode_header(header, bytes);
  return blob;
}

}  // namespace edgeconv
