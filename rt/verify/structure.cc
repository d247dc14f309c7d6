// Structural verification: see structure.h. FlatBuffers' verifier runs with limits of our own and is not asked about what it
// does not check: the alignment of the base pointer and of the elements of struct vectors.
#include "rt/verify/structure.h"

#include <string.h>

#include "rt/blob/crc32c.h"
#include "rt/base/limits.h"

namespace ert {
namespace {

constexpr char kFileIdentifier[] = "ERTP";

// FlatBuffers' verifier follows the entries of a vector of strings or tables first and asks afterwards where that led. With addresses of
// 32 bits the sum can wrap, even back into the metadata. So this asks of every such entry, before the verifier runs, what that asks of
// all other offsets: forward, and inside.
class Entries {
 public:
  Entries(const uint8_t* metadata, flatbuffers::Verifier* verifier) : begin_(metadata), verifier_(*verifier) {}

  bool all_inside() {
    const uint32_t to_root = verifier_.VerifyOffset(size_t{0});
    if (to_root == 0) return false;
    const uint8_t* root = begin_ + to_root;
    if (!verifier_.VerifyTableStart(root)) return false;
    using P = fb::Program;
    size_t unused, customs;
    uint32_t n = 0, attributes = 0;
    for (const uint16_t names : {P::VT_DIM_NAMES, P::VT_INPUT_NAMES, P::VT_OUTPUT_NAMES, P::VT_OP_NAMES, P::VT_GOLDEN}) {
      if (!vector_inside(root, names, &unused, &n)) return false;
    }
    if (!vector_inside(root, P::VT_CUSTOM_OPS, &customs, &n) || n > limits::kMaxCustomOps) return false;
    for (size_t entry = customs; n-- > 0; entry += sizeof(uint32_t)) {
      const uint8_t* op = begin_ + entry + verifier_.VerifyOffset(entry);
      uint32_t own = 0;
      if (!verifier_.VerifyTableStart(op) || !vector_inside(op, fb::CustomOp::VT_ATTRIBUTES, &unused, &own)) return false;
      if (own > limits::kMaxCustomAttributes - attributes) return false;
      attributes += own;
      verifier_.EndTable();
    }
    return verifier_.EndTable();
  }

 private:
  // A field of a table whose start is verified. Sets where the entries begin and how many there are; none if the field is absent.
  bool vector_inside(const uint8_t* table, uint16_t field, size_t* first, uint32_t* n) {
    *first = *n = 0;
    const uint16_t at = static_cast<const flatbuffers::Table*>(static_cast<const void*>(table))->GetOptionalFieldOffset(field);
    if (at == 0) return true;
    const uint32_t to_vector = verifier_.VerifyOffset(table, at);
    if (to_vector == 0 || !verifier_.VerifyVectorOrString(table + at + to_vector, sizeof(uint32_t))) return false;
    *n = flatbuffers::ReadScalar<uint32_t>(table + at + to_vector);
    *first = static_cast<size_t>(table + at + to_vector - begin_) + sizeof(uint32_t);
    for (uint32_t i = 0; i < *n; ++i) {
      if (verifier_.VerifyOffset(*first + i * sizeof(uint32_t)) == 0) return false;
    }
    return true;
  }

  const uint8_t* begin_;
  flatbuffers::Verifier& verifier_;
};

// FlatBuffers aligns elements to 8 where they hold 64-bit fields, but its verifier looks at the length field only, which is enough for
// others. An empty vector has no elements, and its writer does not align it.
template <class T>
bool elements_aligned(const flatbuffers::Vector<const T*>* v) {
  return alignof(T) <= alignof(flatbuffers::uoffset_t) || v == nullptr || v->size() == 0 || reinterpret_cast<uintptr_t>(v->Data()) % alignof(T) == 0;
}

bool struct_vectors_aligned(const fb::Program& root) {
  if (!elements_aligned(root.dims()) || !elements_aligned(root.exprs()) || !elements_aligned(root.values()) ||
      !elements_aligned(root.input_ranges()) || !elements_aligned(root.ops()) || !elements_aligned(root.segments()) ||
      !elements_aligned(root.packing())) {
    return false;
  }
  const uint32_t golden = root.golden() == nullptr ? 0 : root.golden()->size();
  for (uint32_t i = 0; i < golden; ++i) {
    const auto* offsets = root.golden()->Get(i)->offsets();
    if (offsets != nullptr && offsets->size() != 0 && reinterpret_cast<uintptr_t>(offsets->Data()) % sizeof(uint64_t) != 0)
      return false;
  }
  return true;
}

// Strings reach C callers as const char*: an embedded NUL would cut them. Together they are no longer than the metadata, as they are
// where each is there once: were names free to share one, reading them would not be linear in the blob.
class Names {
 public:
  explicit Names(uint32_t metadata_bytes) : left_(metadata_bytes) {}

