// What a plan costs: work, and bytes of the file.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "convert/dims/dims.h"
#include "convert/precision/request.h"
#include "convert/precision/sensitivity.h"
#include "convert/quantize/precision_plan.h"

namespace edgeconv {

// Multiplications count by precision: twice as many with 16-bit activations, or 12-bit weights; one in fp32 takes as long as four in int8.
constexpr double kInt8A16Work = 2, kW12A13Work = 2, kF32Work = 4;

double work_of(Precision p);

// How many rows each layer computes in a run of g at the largest dims.
void count_rows(const Graph& g, const DimPlan& dims, std::vector<LayerSensitivity>& layers);

// How long a layer takes, in multiplications of int8: quantizing its rows costs as much as many of them, so that fp32 is as quick where
// weights have few rows or columns. By ert-bench at 1024 rows, fp32 / int8 for [k, n], on AVX512-VNNI, AVX2 and SSE4.1 (Zen 5, 2026-11-23), and
// what this gives:
//   9 x 24 .39 .12 .50 .21    72 x 48 1.35  .65 1.48 1.24     96 x 96 1.93 1.32 1.88 1.95    384 x 384  3.25 1.75 2.31 3.38
//   16 x 16 .29 .10 .70 .23   144 x 48 1.56  .92 1.76 1.58    288 x 96 2.19 1.52 1.99 2.46   384 x 1536 3.82 1.89 2.32 3.69
//   27 x 16 .51 .17 .42 .33   216 x 48 1.58 1.06 1.72 1.74    864 x 96 2.21 1.24 1.63 2.69   1536 x 128 2.43 1.29 1.99 2.97
// Convolutions whose neighbours share what they quantize, on maps of 32 x 32, channels in and out (the same machine, not idle):
//   3x3 16, 16 1.58 1.10  .72 1.42   3x3 64, 64 2.75 1.66 6.28 2.87   1x3 24, 48 2.29  .61 2.57 2.02   1x3 72, 72 2.84 1.72 2.72 2.77
//   3x3 24, 48 2.31 1.54 1.84 2.47   3x3 96, 96 3.30 1.82 5.68 3.55   1x3 48, 48 1.46  .78  .78 2.34   1x3 96, 96 3.38 1.25 1.33 3.03
// Over maps patches cost nothing: results are quantized once.
// Measured again (Zen 4, 2026-11-28): rows in memory take some 1000 and 16 an element on all three levels, patches 3000 and 16. The figures stay higher:
// beside small int8 layers fp32 and 12 bits take .3 to 1 of the time on AVX2 and SSE4.1 and 1 to 2.7 of it on AVX512-VNNI, and one file serves all.
// With the lower ones detectors of text went from 12 bits to 16 and fp32, in three times the trials. W12A13 / int8 of a convolution 10x4, 1 channel in
// and 64 out, whose rows are patches in 12 bits too: 1.52 .90 .89, modelled 1.9 on A76 and .92 on A53; this gives .99, and half the size tips it.
double time_of(const LayerSensitivity& layer, Precision p);
double time_of(const std::vector<LayerSensitivity>& layers, const PrecisionPlan& plan);
double weight_bytes(const std::vector<LayerSensitivity>& layers, const PrecisionPlan& plan);
// Whether W12A13 is worth its rounding where 8 bits do not do: clearly quicker than fp32.
bool is_quicker_in_12_bits(const LayerSensitivity& layer);
// What a step up takes more: a little, at least, where fp32 is quicker.
double more_time(const LayerSensitivity& layer, Precision from, Precision to);

// Layers that are as quick in fp32 and hold next to no weights: a first convolution over a few channels. They become fp32 in the plan, where
// nobody asked for something else. In a model that has few weights itself convolutions of many rows do, of at most
// `few` weights in all, that take less than half of the time so.
// Returns which did, one entry a layer.
std::vector<char> set_free_layers(const std::vector<LayerSensitivity>& layers, AskedPlan& asked, double few = 0);
// For cores that compute fp32 about as quickly as int8: 1.5 kB more of the file.
constexpr double kFewOfAny = 512;

// The same layers where nothing computes over maps; depthwise ones are fp32 then.
std::vector<LayerSensitivity> without_maps(std::vector<LayerSensitivity> layers);

// Work of the layers, relative to all of them in int8; 1 without layers.
double slowdown(const std::vector<LayerSensitivity>& layers, const PrecisionPlan& plan);

// Zero: no limit.
struct Budget {
  double slowdown = 0;
  uint64_t bytes = 0;
};

class PlanCost {
 public:
  // bytes: of the file with this plan, besides certificate and golden vectors. It takes a lowering, and is asked only where bytes are
  // limited. The layers must outlive this.
  explicit PlanCost(const std::vector<LayerSensitivity>& layers, Budget budget = {},
                    std::function<uint64_t(const PrecisionPlan&)> bytes = {})
      : layers_(&layers), budget_(budget), bytes_(std::move(bytes)) {}

  const Budget& budget() const { return budget_; }
  bool limited() const { return budget_.slowdown > 0 || budget_.bytes > 0; }
  double slowdown(const PrecisionPlan& plan) const { return edgeconv::slowdown(*layers_, plan); }
  uint64_t bytes(const PrecisionPlan& plan) const { return budget_.bytes ? bytes_(plan) : 0; }  // 0: not limited
  bool knows_bytes() const { return bytes_ != nullptr; }
  // Of the file, whether bytes are limited or not. It takes a lowering.
  double file_bytes(const PrecisionPlan& plan) const { return static_cast<double>(bytes_(plan)); }
  bool fits(const PrecisionPlan& plan) const;

 private:
  const std::vector<LayerSensitivity>* layers_;
  Budget budget_;
  std::function<uint64_t(const PrecisionPlan&)> bytes_;
};

}  // namespace edgeconv
