// See row_bands.h.
#include "convert/program/row_bands.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "convert/program/band_chain.h"
#include "convert/program/program_pass.h"
#include "convert/program/slots.h"
#include "convert/program/value_uses.h"

namespace edgeconv {

namespace {

namespace bands = ert::params::row_bands;

constexpr size_t kMostAxes = bands::kValueInts - bands::kFirstExpr;  // of a value inside

Dims min_dims(const TargetProgram& p) {
  Dims m;
  for (const TargetDim& d : p.dims) m[d.name] = d.min;
  return m;
}

class Chooser {
 public:
  Chooser(const TargetProgram& p, const BandChoice& choice)
      : p_(p), choice_(choice), uses_(p), most_(max_dims(p)), least_(min_dims(p)), exprs_(evaluated(p, most_)) {
    std::vector<int> first(p.values.size(), -1);
    last_.assign(p.values.size(), -1);
    for (size_t i = 0; i < p.ops.size(); ++i)
      for (const auto* list : {&p.ops[i].outputs, &p.ops[i].inputs})
        for (const int v : *list) {
          if (v < 0) continue;
          const auto root = static_cast<size_t>(p.root(v));
          if (first[root] < 0) first[root] = static_cast<int>(i);
          last_[root] = static_cast<int>(i);
        }
    written_.assign(p.ops.size() + 1, 0);
    done_.assign(p.ops.size() + 1, 0);
    for (size_t v = 0; v < p.values.size(); ++v) {
      if (p.values[v].storage != Storage::kArena || first[v] < 0) continue;
      const int64_t bytes = value_bytes(p.values[v], most_);
      written_[static_cast<size_t>(first[v]) + 1] += bytes;
      done_[static_cast<size_t>(last_[v]) + 1] += bytes;
    }
    std::partial_sum(written_.begin(), written_.end(), written_.begin());
    std::partial_sum(done_.begin(), done_.end(), done_.begin());
  }

  // Ends of the parts that the ops are cut into; those of more than one op are chains. A context has memory for the values that live at a time and
  // for the scratch of one op: the cut that needs least of both, and of such cuts the one with the fewest ops in chains.
  std::vector<int> ends() {
    find_parts();
    std::set<int64_t> limits;
    for (const Part& part : parts_) limits.insert(part.scratch);
    std::vector<int> best;
    std::pair<int64_t, int> least = {INT64_MAX, 0};
    for (const int64_t limit : limits) {
      const Cut cut = cut_within(limit);
      if (cut.live == INT64_MAX) continue;  // no cut has so little scratch
      if (const std::pair need = {cut.live + limit, cut.chained}; need < least) least = need, best = cut.ends;
    }
    return best;
  }

  int rows(int last) const {
    const Shape& out = p_.values[static_cast<size_t>(p_.ops[static_cast<size_t>(last) - 1].outputs[0])].shape;
    const int64_t height = out[1].evaluate(most_).value(), width = out[2].evaluate(most_).value();
    return static_cast<int>(std::min(height, (choice_.least_pixels + width - 1) / width));
  }

 private:
  // Whether op i's outputs may lie between ops of a chain.
  bool links(int i) const {
    for (const int v : p_.ops[static_cast<size_t>(i)].outputs)
      if (v < 0 || !uses_.is_internal(v)) return false;
    return true;
  }

  // Ops [first, last) run as one, and the bytes that are needed meanwhile.
  struct Part {
    int first, last;
    int64_t live, scratch;
  };
  struct Cut {
    int64_t live;
    int chained;
    std::vector<int> ends;
  };

  void find_parts() {
    const int n = static_cast<int>(p_.ops.size());
    for (int j = 1; j <= n; ++j)
      for (int i = j - 1; i >= std::max(0, j - bands::kMostOps); --i) {
        if (i < j - 1 && !links(i)) break;
        if (const auto scratch = j - i > 1 ? scratch_of_chain(i, j) : std::optional(scratch_of_op(i)))
          parts_.push_back({i, j, live(i, j), *scratch});
      }
  }

