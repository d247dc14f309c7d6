// See map_layers.h.
#include "convert/quantize/map_layers.h"

#include <algorithm>
#include <functional>
#include <set>

#include "convert/quantize/exact_layers.h"
#include "kernels_int8/contract/map_kernels.h"
#include "rt/ops/op_params.h"

namespace edgeconv {

namespace {

namespace map_conv = ert::params::map_conv;

// One range for more columns loses what is quiet beside what is loud: with rows of spectra (264 and 88 columns) basic-pitch kept .9970 on real music, with patches .9984.
// Rows of pictures are more alike. They count where every map has 8 bits for the RAM that it takes, and where all layers are to be int8; a search for precisions
// that keep a gate leaves more layers int8 without them (nudenet: .93 of the time).
constexpr int64_t kMostColumns = 64, kMostColumnsOfAll = 128, kMostColumnsOfPictures = 256;

int64_t most_columns(MapUse use) {
  return use == MapUse::kQuickerOfPictures ? kMostColumnsOfPictures : use == MapUse::kAll ? kMostColumnsOfAll : kMostColumns;
}

// A convolution over one or two channels, a first one over a signal or a grey picture: a row of a patch fills less than a line of weights, and fp32 reads the picture in the layout that it comes in (DirectConv),
// which is quicker. Of coloured pictures 9 of 12 bytes count, and no map of floats comes out: ResNet-8 takes .90 (avx512vnni), .91 (avxvnni), 1.02 (avx2) of its time and half its RAM.
constexpr int64_t kFewChannels = 2;

// Whether inputs are read for more than one output, which costs copies where they are no map.
bool overlaps(const WindowAttrs& w) { return w.kernel[0] > w.strides[0] || w.kernel[1] > w.strides[1]; }

bool fits(const WindowAttrs& w, int64_t channels, bool depthwise) {
  if (w.kernel.size() != 2 || w.kernel[0] > static_cast<int64_t>(ert::kernels::kMostMapRows)) return false;
  for (size_t i = 0; i < 2; ++i)
    if (w.begin[i] < 0 || w.end[i] < 0) return false;
  if (depthwise) return w.kernel[1] <= map_conv::kMostTaps;
  return w.dilations[1] == 1 && w.kernel[0] * w.kernel[1] * channels <= ert::params::kMaxExactDepth;
}

bool has_rows(const Shape& x, int64_t most_columns) {
  return x.size() == 4 && x.back().is_constant() && x[2].constant().value_or(most_columns + 1) <= most_columns;
}

bool came_from_convolution(const Node& n) { return n.origin.op_type.find("Conv") != std::string::npos; }

}  // namespace

std::optional<MapLayer> map_layer(const Graph& g, const Node& n) {
  MapLayer l;
  if (n.kind == OpKind::kDepthwiseConv) {
    l = {n.in(0), n.as<DepthwiseConvAttrs>().window, 0, 0, true};
  } else if (n.kind == OpKind::kLinear) {
    const Node* p = g.producer(n.in(0));
    if (p && p->kind == OpKind::kPatches) {
      const auto& a = p->as<PatchesAttrs>();
      const Shape& x = *g.value(p->in(0)).shape;
      if (a.first_channel != 0 || x.back() != DimExpr(a.channels)) return {};
      l = {p->in(0), a.window};
    } else if (came_from_convolution(n)) {
      const std::vector<int64_t> ones(2, 1), zeros(2, 0);
      l = {n.in(0), {ones, ones, ones, zeros, zeros}};
    } else {
      return {};
    }
  } else {
    return {};
  }
  const Value &x = g.value(l.input), &weight = g.value(n.in(1));
  if (!x.shape || !has_rows(*x.shape, most_columns(g.maps)) || !weight.constant || weight.constant->rank() != 2) return {};
  if (n.in(2) != kNone && !g.value(n.in(2)).constant) return {};
  l.channels = *x.shape->back().constant();
  l.filters = weight.constant->dims()[1];
  if (!fits(l.window, l.channels, l.depthwise)) return {};
  return l;
}

namespace {

// Elementwise ops that become part of a convolution or leave a map as it is. Through more of them values are floats.
constexpr int kMostBetween = 3;

class Neighbours {
 public:
  Neighbours(const Graph& g, const MapLayers& layers) : g_(g), layers_(layers) {
    for (const auto& [id, l] : layers) read_.insert(l.input);
  }
  // Whether some other layer's result becomes this value.
  bool come_before(ValueId v, int between = kMostBetween) const {
    const Node* p = g_.producer(v);
    if (!p) return false;
    if (layers_.count(static_cast<NodeId>(p - g_.nodes.data()))) return true;
    if (between == 0 || (p->kind != OpKind::kBinary && p->kind != OpKind::kUnary)) return false;
    return std::any_of(p->inputs.begin(), p->inputs.end(), [&](ValueId i) { return i != kNone && come_before(i, between - 1); });
  }
  bool are_read(ValueId v, const std::vector<std::vector<NodeId>>& users, int between = kMostBetween) const {
    if (read_.count(v)) return true;
    if (between == 0) return false;
    const auto& readers = users[static_cast<size_t>(v)];
    return std::any_of(readers.begin(), readers.end(), [&](NodeId id) {
      const Node& n = g_.node(id);
      return (n.kind == OpKind::kBinary || n.kind == OpKind::kUnary) && are_read(n.outputs[0], users, between - 1);
    });
  }

