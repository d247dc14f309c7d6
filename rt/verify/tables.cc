// See tables.h. The fields are rows here and not code, as in the functions that flatc writes: a fifth of the bytes, and no entry of a vector is followed
// before it is known to lead forward and inside. (FlatBuffers' own loops follow first; with addresses of 32 bits the sum can wrap.) What a single
// offset, vector or table start has to be is still asked of FlatBuffers' verifier.
#include "rt/verify/tables.h"

#include <string.h>

#include "rt/base/limits.h"

namespace ert {
namespace {

enum What : uint8_t {
  kNumber,         // of 4 bytes
  kVector,         // of numbers or structs
  kAlignedVector,  // the same with elements of 8 bytes' alignment, at which FlatBuffers' verifier does not look
  kText,           // any bytes
  kName,           // a text that callers get as const char *
  kNames,
  kTables,  // whose fields are verified by who knows their kind
};

struct Field {
  uint8_t at;  // flatc's VT_
  What what;
  uint8_t element_bytes;
};

constexpr Field field(uint16_t at, What what) {
  return {static_cast<uint8_t>(at), what, static_cast<uint8_t>(what == kText || what == kName ? 1 : sizeof(uint32_t))};
}
template <class T>
constexpr Field vector_of(uint16_t at) {
  static_assert(sizeof(T) < 256, "element_bytes has 8 bits");
  return {static_cast<uint8_t>(at), alignof(T) > alignof(uint32_t) ? kAlignedVector : kVector, static_cast<uint8_t>(sizeof(T))};
}

using P = fb::Program;
constexpr Field kProgram[] = {field(P::VT_PRODUCER, kName),
                              field(P::VT_SOURCE_SHA256, kName),
                              vector_of<fb::Dim>(P::VT_DIMS),
                              field(P::VT_DIM_NAMES, kNames),
                              vector_of<fb::Expr>(P::VT_EXPRS),
                              vector_of<fb::Value>(P::VT_VALUES),
                              vector_of<uint32_t>(P::VT_INPUTS),
                              field(P::VT_INPUT_NAMES, kNames),
                              vector_of<uint8_t>(P::VT_INPUT_DTYPES),
                              vector_of<fb::IntRange>(P::VT_INPUT_RANGES),
                              vector_of<uint32_t>(P::VT_OUTPUTS),
                              field(P::VT_OUTPUT_NAMES, kNames),
                              vector_of<uint8_t>(P::VT_OUTPUT_DTYPES),
                              field(P::VT_SLOTS, kNumber),
                              vector_of<uint32_t>(P::VT_ARENA_ORDER),
                              vector_of<int32_t>(P::VT_OPERANDS),
                              vector_of<int32_t>(P::VT_INTS),
                              vector_of<float>(P::VT_FLOATS),
                              vector_of<fb::Op>(P::VT_OPS),
                              field(P::VT_OP_NAMES, kNames),
                              vector_of<fb::Segment>(P::VT_SEGMENTS),
                              field(P::VT_CUSTOM_OPS, kTables),
                              field(P::VT_GOLDEN, kTables),
                              field(P::VT_CERTIFICATE, kText),
                              field(P::VT_FLAGS, kNumber),
                              vector_of<fb::Packing>(P::VT_PACKING),
                              vector_of<fb::State>(P::VT_STATES)};
// FlatBuffers aligns numbers of 64 bits where the ABI does not (i386).
constexpr Field kGolden[] = {vector_of<int32_t>(fb::Golden::VT_DIMS),
                             field(fb::Golden::VT_SEGMENT, kNumber),
                             {fb::Golden::VT_OFFSETS, kAlignedVector, sizeof(uint64_t)}};
constexpr Field kCustomOp[] = {field(fb::CustomOp::VT_NAME, kName), field(fb::CustomOp::VT_ATTRIBUTES, kTables)};
constexpr Field kAttribute[] = {field(fb::CustomAttribute::VT_NAME, kName), field(fb::CustomAttribute::VT_KIND, kNumber),
                                vector_of<int32_t>(fb::CustomAttribute::VT_INTS),
                                vector_of<float>(fb::CustomAttribute::VT_FLOATS), field(fb::CustomAttribute::VT_TEXT, kName)};

// Fields of the schema stand 2 bytes apart from 4 on: none is forgotten up to the last that is named here.
template <size_t n>
constexpr bool all_there(const Field (&fields)[n]) {
  bool there = true;
  for (size_t i = 0; i < n; ++i) there = there && fields[i].at == 4 + 2 * i;
  return there;
}
static_assert(all_there(kProgram) && all_there(kGolden) && all_there(kCustomOp) && all_there(kAttribute), "a field is missing");

class FieldCheck {
 public:
  FieldCheck(const uint8_t* metadata, size_t bytes, uint32_t most)
      : begin_(metadata), left_(bytes), verifier_(metadata, bytes, limits::kMaxFlatbufferDepth, most) {}