  // The cut of least live bytes into parts of at most so much scratch.
  Cut cut_within(int64_t limit) const {
    struct Best {
      int64_t live = INT64_MAX;
      int chained = 0, from = 0;
    };
    std::vector<Best> best(p_.ops.size() + 1);
    best[0].live = 0;
    for (const Part& part : parts_) {  // sorted by last
      const Best& before = best[static_cast<size_t>(part.first)];
      if (part.scratch > limit || before.live == INT64_MAX) continue;
      const int ops = part.last - part.first;
      const Best b = {std::max(before.live, part.live), before.chained + (ops > 1 ? ops : 0), part.first};
      Best& now = best[static_cast<size_t>(part.last)];
      if (std::pair(b.live, b.chained) < std::pair(now.live, now.chained)) now = b;
    }
    Cut cut = {best.back().live, best.back().chained, {}};
    if (cut.live == INT64_MAX) return cut;
    for (int j = static_cast<int>(p_.ops.size()); j > 0; j = best[static_cast<size_t>(j)].from) cut.ends.push_back(j);
    std::reverse(cut.ends.begin(), cut.ends.end());
    return cut;
  }

  int64_t scratch_of_op(int i) const {
    return static_cast<int64_t>(OpAtDims(p_, p_.ops[static_cast<size_t>(i)], exprs_, most_).scratch().value_or(0));
  }

  // How many rows are packed depends on a mask, so that the sizes of such values do not follow from the dims.
  bool has_packed_rows(const TargetOp& op) const {
    for (const auto* list : {&op.inputs, &op.outputs})
      for (const int v : *list)
        if (v >= 0)
          for (const DimExpr& d : p_.values[static_cast<size_t>(v)].shape)
            if (!d.evaluate(least_)) return true;
    return false;
  }

  // Nothing: ops [i, j) are no chain.
  std::optional<int64_t> scratch_of_chain(int i, int j) const {
    const Shape& out = p_.values[static_cast<size_t>(p_.ops[static_cast<size_t>(j) - 1].outputs[0])].shape;
    if (out.size() != kMostAxes) return std::nullopt;
    for (int k = i; k < j - 1; ++k)
      for (const int v : p_.ops[static_cast<size_t>(k)].outputs)
        if (last_[static_cast<size_t>(v)] >= j || p_.values[static_cast<size_t>(v)].shape.size() > kMostAxes) return std::nullopt;
    for (int k = i; k < j; ++k)
      if (has_packed_rows(p_.ops[static_cast<size_t>(k)])) return std::nullopt;
    int64_t scratch = 0;
    for (const Dims* dims : {&least_, &most_}) {
      std::vector<int64_t> exprs;
      const TargetOp op = chain_of(p_, i, j, rows(j), [&](const DimExpr& e) {
        exprs.push_back(e.evaluate(*dims).value());
        return static_cast<int>(exprs.size()) - 1;
      });
      if (op.inputs.size() + op.outputs.size() > ert::kMaxOperands) return std::nullopt;
      const OpAtDims at(p_, op, exprs, *dims);
      const auto bytes = at.scratch();
      if (!bytes) return std::nullopt;
      scratch = static_cast<int64_t>(*bytes);
    }
    return scratch;
  }

  // Bytes of the values that are in memory while part [i, j) runs.
  int64_t live(int i, int j) const {
    const auto at = [](const std::vector<int64_t>& sums, int op) { return sums[static_cast<size_t>(op)]; };
    const int64_t inside = j - i > 1 ? at(written_, j - 1) - at(written_, i) : 0;
    return at(written_, j) - at(done_, i) - inside - (j - i > 1 ? 0 : in_place(i));
  }

  // Bytes of op i's result where that may take the place of what the op reads for the last time.
  int64_t in_place(int i) const {
    const TargetOp& op = p_.ops[static_cast<size_t>(i)];
    const ert::OpDef* def = ert::find_op(static_cast<uint16_t>(op.code));
    const TargetValue& out = p_.values[static_cast<size_t>(p_.root(op.outputs[0]))];
    for (size_t k = 0; k < op.inputs.size() && out.storage == Storage::kArena; ++k) {
      if (op.inputs[k] < 0 || !def->may_replace(k)) continue;
      const int root = p_.root(op.inputs[k]);
      const TargetValue& in = p_.values[static_cast<size_t>(root)];
      if (in.storage == Storage::kArena && last_[static_cast<size_t>(root)] == i && in.dtype == out.dtype &&
          in.shape == out.shape)
        return value_bytes(out, most_);
    }
    return 0;
  }

