// Inputs made up when the user gives none: for calibration (smoothing) and for the comparison at the end of a conversion.
// The same on every host: own generator, no libm.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convert/ir/graph.h"
#include "convert/dims/dims.h"
#include "convert/interp/work.h"

namespace edgeconv {

struct SyntheticSpec {
  int64_t batch = 32;   // leading dims
  int64_t tokens = 32;  // all other dims, as far as their maximum allows; where there are none, up to 8 rows stand for one
  bool ragged = false;  // masks end early in every row but the first
  uint64_t seed = 1;
  bool within_limits = false;       // no dim above its maximum: for inputs that a blob will run, not only the interpreter
  bool small_tables = false;        // types of tokens (ids of tables of at most 16 rows) vary too
  int64_t samples_per_token = 256;  // of sound, where the file leaves its length open
};

// The sizes of the named dims that such inputs have.
DimSizes synthetic_sizes(const Graph& g, const DimPlan& dims, const SyntheticSpec& spec);

// One tensor per graph input: ids uniform over their whole table (types of tokens, of at most 16 rows: zeros unless they
// vary), masks ones (zeros where ones mark padding), floats what they are (dims/input_kinds.h), or about standard normal (sum of twelve
// uniforms) where nothing tells.
std::vector<Tensor> synthetic_inputs(const Graph& g, const DimPlan& dims, const SyntheticSpec& spec);

// Sets for runs that follow each other: sound goes on from one to the next, in the same rows or, where they are frames, in all of them.
std::vector<std::vector<Tensor>> synthetic_steps(const Graph& g, const DimPlan& dims, const SyntheticSpec& spec, size_t steps);

}  // namespace edgeconv
