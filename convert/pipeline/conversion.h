// One conversion as an object: what convert_model (convert.cc) runs step by step. Each step reads what those before it left in the members.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "convert/blob/blob.h"
#include "convert/dims/dims.h"
#include "convert/dims/kept_states.h"
#include "convert/lower/lower.h"
#include "convert/pipeline/text.h"
#include "convert/precision/candidate.h"
#include "convert/precision/search.h"
#include "convert/prepare/prepare.h"
#include "convert/result/convert_options.h"
#include "convert/result/convert_result.h"
#include "convert/result/gates.h"

namespace edgeconv {

// Rounds of the program passes in a trace: the program with placeholders for weights, and the one that is written.
constexpr int kTrialRound = 1, kWrittenRound = 2;

class Conversion {
 public:
  explicit Conversion(const ConvertOptions& o) : o_(o), budget_{o.gates.max_slowdown, o.gates.max_bytes} {
    if (o_.gates.max_loss > 0) o_.precision.target_cosine = cosine_of(o_.gates.max_loss);
  }
  // What is converted, and all that can be refused before the slow part: read_and_fuse.cc.
  void read(const std::string& path);
  void fuse();
  // What is known of its layers and outputs, and how precise each layer is: choose_precisions.cc.
  void calibrate();
  void run_references();
  void choose_precisions();
  void measure_outputs();
  // The file: write.cc.
  void write();
  void compress();
  bool must_be_smaller();
  void finish();
  ConvertResult result() { return std::move(r_); }
  // What a user should know besides the reason of a failure.
  std::string notes() const;

 private:
  void stage(const char* name, double fraction) {
    r_.cost.begin(name);
    if (o_.progress) o_.progress(name, fraction);
  }
  bool joins_dynamic_axis() const;
  void check_nothing();
  // A plan for layers that are as given, and what it gives up.
  struct Searched {
    Choice choice;
    std::vector<char> freed;  // set_free_layers
    bool keeps_gate = false;
    double time = 0, slowdown = kF32Work;
    uint64_t bytes = 0;
  };
  Searched search(const std::vector<LayerSensitivity>& layers);
  bool can_be_quicker(const Searched& over_maps, const std::vector<LayerSensitivity>& rows) const;
  std::vector<GoldenVector> golden_of(const Tensor& blob);
  bool quantizes() const { return o_.precision.mode != PrecisionMode::kFp32 || !o_.precision.overrides.empty(); }

  ConvertOptions o_;
  ConvertResult r_;
  Diagnostics d_;
  PreparedModel model_;  // as exported; what the blob is compared with
  Graph g_;              // fused
  DimPlan dims_;
  std::vector<KeptState> states_;
  TextPlan text_;
  std::optional<PaddingMask> padding_;  // where it is proved to reach nothing else, whether it is skipped or not
  PrecisionRequest request_;            // as it is done: check_nothing() decides what cannot be checked
  LowerOptions options_;                // but for the plan of precisions
  WeightStore weights_;
  SmoothingFactors smooth_;
  std::vector<LayerSensitivity> layers_;  // the noisiest first
  std::optional<ValidationSet> validation_;
  std::optional<Candidates> candidates_;
  Budget budget_;
  uint64_t chosen_bytes_ = 0;  // where bytes are limited: without certificate and golden vectors
};

}  // namespace edgeconv