  std::vector<Part> parts_;
  const TargetProgram& p_;
  const BandChoice& choice_;
  ValueUses uses_;
  Dims most_, least_;
  std::vector<int64_t> exprs_;  // at the largest dims
  std::vector<int> last_;       // of each value that is no alias (what links is none): the op that reads it or an alias last
  std::vector<int64_t> written_, done_;  // bytes of the values that are written, and read for the last time, before each op
};

// Of the slots and the scratch of one thread, at the largest dims.
int64_t context_bytes(const TargetProgram& p) {
  const Dims dims = max_dims(p);
  const std::vector<int64_t> exprs = evaluated(p, dims);
  std::vector<int64_t> slots(static_cast<size_t>(p.slots), 0);
  for (const TargetValue& v : p.values)
    if (v.storage == Storage::kArena)
      slots[static_cast<size_t>(v.index)] = std::max(slots[static_cast<size_t>(v.index)], value_bytes(v, dims));
  size_t scratch = 0;
  for (const TargetOp& op : p.ops) scratch = std::max(scratch, OpAtDims(p, op, exprs, dims).scratch().value_or(0));
  return std::accumulate(slots.begin(), slots.end(), static_cast<int64_t>(scratch));
}

// Chains do more rows at a time where they need no more scratch than another op does: what neighbouring rows read is moved less often then.
void fill_scratch(TargetProgram& p, int64_t most_pixels) {
  const Dims least = min_dims(p), most = max_dims(p);
  const std::vector<int64_t> of_least = evaluated(p, least), of_most = evaluated(p, most);
  size_t limit = 0;
  for (const TargetOp& op : p.ops) limit = std::max(limit, OpAtDims(p, op, of_most, most).scratch().value_or(0));
  for (TargetOp& op : p.ops) {
    if (op.code != ert::params::OpCode::kRowBands) continue;
    int32_t& rows = op.ints[bands::kRows];
    const Shape& out = p.values[static_cast<size_t>(op.outputs[0])].shape;
    const int64_t width = out[2].evaluate(most).value(), most_rows = std::min(out[1].evaluate(most).value(), most_pixels / width);
    for (int32_t before = rows; 2 * before <= most_rows; before = rows) {
      rows = 2 * before;
      const auto scratch = OpAtDims(p, op, of_most, most).scratch();
      if (OpAtDims(p, op, of_least, least).scratch() && scratch && *scratch <= limit) continue;
      rows = before;
      break;
    }
  }
}

}  // namespace

BandChoice choose_bands(BandUse use, bool firmware) {
  // Larger blocks of pixels share the weights that they fetch and the calls of a band, which cost firmware a few hundredths; there memory counts more.
  const int64_t pixels = firmware ? 8 : 32;
  const int64_t most_pixels = firmware ? 0 : 256;
  if (use == BandUse::kAll) return {pixels, 0, 0, most_pixels};
  return firmware ? BandChoice{pixels, 0, 0.125} : BandChoice{pixels, int64_t{1} << 19, 0.25, most_pixels};
}

int make_row_bands(TargetProgram& p, const BandChoice& choice) {
  const int64_t alone = context_bytes(p);
  if (alone < choice.least_bytes) return 0;
  Chooser chooser(p, choice);
  TargetProgram banded = p;
  banded.ops.clear();
  int first = 0, made = 0;
  for (const int end : chooser.ends()) {
    if (end - first == 1) {
      banded.ops.push_back(p.ops[static_cast<size_t>(first)]);
    } else {
      banded.ops.push_back(chain_of(p, first, end, chooser.rows(end), [&](const DimExpr& e) { return banded.exprs.add(e); }));
      ++made;
    }
    first = end;
  }
  if (made == 0) return 0;
  banded.remove_dead();
  pass_plan_slots(banded, {});
  const auto need = static_cast<double>(context_bytes(banded));
  if (need >= static_cast<double>(alone) * (1 - choice.least_saving)) return 0;
  fill_scratch(banded, choice.most_pixels);
  p = std::move(banded);
  return made;
}

}  // namespace edgeconv