  bool plain(const flatbuffers::String* s) {
    if (s == nullptr) return true;
    if (s->size() > limits::kMaxNameBytes || s->size() > left_) return false;
    left_ -= s->size();
    return memchr(s->c_str(), 0, s->size()) == nullptr;
  }
  bool plain(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* v) {
    const uint32_t n = v == nullptr ? 0 : v->size();
    for (uint32_t i = 0; i < n; ++i) {
      if (!plain(v->Get(i))) return false;
    }
    return true;
  }

 private:
  uint32_t left_;
};

// What a kernel reads of an attribute, by its kind (ert.h): one number, a text, or a list that may be empty.
bool attribute_complete(const fb::CustomAttribute& a) {
  switch (kind_of(a)) {
    case AttributeKind::kInt: return a.ints() != nullptr && a.ints()->size() == 1;
    case AttributeKind::kFloat: return a.floats() != nullptr && a.floats()->size() == 1;
    case AttributeKind::kString: return a.text() != nullptr;
    case AttributeKind::kInts: return a.ints() != nullptr;
    case AttributeKind::kFloats: return a.floats() != nullptr;
    case AttributeKind::kCount: break;
  }
  return false;
}

bool custom_ops_plain(const fb::Program& root, Names* names) {
  const uint32_t ops = root.custom_ops() == nullptr ? 0 : root.custom_ops()->size();
  for (uint32_t i = 0; i < ops; ++i) {
    const fb::CustomOp* op = root.custom_ops()->Get(i);
    if (op->name() == nullptr || !names->plain(op->name())) return false;
    const uint32_t n = op->attributes() == nullptr ? 0 : op->attributes()->size();
    for (uint32_t k = 0; k < n; ++k) {
      const fb::CustomAttribute* attribute = op->attributes()->Get(k);
      if (attribute->name() == nullptr || !names->plain(attribute->name()) || !names->plain(attribute->text())) return false;
      if (!attribute_complete(*attribute)) return false;
    }
  }
  return true;
}

// The metadata alone: safe on any bytes.
ert_status verify_metadata(const uint8_t* blob, const Header& h, const fb::Program** out) {
  if (h.metadata_bytes < 16) return ERT_ERR_FORMAT;
  const uint64_t by_size = h.total_bytes / 16;
  const uint32_t tables = by_size < limits::kMaxFlatbufferTables ? static_cast<uint32_t>(by_size) : limits::kMaxFlatbufferTables;
  flatbuffers::Verifier verifier(blob + kMetadataOffset, h.metadata_bytes, limits::kMaxFlatbufferDepth, tables);
  if (memcmp(blob + kMetadataOffset + sizeof(uint32_t), kFileIdentifier, 4) != 0) return ERT_ERR_FORMAT;
  if (!Entries(blob + kMetadataOffset, &verifier).all_inside() || !verifier.VerifyBuffer<fb::Program>(nullptr))
    return ERT_ERR_FORMAT;
  const fb::Program* root = flatbuffers::GetRoot<fb::Program>(blob + kMetadataOffset);
  if (!struct_vectors_aligned(*root)) return ERT_ERR_FORMAT;
  Names names(h.metadata_bytes);
  if (!names.plain(root->producer()) || !names.plain(root->source_sha256()) || !names.plain(root->dim_names()) ||
      !names.plain(root->input_names()) || !names.plain(root->output_names()) || !names.plain(root->op_names()) ||
      !custom_ops_plain(*root, &names)) {
    return ERT_ERR_FORMAT;
  }
  if ((root->flags() & ~kKnownProgramFlags) != 0) return ERT_ERR_VERSION;
  *out = root;
  return ERT_OK;
}

// Segments follow each other with nothing but alignment padding between them.
ert_status verify_segment_table(const Header& h, const Span<fb::Segment>& segments) {
  if (segments.size > limits::kMaxSegments) return ERT_ERR_LIMIT;
  const uint64_t last = h.segments_end();
  uint64_t end = h.segments_offset;
  for (uint32_t i = 0; i < segments.size; ++i) {
    const fb::Segment& s = segments[i];
    if (s.offset() != segment_start(end) || s.offset() > last || s.bytes() > last - s.offset())
      return ERT_ERR_FORMAT;
    if (kind_of(s) >= SegmentKind::kCount || compression_of(s) >= Compression::kCount || s.reserved() != 0) return ERT_ERR_FORMAT;
    if (compression_of(s) == Compression::kNone ? s.raw_bytes() != s.bytes() : (h.flags & kFlagCompressed) == 0)
      return ERT_ERR_FORMAT;
    if (s.raw_bytes() > limits::kMaxBlobBytes) return ERT_ERR_LIMIT;
    end = s.offset() + s.bytes();
  }
  if (last < end || last > segment_start(end)) return ERT_ERR_FORMAT;
  return ERT_OK;
}

// Adds the bytes up to `end` to the running CRC of the content.
void extend(const uint8_t* blob, uint64_t* position, uint64_t end, uint32_t* crc) {
  *crc = crc32c(*crc, blob + *position, static_cast<size_t>(end - *position));
  *position = end;
}

// One pass over the segments gives the CRC of each and of the whole content. False in *segments_match if one differs.
uint32_t content_crc(const uint8_t* blob, const Header& h, const Span<fb::Segment>& segments, uint64_t position, uint32_t crc,
                     bool* segments_match) {
  *segments_match = true;
  for (uint32_t i = 0; i < segments.size; ++i) {
    const fb::Segment& s = segments[i];
    extend(blob, &position, s.offset(), &crc);
    const uint32_t own = crc32c(0, blob + s.offset(), static_cast<size_t>(s.bytes()));
    *segments_match &= own == s.crc();
    crc = crc32c_combine(crc, own, s.bytes());
    position = s.offset() + s.bytes();
  }
  extend(blob, &position, h.total_bytes, &crc);
  return crc;
}

bool gaps_are_zero(const uint8_t* blob, const Header& h, const Span<fb::Segment>& segments) {
  uint64_t end = kMetadataOffset + h.metadata_bytes;
  for (uint32_t i = 0; i < segments.size; ++i) {
    if (!all_zero(blob + end, blob + segments[i].offset())) return false;
    end = segments[i].offset() + segments[i].bytes();
  }
  return all_zero(blob + end, blob + h.segments_end());
}

}  // namespace

ert_status verify_structure(const uint8_t* blob, size_t bytes, Structure* out) {
  Header h;
  const ert_status header = decode_header(blob, bytes, &h);
  if (header != ERT_OK) return header;
  // The metadata is judged before the checksum is complete (the verifier is safe on any bytes), but a wrong checksum has the
  // last word: damage is reported as damage.
  uint64_t position = kMetadataOffset;
  uint32_t crc = 0;
  extend(blob, &position, h.segments_offset, &crc);
  const fb::Program* root = nullptr;
  ert_status status = verify_metadata(blob, h, &root);
  Span<fb::Segment> segments;
  if (status == ERT_OK) {
    segments = program_view(blob, root).segments;
    status = verify_segment_table(h, segments);
  }
  if (status != ERT_OK) {
    extend(blob, &position, h.total_bytes, &crc);
    return crc == h.content_crc ? status : ERT_ERR_CHECKSUM;
  }
  bool segments_match = false;
  if (content_crc(blob, h, segments, position, crc, &segments_match) != h.content_crc || !segments_match) return ERT_ERR_CHECKSUM;
  if (!gaps_are_zero(blob, h, segments)) return ERT_ERR_FORMAT;
  out->header = h;
  out->root = root;
  return ERT_OK;
}

}  // namespace ert
