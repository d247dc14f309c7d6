// Blobs with 8-bit maps, whose ops only make sense one behind the other: see op_seeds.h. map_mutator.cc changes them as a whole.
#include <cstring>

#include "kernels_int8/contract/map_kernels.h"
#include "tests/fuzz/fitted_operands.h"
#include "tests/fuzz/op_seeds.h"
#include "tests/fuzz/program_mutator.h"

namespace ert::fuzz {
namespace {

using params::OpCode;
using testing::BlobSpec;
namespace mcv = params::map_conv;

constexpr int32_t kAbsent = -1, kRelu = static_cast<int32_t>(kernels::Unary::kRelu);

struct Map {
  int32_t q, scales;
  std::vector<int32_t> sizes;  // [N, H, W, C]; kDim stands for the dim
};
constexpr int32_t kDim = -3;

struct Steps {  // one axis of a window
  int32_t kernel, stride = 1, dilation = 1, begin = 0, end = 0;

  int32_t out(int32_t size) const {
    return size == kDim ? kDim : (size + begin + end - dilation * (kernel - 1) - 1) / stride + 1;  // the dim keeps its size
  }
};

struct Wanted {  // of a convolution
  int32_t n;
  Steps rows, columns;
  int32_t activation = mcv::kNoActivation;
  bool bias = false, factors = false, to_float = false;
  const Map* residual = nullptr;
  uint8_t layout = params::kPackedN16K4;
};

class Chain {
 public:
  Chain() { dim_ = s_.dim("n", 1, 5); }

  int32_t input(const std::vector<int32_t>& sizes, uint8_t dtype = ERT_F32) {
    return as_int(s_.add_input("in" + std::to_string(s_.inputs.size()), dtype, shape(sizes)));
  }
  Map quantized(int32_t x, const std::vector<int32_t>& sizes, bool factors) {
    const Map m = map(sizes);
    op(OpCode::kQuantizeMap, {x, factors ? vector(sizes[3]) : kAbsent}, {m.q, m.scales}, {});
    return m;
  }
  // Whatever bytes and scales the inputs hold.
  Map bound(const std::vector<int32_t>& sizes) {
    const Map m = map(sizes);
    const int32_t wide = arena(ERT_I32, sizes);
    op(OpCode::kImportInt, {input(sizes, ERT_I32)}, {wide}, {});
    op(OpCode::kCast, {wide}, {m.q}, {});
    op(OpCode::kImportInt, {input({sizes[0], sizes[1], 2}, ERT_I32)}, {m.scales}, {});
    return m;
  }
  Map conv(const Map& m, const Wanted& w, bool depthwise = false) {
    const int32_t channels = m.sizes[3], n = depthwise ? channels : w.n;
    const int32_t columns = w.rows.kernel * static_cast<int32_t>(kernels::map_columns(static_cast<size_t>(n)));
    const int32_t weights = packed(w.layout, columns, depthwise ? w.columns.kernel : w.columns.kernel * channels);
    std::vector<int32_t> inputs{m.q,
                                m.scales,
                                weights,
                                vector(n),
                                constant(ERT_I32, {columns}),
                                w.bias ? vector(n) : kAbsent,
                                w.factors ? vector(n) : kAbsent};
    if (w.residual != nullptr) inputs.insert(inputs.end(), {w.residual->q, w.residual->scales, vector(n)});
    const std::vector<int32_t> sizes{m.sizes[0], w.rows.out(m.sizes[1]), w.columns.out(m.sizes[2]), n};
    std::vector<int32_t> ints{w.activation};
    add_window(&ints, w.rows, w.columns);
    const OpCode code = depthwise ? OpCode::kMapDepthwiseConv : OpCode::kMapConv;
    const Map out = w.to_float ? Map{} : map(sizes);
    op(code, inputs, w.to_float ? std::vector<int32_t>{output(sizes)} : std::vector<int32_t>{out.q, out.scales}, ints);
    if (w.activation == params::unary::kLeakyRelu) s_.ops.back().floats = {0.25f};
    return out;
  }
  Map pooled(const Map& m, const Steps& rows, const Steps& columns) {
    const Map out = map({m.sizes[0], rows.out(m.sizes[1]), columns.out(m.sizes[2]), m.sizes[3]});
    std::vector<int32_t> ints;
    add_window(&ints, rows, columns);
    op(OpCode::kMapMaxPool, {m.q, m.scales}, {out.q, out.scales}, ints);
    return out;
  }
  void mean(const Map& m, bool factors) {
    op(OpCode::kMapMean, {m.q, m.scales, factors ? vector(m.sizes[3]) : kAbsent}, {output({m.sizes[0], m.sizes[3]})}, {});
  }
  void read_back(const Map& m, bool factors) {
    op(OpCode::kMapToFloat, {m.q, m.scales, factors ? vector(m.sizes[3]) : kAbsent}, {output(m.sizes)}, {});
  }
  BlobSpec planned() {
    plan_anew(&s_);
    return s_;
  }

