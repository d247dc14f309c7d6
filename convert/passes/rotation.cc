// Finds x and reads the columns of y as a rotation of it: see rotation.h.
#include "convert/passes/rotation.h"

#include <algorithm>

#include "convert/passes/match.h"
#include "convert/passes/rotation_columns.h"

namespace edgeconv {

namespace params = ert::params;

namespace {

using namespace rotation;

constexpr size_t kMaxCandidates = 8;

// Fewer kinds than those that move elements: what rotation_columns.cc follows.
bool moves_columns(OpKind k) {
  return k == OpKind::kSlice || k == OpKind::kSplit || k == OpKind::kGather || k == OpKind::kReshape || k == OpKind::kSqueeze ||
         k == OpKind::kUnsqueeze || k == OpKind::kIdentity || k == OpKind::kConcat;
}

bool is_product(const Node& n) { return n.kind == OpKind::kBinary && n.as<BinaryAttrs>().kind == params::binary::kMul; }

// What could be x: factors of the products behind y and what they are parts of, in the shape of y.
void candidates(const Graph& g, ValueId v, const Shape& shape, int depth, bool below_product, std::vector<ValueId>& found) {
  if (v == kNone || depth > kMaxDepth || found.size() >= kMaxCandidates || !g.value(v).shape) return;
  if (below_product && *g.value(v).shape == shape && std::find(found.begin(), found.end(), v) == found.end()) found.push_back(v);
  const Node* n = g.producer(v);
  if (!n || n->dead) return;
  const bool product = is_product(*n);
  const bool sum = n->kind == OpKind::kBinary &&
                   (n->as<BinaryAttrs>().kind == params::binary::kAdd || n->as<BinaryAttrs>().kind == params::binary::kSub);
  const bool negation = n->kind == OpKind::kUnary && n->as<UnaryAttrs>().kind == params::unary::kNeg;
  if (product && below_product) return;
  if (product || (sum && !below_product) || negation || moves_columns(n->kind)) {
    const size_t operands = n->kind == OpKind::kConcat || n->kind == OpKind::kBinary ? n->inputs.size() : 1;
    for (size_t i = 0; i < operands; ++i) candidates(g, n->in(i), shape, depth + 1, below_product || product, found);
  }
}

// The two terms of a rotated column as cosine and sine parts.
bool read_pair(const Column& column, int64_t j, Rotation& r, int64_t& partner, int& sign) {
  if (column.size() != 2) return false;
  const size_t own = column[0].index == j ? 0 : 1;
  const Term &c = column[own], &s = column[1 - own];
  if (c.index != j || c.sign != 1 || s.index == j || c.table == kNone || s.table == kNone) return false;
  if (j == 0) {
    r.cos = c.table;
    r.sin = s.table;
  }
  if (c.table != r.cos || s.table != r.sin) return false;
  r.cos_column.push_back(c.column);
  r.sin_column.push_back(s.column);
  partner = s.index;
  sign = s.sign;
  return true;
}

std::optional<Rotation> read(const Columns& y, ValueId x) {
  Rotation r;
  r.x = x;
  const int64_t width = static_cast<int64_t>(y.each.size());
  while (r.rotated < width && y.each[static_cast<size_t>(r.rotated)].size() == 2) ++r.rotated;
  if (r.rotated < 2 || r.rotated % 2 != 0) return {};
  for (int64_t j = 0; j < r.rotated; ++j) {
    int64_t partner = 0;
    int sign = 0;
    if (!read_pair(y.each[static_cast<size_t>(j)], j, r, partner, sign)) return {};
    if (j == 0) {
      if (partner != 1 && partner != r.rotated / 2) return {};
      r.interleaved = partner == 1 && r.rotated != 2;
    }
    const bool first = r.interleaved ? j % 2 == 0 : j < r.rotated / 2;
    const int64_t distance = r.interleaved ? 1 : r.rotated / 2;
    if (partner != (first ? j + distance : j - distance) || sign != (first ? -1 : 1)) return {};
  }
  for (int64_t j = r.rotated; j < width; ++j) {
    const Column& c = y.each[static_cast<size_t>(j)];
    if (c.size() != 1 || c[0].sign != 1 || c[0].table != kNone || c[0].index != j) return {};
  }
  return r;
}

}  // namespace

std::optional<Rotation> match_rotation(const Graph& g, ValueId y) {
  const auto& shape = g.value(y).shape;
  if (!shape || shape->size() < 3 || !is_float(g.value(y).dtype)) return {};
  const auto width = shape->back().constant();
  if (!width || *width < 2 || *width > kMaxColumns) return {};
  std::vector<ValueId> found;
  candidates(g, y, *shape, 0, false, found);
  for (ValueId x : found) {
    if (x == y) continue;
    const auto all = columns(g, x, y);
    if (!all || all->dims.size() != 1) continue;
    if (auto r = read(*all, x)) return r;
  }
  return {};
}

}  // namespace edgeconv
