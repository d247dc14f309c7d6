// What choices of precisions are judged by: whole candidates on the usual inputs and, where channels stand out, on rows held out.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "convert/precision/candidate.h"
#include "convert/precision/held_out.h"
#include "convert/prepare/prepare.h"

namespace edgeconv {

// Tests have judges of their own.
class ChoiceJudge {
 public:
  ChoiceJudge() = default;
  ChoiceJudge(const ChoiceJudge&) = delete;
  ChoiceJudge& operator=(const ChoiceJudge&) = delete;
  virtual ~ChoiceJudge() = default;

  // Worst cosine of an output on the inputs that reports tell of.
  virtual double compared(const LowerOptions& options) = 0;
  // Whether that is not enough.
  virtual bool holds_rows_out() const = 0;
  // Worst cosine on these rows, or the first below the gate.
  virtual double held_out(const LowerOptions& options, double gate) = 0;
  // Whether a choice keeps to the gate on fresh rows, too; if not, those are held out from now on.
  virtual bool confirms(const LowerOptions& options, double gate) = 0;
  // Of the file, besides certificate and golden vectors.
  virtual uint64_t bytes(const LowerOptions& options) = 0;
};

class CandidateJudge : public ChoiceJudge {
 public:
  // made_up: the usual inputs are; those of a user are what counts, however few. compressed: so is the file. All must outlive this.
  CandidateJudge(const PreparedModel& original, const DimPlan& dims, const std::optional<PaddingMask>& padding, bool made_up,
                 bool compressed, const std::vector<LayerReport>& layers, Candidates& candidates)
      : original_(original),
        dims_(dims),
        padding_(padding),
        made_up_(made_up),
        compressed_(compressed),
        layers_(layers),
        candidates_(candidates) {}

  double compared(const LowerOptions& options) override;
  bool holds_rows_out() const override { return made_up_ && needs_more_rows(layers_); }
  double held_out(const LowerOptions& options, double gate) override;
  bool confirms(const LowerOptions& options, double gate) override;
  uint64_t bytes(const LowerOptions& options) override { return candidates_.bytes(options, compressed_); }

 private:
  HeldOut& rows();

  const PreparedModel& original_;
  const DimPlan& dims_;
  const std::optional<PaddingMask>& padding_;
  const bool made_up_, compressed_;
  const std::vector<LayerReport>& layers_;
  Candidates& candidates_;
  std::optional<HeldOut> held_out_;
};

}  // namespace edgeconv