 private:
  static int32_t as_int(uint32_t v) { return static_cast<int32_t>(v); }
  std::vector<uint32_t> shape(const std::vector<int32_t>& sizes) {
    std::vector<uint32_t> axes;
    for (const int32_t size : sizes) axes.push_back(size == kDim ? dim_ : constant_of(&s_, size));
    return axes;
  }
  int32_t arena(uint8_t dtype, const std::vector<int32_t>& sizes) { return as_int(s_.add({dtype, shape(sizes)})); }
  Map map(const std::vector<int32_t>& sizes) { return {arena(ERT_U8, sizes), arena(ERT_I32, {sizes[0], sizes[1], 2}), sizes}; }
  int32_t output(const std::vector<int32_t>& sizes) {
    return as_int(s_.add_output("out" + std::to_string(s_.outputs.size()), ERT_F32, shape(sizes), 0));
  }
  int32_t constant(uint8_t dtype, const std::vector<int32_t>& sizes) {
    size_t n = 1;
    for (const int32_t size : sizes) n *= static_cast<size_t>(size);
    return filled(dtype, sizes, std::vector<uint8_t>(4 * n));
  }
  int32_t filled(uint8_t dtype, const std::vector<int32_t>& sizes, std::vector<uint8_t> bytes) {
    s_.segments.push_back({std::move(bytes)});
    return as_int(s_.add({dtype, shape(sizes), 1, static_cast<uint32_t>(s_.segments.size()) - 1}));
  }
  int32_t vector(int32_t n) {
    std::vector<float> rising;
    for (int32_t i = 0; i < n; ++i) rising.push_back(0.25f * static_cast<float>(1 + i % 5));
    std::vector<uint8_t> bytes(4 * rising.size());
    std::memcpy(bytes.data(), rising.data(), bytes.size());
    return filled(ERT_F32, {n}, bytes);
  }
  int32_t packed(uint8_t layout, int32_t n, int32_t k) {
    std::vector<uint8_t> bytes(
        kernels::packed_bytes(params::kernel_layout(layout), static_cast<size_t>(n), static_cast<size_t>(k)));
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 37);  // plan_anew adds up the columns
    return filled(layout, {n, k}, bytes);
  }
  void add_window(std::vector<int32_t>* ints, const Steps& rows, const Steps& columns) {
    for (const Steps& a : {rows, columns}) ints->insert(ints->end(), {a.kernel, a.stride, a.dilation, a.begin, a.end});
  }
  void op(OpCode code, std::vector<int32_t> inputs, std::vector<int32_t> outputs, std::vector<int32_t> ints) {
    s_.ops.push_back({code, std::move(inputs), std::move(outputs), std::move(ints), {}});
  }

  BlobSpec s_;
  uint32_t dim_;
};

BlobSpec read_back() {
  Chain c;
  c.read_back(c.quantized(c.input({kDim, 3, 4, 5}), {kDim, 3, 4, 5}, true), true);
  return c.planned();
}

// A block with a residual, in each layout of weights, then a step to fp32.
BlobSpec convolutions(uint8_t layout) {
  Chain c;
  const std::vector<int32_t> sizes{2, kDim, 6, 8};
  const Map x = c.quantized(c.input(sizes), sizes, true);
  const Steps same{3, 1, 1, 1, 1}, point{1};
  Wanted w{8, same, same, kRelu, true, true, false, nullptr, layout};
  const Map y = c.conv(x, w);
  w.residual = &x;
  const Map z = c.conv(y, w);
  c.conv(z, {5, point, {1, 2}, mcv::kNoActivation, true, false, true, nullptr, layout});
  return c.planned();
}

BlobSpec depthwise() {
  Chain c;
  const std::vector<int32_t> sizes{kDim, 5, 7, 17};
  const Map x = c.quantized(c.input(sizes), sizes, false);
  const Map y = c.conv(x, {17, {3, 2, 1, 1, 1}, {5, 1, 2, 4, 4}, params::unary::kLeakyRelu, true, true}, true);
  c.conv(c.conv(y, {17, {1}, {1}, kRelu, false, false, false, &y}, true), {17, {2}, {3}, kRelu, true, false, true}, true);
  c.mean(y, true);
  return c.planned();
}

BlobSpec pooling() {
  Chain c;
  const std::vector<int32_t> sizes{1, 9, 8, 3};
  const Map x = c.quantized(c.input(sizes), sizes, false);
  c.read_back(c.pooled(c.conv(x, {6, {7, 2, 1, 3, 3}, {7, 2, 1, 3, 3}, kRelu, true}), {3, 2, 1, 1, 1}, {2, 1, 1, 0, 1}), false);
  c.mean(x, false);
  return c.planned();
}

// A small network of depthwise and pointwise convolutions.
BlobSpec network() {
  Chain c;
  const std::vector<int32_t> sizes{kDim, 6, 9, 1};
  const Steps same{3, 1, 1, 1, 1}, point{1};
  Map m = c.conv(c.quantized(c.input(sizes), sizes, false), {12, {5, 2, 1, 2, 2}, {3, 2, 1, 1, 1}, kRelu, true, true});
  for (int block = 0; block < 2; ++block) {
    m = c.conv(m, {12, same, same, kRelu, true, true}, true);
    m = c.conv(m, {12, point, point, kRelu, true, true});
  }
  c.mean(m, true);
  return c.planned();
}

BlobSpec bound() {
  Chain c;
  const Map m = c.bound({1, kDim, 5, 4}), other = c.bound({1, kDim, 5, 4});
  const Steps same{3, 1, 1, 1, 1};
  c.read_back(c.conv(m, {4, same, same, kRelu, false, false, false, &other}), false);
  c.conv(m, {4, same, same, mcv::kNoActivation, false, false, true, &other}, true);
  c.read_back(c.pooled(other, same, same), false);
  c.mean(m, false);
  return c.planned();
}

}  // namespace

std::vector<std::pair<std::string, BlobSpec>> map_programs() {
  return {{"maps_read_back", read_back()},
          {"maps_conv_n16k4", convolutions(params::kPackedN16K4)},
          {"maps_conv_n8k8", convolutions(params::kPackedN8K8)},
          {"maps_conv_n2k16", convolutions(params::kPackedN2K16)},
          {"maps_depthwise", depthwise()},
          {"maps_pooling", pooling()},
          {"maps_network", network()},
          {"maps_bound", bound()}};
}

}  // namespace ert::fuzz
