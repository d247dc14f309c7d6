// Packed weights of one conversion, each made once: smoothing decides how a weight is stored, and the candidates of a
// search for precisions differ in a few layers only.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "convert/quantize/weights.h"
#include "rt/ops/op_params.h"

namespace edgeconv {

// Constants of a quantized product as the blob holds them.
struct PackedWeights {
  int64_t k = 0, n = 0;
  Tensor codes;       // bytes in `layout`, which is N16K4, of w12a13 N16K2
  Tensor scale;       // f32 [n]
  Tensor colsum;      // i32 [n]; of w12a13 no type
  Tensor inv_smooth;  // f32 [k], or no type
  uint8_t layout = ert::params::kPackedN16K4;
};

PackedWeights pack_weights(const QuantizedWeights& q, const std::vector<float>& smooth);

struct MapLayer;

struct PackedRows {
  Tensor codes, scale;  // i8 or i16 [rows, width], f32 [rows]
};

class WeightStore {
 public:
  enum class Contents { kReal, kPlaceholder };  // placeholders have the right sizes, for estimates: nothing is computed
  explicit WeightStore(Contents contents = Contents::kReal) : contents_(contents) {}
  WeightStore(const WeightStore&) = delete;
  WeightStore& operator=(const WeightStore&) = delete;

  // Of a constant matrix [k, n] of g, multiplied by the factors where there are any.
  PackedWeights linear(const Graph& g, ValueId weight, const std::vector<float>& smooth);
  // Of a layer over maps (map_weights.h), a dense one by the integers of linear(). Factors are those of linear(); of a depthwise one, of its channels.
  PackedWeights map(const Graph& g, ValueId weight, const MapLayer& layer, const std::vector<float>& smooth);
  // What linear() gives from now on for these factors.
  void put(ValueId weight, const std::vector<float>& smooth, PackedWeights packed);
  // Of a part of a constant, such as one direction of recurrent weights: make gives the quantized matrix [k, n].
  PackedWeights part(ValueId weight, int64_t index, int64_t k, int64_t n, const std::function<QuantizedWeights()>& make);
  // The same two of 12 bits (wide_weights.h): of a constant matrix, and of a part of a constant, of which make gives those of the matrix [k, n].
  PackedWeights wide(const Graph& g, ValueId weight);
  PackedWeights wide_part(ValueId weight, int64_t index, int64_t k, int64_t n, const std::function<PackedWeights()>& make);
  // wide: int16, unless the file's own integers are int8.
  PackedRows table(const Graph& g, ValueId table, bool wide);

 private:
  struct Entry {
    std::vector<float> smooth;
    PackedWeights weights;
  };
  PackedWeights placeholder(int64_t k, int64_t n, bool smooth);
  PackedWeights wide_placeholder(int64_t k, int64_t n);
  void stamp(Tensor& t);

  Contents contents_;
  std::map<std::pair<ValueId, int64_t>, Entry> linear_;
  std::map<std::pair<ValueId, int64_t>, Entry> maps_;  // by the rows of the kernel
  std::map<std::pair<ValueId, int64_t>, PackedWeights> wide_;
  std::map<std::pair<ValueId, bool>, PackedRows> tables_;
  uint32_t placeholders_ = 0;
};

}  // namespace edgeconv
