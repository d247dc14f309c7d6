// Columns of a value in the body of a loop as a sum of products with constant matrices: what a gate of a recurrent cell sees before its
// activation, however the file writes it: one product for all gates or one for each, Gemm, split before or behind the bias.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

struct AffineColumns {
  struct Product {
    int64_t rows;
    std::vector<float> matrix;  // [rows, columns]
  };
  std::map<ValueId, Product> products;  // of whole values
  std::map<std::pair<ValueId, int64_t>, std::vector<float>>
      multiplied;           // columns of a value from this one on, each times a factor
  std::vector<float> bias;  // one for each column
};

// Columns first .. first + count - 1 of v. Nothing where rows are not added to rows, or where that would be long.
std::optional<AffineColumns> affine_columns(const Graph& g, ValueId v, int64_t first, int64_t count);

}  // namespace edgeconv
