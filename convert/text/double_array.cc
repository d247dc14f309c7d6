// Children of a node stand at base ^ label, where label 0 is the value of the key that ends there. No two nodes have one base, so that the label alone
// tells whose child a unit is.
#include "convert/text/double_array.h"

#include "convert/ir/diagnostics.h"

namespace edgeconv::text {

namespace {

constexpr uint32_t kOpenUnits = 16 * 256;  // only the last ones are searched for room, so that building stays linear

class ArrayBuilder {
 public:
  explicit ArrayBuilder(const std::map<std::string, uint32_t>& keys) {
    for (const auto& [key, value] : keys) keys_.push_back(&key), values_.push_back(value);
    grow();
    used_[0] = true;
    std::vector<Node> open = {{0, 0, static_cast<uint32_t>(keys_.size()), 0}};
    while (!open.empty()) {
      const Node n = open.back();
      open.pop_back();
      place(n, open);
    }
  }
  std::vector<uint32_t> units;

 private:
  struct Node {
    uint32_t unit, begin, end, depth;  // of keys [begin, end), which agree in their first `depth` bytes
  };

  uint8_t label(uint32_t key, uint32_t depth) const { return depth < keys_[key]->size() ? static_cast<uint8_t>((*keys_[key])[depth]) : 0; }
  void grow() {
    const size_t size = units.size() + 256;
    if (size > (1u << 29)) throw FatalError(ExitCode::kLimit, "the tokenizer's pieces are too many for a table");
    units.resize(size), used_.resize(size), base_.resize(size);
  }
  static bool reachable(uint32_t offset) { return (offset >> 21) == 0 || ((offset & 0xff) == 0 && (offset >> 29) == 0); }
  bool fits(uint32_t unit, uint32_t base, const std::vector<uint8_t>& labels) const {
    if (base_[base] || !reachable(unit ^ base)) return false;
    for (const uint8_t l : labels)
      if (used_[base ^ l]) return false;
    return true;
  }
  uint32_t find_base(uint32_t unit, const std::vector<uint8_t>& labels) {
    for (;;) {
      const uint32_t size = static_cast<uint32_t>(units.size());
      for (uint32_t i = std::max(first_free_, size > kOpenUnits ? size - kOpenUnits : 1); i < size; ++i) {
        if (used_[i]) {
          if (i == first_free_) ++first_free_;
          continue;
        }
        if (fits(unit, i ^ labels[0], labels)) return i ^ labels[0];
      }
      grow();
    }
  }
  void place(const Node& n, std::vector<Node>& open) {
    std::vector<uint8_t> labels;
    std::vector<uint32_t> starts;
    for (uint32_t k = n.begin; k < n.end; ++k) {
      const uint8_t l = label(k, n.depth);
      if (labels.empty() || labels.back() != l) labels.push_back(l), starts.push_back(k);
    }
    if (labels.empty()) return;
    starts.push_back(n.end);
    const uint32_t base = find_base(n.unit, labels), offset = n.unit ^ base;
    base_[base] = true;
    units[n.unit] |= (offset >> 21) == 0 ? offset << 10 : (offset << 2) | 1u << 9;
    for (size_t i = 0; i < labels.size(); ++i) {
      const uint32_t child = base ^ labels[i];
      used_[child] = true;
      if (labels[i] == 0) {
        units[n.unit] |= 1u << 8;
        units[child] = values_[starts[i]] | 1u << 31;
      } else {
        units[child] = labels[i];
        open.push_back({child, starts[i], starts[i + 1], n.depth + 1});
      }
    }
  }
  std::vector<const std::string*> keys_;
  std::vector<uint32_t> values_;
  std::vector<bool> used_, base_;
  uint32_t first_free_ = 1;
};

}  // namespace

std::vector<uint32_t> double_array(const std::map<std::string, uint32_t>& keys) {
  if (keys.empty()) return {};
  return std::move(ArrayBuilder(keys).units);
}

}  // namespace edgeconv::text
