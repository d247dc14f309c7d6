// What recorded arrays must be for the inputs of a model: types, contents, sizes.
#pragma once

#include <string>
#include <vector>

#include "convert/dims/dims.h"
#include "convert/ir/graph.h"
#include "convert/ir/tensor.h"

namespace edgeconv {

// "[3, 4]", for messages.
std::string array_text(const Tensor& t);

// Failures name the option, and where the array was read. All stay where they are.
class SampleCheck {
 public:
  SampleCheck(const std::string& option, const Graph& g, const DimPlan& plan) : option_(option), g_(g), plan_(plan) {}
  // The array in the input's own type, its contents checked. Throws FatalError(kMalformed).
  Tensor contents(const Tensor& t, ValueId input, const std::string& where) const;
  // Sizes of the named dims in one set of all inputs. Throws FatalError: kMalformed, kUsage for a dim above its maximum.
  void sizes(const std::vector<Tensor>& set, const std::string& where) const;

 private:
  [[noreturn]] void fail(const std::string& what) const;

  const std::string& option_;
  const Graph& g_;
  const DimPlan& plan_;
};

}  // namespace edgeconv
