// Error measures between a reference and a result, as reports and gates use them.
#pragma once

#include <string>
#include <vector>

#include "convert/ir/tensor.h"
#include "convert/measure/token_mask.h"

namespace edgeconv {

struct OutputError {
  std::string name;
  // Of the whole tensors as vectors; 1 when both are zero. Where rows differ beyond measure in size (row_sizes.h) each is divided by
  // its length in the reference first, here and in sqnr_db: a sum over all would tell of the largest only.
  double cosine = 1;
  double max_abs = 0;           // largest absolute difference
  double max_ref = 0;           // largest magnitude of the reference
  double sqnr_db = 0;           // 10 log10(sum ref^2 / sum diff^2); +inf when equal
  double argmax_agreement = 1;  // share of rows (last axis) whose largest element is at the same place
  int64_t elements = 0;
};

// Accumulates several data sets for each output.
class Comparison {
 public:
  explicit Comparison(std::vector<std::string> names);
  // Shapes must agree; throws FatalError(kAccuracy) naming the output when they do not. Outputs whose reference has no type
  // (they depend on custom operators) are left out of errors(), padded positions out of the sums when a mask is given.
  void add(const std::vector<Tensor>& reference, const std::vector<Tensor>& result, const std::optional<TokenMask>& mask = {});
  std::vector<OutputError> errors() const;
  // What precisions are judged by: the worst cosine of an output, or less where single rows (vectors along the last axis) lose many
  // times as much as a gate allows for all of them. Errors that are rare and large, as those of an attention that picks another
  // token, hardly show in sums over rows, and whether few rows show them at all is luck.
  // short_rows: those of 2 or 3 elements too, as the logits of a classifier, which may be numbers of their own.
  double worst_cosine(bool short_rows = false) const;

 private:
  struct Products {
    double dot = 0, ref2 = 0, got2 = 0, diff2 = 0;
  };
  struct Sums : Products {
    std::vector<Products> by_row;
    size_t row = 0;  // elements of each
    double max_abs = 0, max_ref = 0;
    int64_t rows = 0, agree = 0, elements = 0;
    bool unknown = false;
  };
  static Products judged(const Sums& s);
  static double worst_row(const Sums& s, size_t shortest);
  std::vector<std::string> names_;
  std::vector<Sums> sums_;
};

}  // namespace edgeconv
