#include "tests/support/text_model.h"

namespace ert::testing {

using params::OpCode;

BlobSpec text_model(const TextModelShape& shape) {
  BlobSpec s;
  uint32_t batch = s.constant(1), tokens = shape.fixed_tokens ? s.constant(shape.most) : s.dim("tokens", 1, shape.most);
  const uint32_t rows = s.constant(20), width = s.constant(shape.width);
  constexpr uint32_t kAdd = 2, kSub = 3;
  if (shape.rows_by_expression) batch = s.expr(kSub, s.constant(2), batch);
  if (shape.tokens_by_expression) tokens = s.expr(kAdd, tokens, s.constant(0));
  const auto i = [](uint32_t v) { return static_cast<int32_t>(v); };
  std::vector<uint32_t> ids;
  uint32_t op = 0;
  for (uint32_t k = 0; k < shape.inputs; ++k) {
    const uint32_t in = s.add_input("in" + std::to_string(k), ERT_I32, {batch, tokens});
    ids.push_back(s.add({ERT_I32, {batch, tokens}, 0, k, 0, op, 9}));
    s.ops.push_back({OpCode::kImportInt, {i(in)}, {i(ids.back())}, {}, {}});
    s.arena_order.push_back(ids.back());
    ++op;
  }
  s.slots = shape.inputs;
  const auto last_use = [&] {
    for (const uint32_t v : ids) s.values[v].last_op = op;
  };
  if (shape.task == text::TaskKind::kQa) {
    for (const char* name : {"start", "end"}) {
      const uint32_t out = s.add_output(name, ERT_F32, {batch, tokens}, op);
      s.ops.push_back({OpCode::kCast, {i(ids[0])}, {i(out)}, {}, {}});
      ++op;
    }
    --op;
    last_use();
  } else {
    std::vector<float> table;
    for (uint32_t k = 0; k < 20 * shape.width; ++k) table.push_back(static_cast<float>(k * 7 % 11) - 4.0f);
    const uint32_t weights = s.add_constant(ERT_F32, {rows, width}, table);
    last_use();
    if (shape.task == text::TaskKind::kTokens) {
      const uint32_t out = s.add_output("logits", ERT_F32, {batch, tokens, width}, op);
      s.ops.push_back({OpCode::kEmbedding, {i(ids[0]), i(weights), -1}, {i(out)}, {}, {}});
    } else {
      const uint32_t found = s.add({ERT_F32, {batch, tokens, width}, 0, s.slots++, 0, op, op + 1});
      s.arena_order.push_back(found);
      s.ops.push_back({OpCode::kEmbedding, {i(ids[0]), i(weights), -1}, {i(found)}, {}, {}});
      const uint32_t out = s.add_output("pooled", ERT_F32, {batch, width}, op + 1);
      s.ops.push_back({OpCode::kMeanPool, {i(found), -1}, {i(out)}, {}, {1e-9f}});
    }
  }
  if (!shape.tokenizer.empty()) s.segments.push_back({shape.tokenizer, 2});
  return s;
}

}  // namespace ert::testing