  bool verify(const fb::Program** out) {
    const uint32_t to_root = verifier_.VerifyOffset(size_t{0});
    const fb::Program* root = *out = static_cast<const fb::Program*>(static_cast<const void*>(begin_ + to_root));
    if (to_root == 0 || !fields_fit(root, kProgram)) return false;
    const uint32_t golden = root->golden() == nullptr ? 0 : root->golden()->size();
    for (uint32_t i = 0; i < golden; ++i) {
      if (!fields_fit(root->golden()->Get(i), kGolden)) return false;
    }
    return custom_ops_fit(root->custom_ops());
  }

 private:
  bool custom_ops_fit(const flatbuffers::Vector<flatbuffers::Offset<fb::CustomOp>>* ops) {
    const uint32_t n = ops == nullptr ? 0 : ops->size();
    uint32_t attributes = 0;
    if (n > limits::kMaxCustomOps) return false;
    for (uint32_t i = 0; i < n; ++i) {
      const fb::CustomOp* op = ops->Get(i);
      if (!fields_fit(op, kCustomOp) || op->name() == nullptr) return false;
      const uint32_t own = op->attributes() == nullptr ? 0 : op->attributes()->size();
      if (own > limits::kMaxCustomAttributes - attributes) return false;
      attributes += own;
      for (uint32_t k = 0; k < own; ++k) {
        const fb::CustomAttribute* a = op->attributes()->Get(k);
        if (!fields_fit(a, kAttribute) || a->name() == nullptr || !complete(*a)) return false;
      }
    }
    return true;
  }

  // What a kernel reads of an attribute, by its kind (ert.h): one number, a text, or a list that may be empty.
  static bool complete(const fb::CustomAttribute& a) {
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

  template <class T, size_t n>
  bool fields_fit(const T* table, const Field (&fields)[n]) {
    return fields_fit(static_cast<const uint8_t*>(static_cast<const void*>(table)), fields, n);
  }
  bool fields_fit(const uint8_t* table, const Field* fields, size_t n) {
    if (!verifier_.VerifyTableStart(table)) return false;
    for (size_t i = 0; i < n; ++i) {
      if (!field_fits(table, fields[i])) return false;
    }
    return verifier_.EndTable();
  }

  bool field_fits(const uint8_t* table, const Field& f) {
    const uint16_t at = static_cast<const flatbuffers::Table*>(static_cast<const void*>(table))->GetOptionalFieldOffset(f.at);
    if (at == 0) return true;
    if (f.what == kNumber) return verifier_.VerifyField<uint32_t>(table, at, sizeof(uint32_t));
    const size_t from = static_cast<size_t>(table - begin_) + at;
    const uint32_t to = verifier_.VerifyOffset(from);
    return to != 0 && vector_fits(from + to, f);
  }

  bool vector_fits(size_t at, const Field& f) {
    if (!verifier_.VerifyVectorOrString(begin_ + at, f.element_bytes)) return false;
    const uint32_t n = flatbuffers::ReadScalar<uint32_t>(begin_ + at);
    const size_t first = at + sizeof(uint32_t);
    // An empty vector has no elements, and its writer does not align it.
    if (f.what == kAlignedVector) return n == 0 || reinterpret_cast<uintptr_t>(begin_ + first) % sizeof(uint64_t) == 0;
    if (f.what == kText || f.what == kName) return text_fits(first, n, f.what == kName);
    for (uint32_t i = 0; i < n && f.what >= kNames; ++i) {
      const size_t from = first + i * sizeof(uint32_t);
      const uint32_t to = verifier_.VerifyOffset(from);
      if (to == 0 || (f.what == kNames && !name_fits(from + to))) return false;
    }
    return true;
  }

  bool name_fits(size_t at) {
    return verifier_.VerifyVectorOrString(begin_ + at, 1) &&
           text_fits(at + sizeof(uint32_t), flatbuffers::ReadScalar<uint32_t>(begin_ + at), true);
  }

  // With a 0 behind it, which FlatBuffers demands. Names have none inside: C callers would see them cut. Together they are no longer than the
  // metadata, as they are where each is there once: were names free to share one, reading them would not be linear in the blob.
  bool text_fits(size_t first, uint32_t n, bool name) {
    if (!verifier_.Verify(first + n, 1) || begin_[first + n] != 0) return false;
    if (!name) return true;
    if (n > limits::kMaxNameBytes || n > left_) return false;
    left_ -= n;
    return memchr(begin_ + first, 0, n) == nullptr;
  }

  const uint8_t* begin_;
  size_t left_;
  flatbuffers::Verifier verifier_;
};

}  // namespace

bool verify_tables(const uint8_t* metadata, size_t bytes, uint32_t most_tables, const fb::Program** root) {
  return FieldCheck(metadata, bytes, most_tables).verify(root);
}

}  // namespace ert
