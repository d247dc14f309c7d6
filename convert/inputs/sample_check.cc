// See sample_check.h.
#include "convert/inputs/sample_check.h"

#include <cmath>
#include <map>
#include <optional>

#include "convert/ir/diagnostics.h"
#include "convert/ir/dim_multiple.h"
#include "convert/ir/foreign_text.h"

namespace edgeconv {

namespace {

bool numeric(DType t) { return is_integer(t) || t == DType::kBool; }

}  // namespace

std::string array_text(const Tensor& t) {
  std::string s;
  for (int64_t d : t.dims()) s += (s.empty() ? "[" : ", ") + std::to_string(d);
  return s.empty() ? "a single number" : s + "]";
}

void SampleCheck::fail(const std::string& what) const { throw FatalError(ExitCode::kMalformed, option_ + " " + what); }

// The array in the input's own type, its contents checked.
Tensor SampleCheck::contents(const Tensor& t, ValueId v, const std::string& where) const {
  const Value& input = g_.value(v);
  const std::string what = where + ": array '" + printable(input.name) + "' ", wanted(dtype_name(input.dtype));
  if (t.elements() == 0) fail(what + "is empty: " + array_text(t) + "; give at least one sample");
  if (is_float(input.dtype) != is_float(t.dtype()) || numeric(input.dtype) != numeric(t.dtype()))
    fail(what + "is " + std::string(dtype_name(t.dtype())) + ", the model wants " + wanted);
  if (is_float(t.dtype())) {
    for (float x : t.to_float())
      if (!std::isfinite(x))
        fail(what + "holds NaN or an infinity; give finite numbers (in a mask that is added, -1e9 hides as well as minus infinity)");
  } else if (const auto found = plan_.input_range.find(v); found != plan_.input_range.end()) {
    const auto range = &found->second;
    for (int64_t n : t.to_int64())
      if (n < range->first || n > range->second)
        fail(what + "holds " + std::to_string(n) + ", the model's table allows " + std::to_string(range->first) + " to " +
             std::to_string(range->second));
  }
  const bool same = t.dtype() == input.dtype;
  if (const auto lost = !same && is_integer(input.dtype) ? t.lost_in(input.dtype) : std::nullopt)
    fail(what + "holds " + std::to_string(*lost) + ", which " + wanted + " does not have");
  return same ? t.aligned() : t.cast(input.dtype);
}

// Sizes of the named dims in one set, checked against the model.
void SampleCheck::sizes(const std::vector<Tensor>& set, const std::string& where) const {
  std::map<std::string, int64_t> bound;
  for (size_t i = 0; i < set.size(); ++i) {
    const Value& v = g_.value(g_.inputs[i]);
    const std::string what = where + ": array '" + printable(v.name) + "' ";
    for (size_t a = 0; a < v.shape->size(); ++a) {
      const DimExpr& e = (*v.shape)[a];
      const int64_t size = set[i].dims()[a];
      if (e.is_symbol()) {
        const std::string name = e.symbol_name();
        if (const auto [it, fresh] = bound.emplace(name, size); !fresh && it->second != size)
          fail(what + "has " + std::to_string(size) + " for dim '" + name + "', another array " + std::to_string(it->second));
        if (const int64_t most = plan_.range.at(name).second; size > most)
          throw FatalError(ExitCode::kUsage, option_ + " " + what + "has " + std::to_string(size) + " for dim '" + name +
                                                 "', its maximum is " + std::to_string(most) + "; give --dim " +
                                                 shell_word(name + "=" + std::to_string(size)) + " or shorter samples");
        if (const int64_t m = multiple_of_dim(name); size % m != 0)
          fail(what + "has " + std::to_string(size) + " for dim '" + name + "', whose sizes are multiples of " + std::to_string(m));
      } else if (const auto c = e.constant(); c && *c != size) {
        fail(what + "has " + std::to_string(size) + " in axis " + std::to_string(a) + " of a sample, the model wants " +
             shape_str(*v.shape));
      }
    }
  }
  for (size_t i = 0; i < set.size(); ++i)
    for (size_t a = 0; a < g_.value(g_.inputs[i]).shape->size(); ++a)
      if (const auto want = (*g_.value(g_.inputs[i]).shape)[a].evaluate(bound); want && *want != set[i].dims()[a])
        fail(where + ": array '" + printable(g_.value(g_.inputs[i]).name) + "' has " + std::to_string(set[i].dims()[a]) +
             " in axis " + std::to_string(a) + ", with the other arrays it must be " + std::to_string(*want));
}

}  // namespace edgeconv
