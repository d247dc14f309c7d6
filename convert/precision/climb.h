// The search for the precisions that cost least and keep to a gate, by measuring whole models. ladder.h says what is asked for.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "convert/precision/ladder.h"

namespace edgeconv {

// Layers are sorted from the noisiest on. Attention and tables, which have no layers of their own, become exact where Linears of
// 16-bit activations do not suffice without it: that costs less than Linears in fp32. Where nothing reaches the gate Linears end at
// the top, and attention and tables are exact only if that helps.
class Climb {
 public:
  // fixed: one entry a layer, 1 where its precision is the user's. evaluate: worst output cosine of the model lowered with `options`.
  Climb(const SmoothingFactors& smooth, std::vector<LayerReport>& layers, const std::vector<char>& fixed, LowerOptions& options,
        const PrecisionRequest& request, std::function<double()> evaluate);

  // Writes the precision of every layer into the options.
  void apply();

  // Up from int8, then back down where a cheaper way passes too.
  void to_gate();

  // For a gate that the user set: lifts everything as far as needed, measures what each layer alone loses one step lower, and takes
  // the layers down in the order of least loss per multiplication saved.
  void descend_to_gate();

 private:
  // What is exact besides Linears.
  struct Exact {
    bool attention, tables;
  };
  // By cost: attention in fp32 takes a little time, tables four times the bytes.
  static constexpr Exact kExact[] = {{false, false}, {true, false}, {false, true}, {true, true}};

  // Whether that changed anything.
  bool set(size_t layer, Precision p) {
    if (fixed_[layer] || layers_[layer].precision == p) return false;
    layers_[layer].precision = p;
    return true;
  }
  void set_all(Precision p) {
    for (size_t i = 0; i < layers_.size(); ++i) set(i, p);
  }
  void set_exact(Exact e) { options_.plan.int8_attention = !e.attention, options_.plan.int8_tables = !e.tables; }
  bool passes();
  bool lift(Precision before, Precision next, double most_work, std::pair<size_t, size_t>& last);
  void make_cheaper(std::pair<size_t, size_t> last, Precision before, Precision next);
  bool climb_to_16_bits();
  bool climb_to_fp32();
  void stay_where_it_helps();
  bool find_cheaper(std::pair<size_t, size_t> last, Precision before, Precision next);
  void drop_needless(Precision before, Precision next);
  void take_down(Precision from, Precision to);

  const SmoothingFactors& smooth_;
  std::vector<LayerReport>& layers_;
  const std::vector<char>& fixed_;
  LowerOptions& options_;
  double gate_;
  int trials_;
  std::function<double()> evaluate_;
};

}  // namespace edgeconv
