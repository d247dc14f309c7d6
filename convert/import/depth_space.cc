// DepthToSpace and SpaceToDepth: a square of every channel group becomes one position, and back.
#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

int64_t block_size(const OnnxNode& n) {
  const int64_t block = n.integer("blocksize");
  if (block < 1 || block > INT32_MAX) throw NodeError("attribute 'blocksize' is " + std::to_string(block));
  return block;
}

ValueId shape_of(ImportContext& c, const OnnxNode& n, const std::vector<ValueId>& sizes) {
  std::vector<ValueId> parts;
  for (ValueId v : sizes) parts.push_back(unsqueeze(c, n, v, {0}));
  return concat(c, n, std::move(parts), 0);
}

ValueId reshaped(ImportContext& c, const OnnxNode& n, ValueId x, const std::vector<ValueId>& sizes) {
  return c.inner(n, OpKind::kReshape, {x, shape_of(c, n, sizes)}, ReshapeAttrs{});
}

// Channels are counted, not solved by -1: what does not come out whole is then the height or the width, and no question of all sizes at once.
ValueId part_of(ImportContext& c, const OnnxNode& n, ValueId size, ValueId block) { return binary(c, n, BinaryKind::kDiv, size, block); }

// How a channel of the deep side is made up: DCR (row, column, depth), CRD (depth, row, column). SpaceToDepth has it from opset 28.
bool depth_last(const OnnxNode& n) {
  const std::string mode = n.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") throw NodeError("attribute 'mode' has an unknown value");
  return mode == "DCR";
}

}  // namespace

// [N, C, H, W] -> [N, C / b^2, H b, W b].
void import_depth_to_space(ImportContext& c, const OnnxNode& n) {
  const ValueId x = required_input(c, n, 0), block = int_scalar(c, n, block_size(n));
  const bool dcr = depth_last(n);
  const ValueId images = dim_size(c, n, x, 0), height = dim_size(c, n, x, 2), width = dim_size(c, n, x, 3);
  const ValueId rest = part_of(c, n, part_of(c, n, dim_size(c, n, x, 1), block), block);
  const ValueId blocks = reshaped(c, n, x,
                                  dcr ? std::vector<ValueId>{images, block, block, rest, height, width}
                                      : std::vector<ValueId>{images, rest, block, block, height, width});
  const ValueId woven =
      transpose(c, n, blocks, dcr ? std::vector<int64_t>{0, 3, 4, 1, 5, 2} : std::vector<int64_t>{0, 1, 4, 2, 5, 3});
  c.bind(n, 0, reshaped(c, n, woven, {images, rest, mul(c, n, height, block), mul(c, n, width, block)}));
}

// [N, C, H, W] -> [N, b^2 C, H / b, W / b].
void import_space_to_depth(ImportContext& c, const OnnxNode& n) {
  const ValueId x = required_input(c, n, 0), block = int_scalar(c, n, block_size(n));
  const auto parts = [&](int64_t axis) { return part_of(c, n, dim_size(c, n, x, axis), block); };
  const ValueId images = dim_size(c, n, x, 0), channels = dim_size(c, n, x, 1), height = parts(2), width = parts(3);
  const ValueId blocks = reshaped(c, n, x, {images, channels, height, block, width, block});
  const ValueId gathered =
      transpose(c, n, blocks, depth_last(n) ? std::vector<int64_t>{0, 3, 5, 1, 2, 4} : std::vector<int64_t>{0, 1, 3, 5, 2, 4});
  c.bind(n, 0, reshaped(c, n, gathered, {images, mul(c, n, mul(c, n, channels, block), block), height, width}));
}

}  // namespace edgeconv
