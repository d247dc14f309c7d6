// Adds up what a result differs from a reference in, output by output: accuracy.h says what is made of it.
#pragma once

#include <string>
#include <vector>

#include "convert/ir/tensor.h"
#include "convert/measure/accuracy.h"
#include "convert/measure/chaos.h"
#include "convert/measure/token_mask.h"

namespace edgeconv {

// Accumulates several data sets for each output.
class Comparison {
 public:
  // decisions: one for each name, or none for values.
  explicit Comparison(std::vector<std::string> names, const std::vector<DecidedBy>& decisions = {});
  // Shapes must agree; throws FatalError(kAccuracy) naming the output when they do not. Outputs whose reference has no type
  // (they depend on custom operators) are left out of errors(), padded positions out of the sums when a mask is given. chaotic: samples that are
  // left out, too; empty where all count. Behind the outputs stand the scores that decisions name, those of the blob as it holds them.
  void add(const std::vector<Tensor>& reference, const std::vector<Tensor>& result, const std::optional<TokenMask>& mask = {},
           const ChaoticSamples& chaotic = {});
  std::vector<OutputError> errors() const;
  // Of the worst output, as OutputSums judges it.
  double worst_cosine(bool short_rows = false) const;

 private:
  struct Sums : OutputSums {
    bool unknown = false;
  };
  static void add_tensor(Sums& s, const Tensor& reference, const Tensor& result, const std::optional<TokenMask>& mask,
                         const std::vector<char>& left_out);
  static bool add_scores(Sums& s, size_t o, const std::vector<Tensor>& reference, const std::vector<Tensor>& result,
                         const std::optional<TokenMask>& mask, const ChaoticSamples& chaotic);
  std::vector<std::string> names_;
  std::vector<Sums> sums_;
};

}  // namespace edgeconv
