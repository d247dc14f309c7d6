// Golden vectors: what the blob itself computes for small inputs. The device must give the same bits.
#pragma once

#include <vector>

#include "convert/emit/blob.h"
#include "convert/ir/graph.h"
#include "convert/plan/dims.h"
#include "convert/run/blob_runner.h"

namespace edgeconv {

// `count` vectors at small dims, so that the smallest target can replay them. None for a model whose inputs can be empty.
std::vector<GoldenVector> golden_vectors(BlobRunner& runner, const Graph& g, const DimPlan& dims, int count);

}  // namespace edgeconv
