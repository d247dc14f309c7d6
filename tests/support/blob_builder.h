// Builds small blobs by hand: programs for tests that need no converter, and hostile variants of them with valid checksums.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rt/blob/header.h"
#include "rt/ops/op_params.h"
#include "rt/schema/program_generated.h"

namespace ert::testing {

// Bytes at a 64-aligned address; the bytes outside are of no concern to it (guards: GuardedRegion of context_fixture.h).
class AlignedBytes {
 public:
  explicit AlignedBytes(size_t bytes = 0) : storage_(bytes + 64), bytes_(bytes) {}
  AlignedBytes(const AlignedBytes& o) : AlignedBytes(o.bytes_) { std::copy(o.data(), o.data() + bytes_, data()); }
  AlignedBytes& operator=(const AlignedBytes& o) {
    AlignedBytes copy(o);
    storage_.swap(copy.storage_);
    bytes_ = copy.bytes_;
    return *this;
  }
  uint8_t* data() { return storage_.data() + shift(); }
  const uint8_t* data() const { return storage_.data() + shift(); }
  size_t size() const { return bytes_; }

 private:
  size_t shift() const { return (64 - reinterpret_cast<uintptr_t>(storage_.data()) % 64) % 64; }
  std::vector<uint8_t> storage_;
  size_t bytes_;
};

// The program as plain vectors: tests change any field before build().
struct BlobSpec {
  struct Value {
    uint8_t dtype = ERT_F32;
    std::vector<uint32_t> shape;  // indices of exprs
    uint8_t storage = 0;
    uint32_t index = 0;
    uint64_t offset = 0;
    uint32_t first_op = 0, last_op = 0;
  };
  struct Op {
    params::OpCode code;
    std::vector<int32_t> inputs, outputs;
    std::vector<int32_t> ints;
    std::vector<float> floats;
  };
  struct Segment {
    std::vector<uint8_t> bytes;
    uint8_t kind = 0;
    uint64_t raw_bytes = 0;  // not 0: `bytes` is a zstd frame that expands to this many
  };
  struct Port {
    uint32_t value;
    std::string name;
    uint8_t dtype;
    int32_t min = INT32_MIN, max = INT32_MAX;
  };
  struct Golden {
    std::vector<int32_t> dims;
    uint32_t segment;
    std::vector<uint64_t> offsets;
  };
  struct Attribute {
    std::string name;
    uint32_t kind;
    std::optional<std::vector<int32_t>> ints = {};  // absent, or there and perhaps empty
    std::optional<std::vector<float>> floats = {};
    std::optional<std::string> text = {};
  };
  struct CustomOp {
    std::string name;
    std::string attribute;  // one attribute of kind ints
    std::vector<int32_t> ints;
    std::vector<Attribute> more = {};  // behind it
  };
  std::vector<fb::Dim> dims;
  std::vector<std::string> dim_names;
  std::vector<fb::Expr> exprs;
  std::vector<Value> values;
  std::vector<Op> ops;
  std::vector<Port> inputs, outputs;
  std::vector<Segment> segments;
  std::vector<Golden> golden;
  std::vector<CustomOp> custom_ops;
  std::vector<uint32_t> arena_order;
  uint32_t slots = 0;
  uint32_t security_counter = 0;
  uint32_t program_flags = 0;
  std::vector<fb::Packing> packing;
  std::vector<fb::State> states;
  bool input_ranges = true, op_names = true;  // fields that a blob may leave out

  uint32_t dim(const std::string& name, int32_t min, int32_t max);  // returns the expr that stands for it
  uint32_t constant(int64_t value);
  uint32_t expr(uint32_t kind, uint32_t lhs, uint32_t rhs);
  uint32_t add(Value v);
  uint32_t add_constant(uint8_t dtype, std::vector<uint32_t> shape, const std::vector<float>& contents);
  uint32_t add_input(const std::string& name, uint8_t dtype, std::vector<uint32_t> shape);
  uint32_t add_output(const std::string& name, uint8_t dtype, std::vector<uint32_t> shape, uint32_t first_op);

  AlignedBytes build() const;
};

// What ert_model_open says of the blob of a spec.
ert_status open_spec(const BlobSpec& s);

// The blob with a signature block of these 64 bytes.
AlignedBytes with_signature(const AlignedBytes& blob, const uint8_t* signature);

// Recomputes both checksums (and nothing else) after a test changed bytes.
void reseal(AlignedBytes* blob);

// out = abs(copy(neg(x) + bias)) over x [batch, 4], batch in [1, 8]: four ops, three arena values in two slots, one constant.
// Values: 0 x, 1 bias, 2 negated, 3 sum, 4 copied, 5 out.
BlobSpec small_program();
float small_program_result(float x, int column);
extern const float kSmallBias[4];

}  // namespace ert::testing
