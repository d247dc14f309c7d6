// How far the output of every layer of a blob is from fp32, with the errors of all layers before it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convert/ir/graph.h"
#include "convert/measure/token_mask.h"
#include "convert/run/blob_runner.h"

namespace edgeconv {

struct AccumulatedError {
  int32_t precision;  // in the blob: params::linear::Precision
  double sqnr_db;     // +inf: equal
};

// The first sets: enough for figures of layers.
std::vector<std::vector<Tensor>> some_of(const std::vector<std::vector<Tensor>>& sets);

// Of every Linear by the name of its source node, on up to 64 rows of each set; positions that padding marks do not count. The
// reference is the canonical interpreter, so that the figures are the same on every host. g: the fused graph that the blob was
// made from. Left out: names that several layers share, and layers that the blob holds in a shape of their own. after_layer (may be
// empty) is called behind each Linear of the reference: a place to hand pages of weights back.
std::map<std::string, AccumulatedError> accumulated_errors(const Graph& g, BlobRunner& runner,
                                                           const std::vector<std::vector<Tensor>>& sets,
                                                           const std::optional<PaddingMask>& padding,
                                                           const std::function<void()>& after_layer = {});

}  // namespace edgeconv