 private:
  const Graph& g_;
  const MapLayers& layers_;
  std::set<ValueId> read_;
};

}  // namespace

MapLayers map_layers(const Graph& g) {
  MapLayers all;
  if (g.maps == MapUse::kNever) return all;
  const std::set<NodeId> exact = exact_layers(g);
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (g.nodes[i].dead || exact.count(id)) continue;
    if (const auto l = map_layer(g, g.nodes[i])) all[id] = *l;
  }
  if (all.empty()) return all;
  const auto users = g.users();
  // A weight that others multiply, too, has the factors of these.
  std::map<ValueId, bool> only_here;
  for (const auto& [id, l] : all) {
    const auto [at, fresh] = only_here.try_emplace(g.node(id).in(1), true);
    if (!fresh) continue;
    const auto& readers = users[static_cast<size_t>(at->first)];
    at->second = std::all_of(readers.begin(), readers.end(), [&](NodeId reader) { return all.count(reader) > 0; });
  }
  std::erase_if(all, [&](const auto& entry) { return !only_here.at(g.node(entry.first).in(1)); });
  const auto is_quicker = [](const MapLayer& l) { return !l.depthwise && overlaps(l.window); };
  const auto stay = [&](const MapLayers& beside) {
    const Neighbours neighbours(g, beside);
    MapLayers kept;
    for (const auto& [id, l] : all)
      if (is_quicker(l) || neighbours.come_before(l.input) || neighbours.are_read(g.node(id).outputs[0], users)) kept[id] = l;
    return kept;
  };
  if (g.maps != MapUse::kAll) {
    std::erase_if(all, [](const auto& entry) { return entry.second.depthwise || entry.second.channels <= kFewChannels; });
    MapLayers quicker = all;
    std::erase_if(quicker, [&](const auto& entry) { return !is_quicker(entry.second); });
    return stay(quicker);
  }
  // Until none is left over that has no neighbour.
  for (size_t before = 0; before != all.size();) {
    before = all.size();
    all = stay(all);
  }
  return all;
}

std::vector<std::vector<NodeId>> map_groups(const Graph& g, const MapLayers& layers) {
  std::map<NodeId, NodeId> parent;
  const std::function<NodeId(NodeId)> root = [&](NodeId id) {
    while (parent[id] != id) id = parent[id] = parent[parent[id]];
    return id;
  };
  std::map<ValueId, NodeId> first;  // of a map or a weight
  for (const auto& [id, l] : layers) {
    parent[id] = id;
    for (const ValueId v : {l.input, g.node(id).in(1)}) {
      const auto [at, fresh] = first.try_emplace(v, id);
      if (!fresh) parent[root(id)] = root(at->second);
    }
  }
  std::map<NodeId, std::vector<NodeId>> groups;
  for (const auto& [id, l] : layers) groups[root(id)].push_back(id);
  std::vector<std::vector<NodeId>> list;
  for (auto& [id, group] : groups) list.push_back(std::move(group));
  return list;
}

}  // namespace edgeconv
