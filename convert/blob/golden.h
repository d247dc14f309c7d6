// Golden vectors: what the blob itself computes for small inputs. The device must give the same bits.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "convert/blob/blob.h"
#include "convert/ir/graph.h"
#include "convert/dims/dims.h"
#include "convert/run/blob_runner.h"

namespace edgeconv {

struct GoldenInputs {
  std::vector<std::vector<Tensor>> sets;  // one tensor per input each
  bool given = false;                     // they are the user's
};

// Inputs of `count` vectors, made up at small dims, so that the smallest target can replay them. Where the blob refuses made-up
// ones (integers that index what the model computes) they are taken from `given`, the smallest first: the first row alone if the
// blob takes that. None for a model whose inputs can be empty. Where the blob refuses them and
// nothing is given they are returned all the same: golden_vectors throws the refusal.
GoldenInputs golden_inputs(BlobRunner& runner, const Graph& g, const DimPlan& dims, int count,
                           const std::vector<std::vector<Tensor>>& given);

// What the blob gives for these inputs. Throws FatalError with its refusal.
std::vector<GoldenVector> golden_vectors(BlobRunner& runner, const std::vector<std::vector<Tensor>>& inputs);

// A vector of the sizes that made-up inputs give, with zeros: the RAM of a blob depends on it. For estimates, before anything runs.
GoldenVector golden_sizes(const TargetProgram& p, const Graph& g, const DimPlan& dims);

// What golden vectors may take beside so many other bytes, unless the user asks for more.
size_t most_golden_bytes(size_t blob_bytes);

// Fixed sizes make large vectors, which must not be the most of a blob. Those above `most` bytes get their short form: outputs by their
// first values and a checksum, and, the largest first, inputs made on the device from the range of what they were. False if that is
// not enough, or if inputs are not the ones that the outputs belong to any more.
struct ShortForm {
  bool fits = true;
  bool new_inputs = false;  // the outputs are of others: ask the blob again
};
ShortForm shorten(GoldenVector& v, size_t most, uint32_t seed);

// What a blob gives, or nothing where it refuses these inputs (integers that index what it computes).
std::optional<std::vector<Tensor>> outputs_if_taken(BlobRunner& runner, const std::vector<Tensor>& inputs);
using GoldenRun = std::function<std::optional<std::vector<Tensor>>(const std::vector<Tensor>& inputs)>;

// The same for vectors of a blob that can be asked. Returns those that fit; `still` is set if no seed moves the outputs of one.
std::vector<GoldenVector> shortened(const GoldenRun& run, std::vector<GoldenVector> golden, size_t blob_bytes, bool* still);

}  // namespace edgeconv
