// See runner.h.
#include "rt/text/runner.h"

#include "rt/include/ert_text.h"
#include "rt/text/placed.h"

namespace ert::text {

namespace {

// Offsets of what lies in the working memory.
struct Layout {
  Bytes encode, ids, types, attention, special, positions, offsets, sequence, words, spare, results[2], end;
  bool possible;
};

Layout lay_out(const ert_text* text, const ModelShape& m, TaskKind kind, size_t max_bytes, size_t max_pair_bytes) {
  Layout l{};
  size_t encode = 0;
  l.possible = ert_text_bytes(text, max_bytes, max_pair_bytes, &encode) == ERT_OK;
  const Bytes tokens(m.most), row = (Bytes(static_cast<uint32_t>(m.rows)) * tokens * Bytes(sizeof(int32_t))).aligned();
  const Bytes results =
      (Bytes(static_cast<uint32_t>(m.rows)) * Bytes(m.width) * (m.by_token ? tokens : Bytes(1)) * Bytes(sizeof(float))).aligned();
  Bytes at = Bytes(encode).aligned();
  const auto take = [&at](Bytes bytes) {
    const Bytes begin = at;
    at = at + bytes;
    return begin;
  };
  l.ids = take(row);
  l.types = take(row);
  l.attention = take(row);
  l.special = take(row);
  l.positions = take(row);
  l.offsets = take((tokens * Bytes(sizeof(ert_span))).aligned());
  l.sequence = take(tokens.aligned());
  l.words = take(tokens.aligned());
  l.spare = take(kind == TaskKind::kZeroShot ? Bytes(max_pair_bytes).aligned()
                 : kind == TaskKind::kQa     ? qa_bytes(max_pair_bytes)
                                             : Bytes(0));
  for (uint32_t i = 0; i < 2; ++i) l.results[i] = take(i < m.outputs ? results : Bytes(0));
  l.end = at;
  l.possible = l.possible && at.possible();
  return l;
}

}  // namespace

bool Runner::bytes(const ert_text* text, const ModelShape& m, TaskKind kind, size_t max_bytes, size_t max_pair_bytes,
                   size_t* need) {
  const Layout l = lay_out(text, m, kind, max_bytes, max_pair_bytes);
  return l.possible && l.end.get(need);
}

Runner::Runner(ert_context* context, const ert_text* text, const ModelShape& m, TaskKind kind, size_t max_bytes,
               size_t max_pair_bytes, uint8_t* work)
    : context_(context), text_(text), shape_(m), options_{}, encoding_{}, encode_work_(work) {
  const Layout l = lay_out(text, m, kind, max_bytes, max_pair_bytes);
  encode_bytes_ = l.ids.value();
  const auto ints = [work](Bytes at) { return placed<int32_t>(work + at.value()); };
  encoding_.struct_size = sizeof encoding_;
  encoding_.capacity = m.most;
  encoding_.ids = ints(l.ids);
  encoding_.type_ids = ints(l.types);
  encoding_.attention = ints(l.attention);
  encoding_.special = ints(l.special);
  encoding_.offsets = placed<ert_span>(work + l.offsets.value());
  encoding_.sequence = work + l.sequence.value();
  encoding_.word_starts = work + l.words.value();
  positions_ = ints(l.positions);
  spare_ = work + l.spare.value();
  for (uint32_t i = 0; i < 2; ++i) results_[i] = placed<float>(work + l.results[i].value());
  options_.struct_size = sizeof options_;
  cut(ERT_TRUNCATE_LONGEST_FIRST, m.most, 0);
}

void Runner::cut(ert_truncation kind, uint32_t most, uint32_t stride) {
  options_.truncation = kind;
  options_.max_tokens = most < shape_.most ? most : shape_.most;
  options_.stride = stride;
  // Only a model of one size needs padding: others run on as many tokens as there are.
  options_.flags = shape_.least > 1 ? 0 : ERT_TEXT_NO_PADDING;
  options_.pad_to = shape_.least > 1 ? shape_.least : 0;
}

ert_status Runner::encode(const void* text, size_t bytes, const void* pair, size_t pair_bytes) {
  return ert_text_encode(text_, &options_, text, bytes, pair, pair_bytes, encode_work_, encode_bytes_, &encoding_);
}

ert_status Runner::window(uint32_t i) { return i == 0 ? ERT_OK : ert_text_window(text_, encode_work_, i, &encoding_); }

ert_status Runner::bind(uint32_t kind, int32_t* values) {
  if (shape_.inputs[kind] == 0) return ERT_OK;
  const uint32_t tokens = encoding_.tokens, rows = static_cast<uint32_t>(shape_.rows);
  for (uint32_t row = 1; row < rows; ++row) memcpy(values + size_t{row} * tokens, values, tokens * sizeof *values);
  ert_tensor t{};
  t.struct_size = sizeof t;
  t.dtype = ERT_I32;
  t.rank = 2;
  t.shape[0] = shape_.rows;
  t.shape[1] = static_cast<int32_t>(tokens);
  t.data = values;
  t.bytes = size_t{rows} * tokens * sizeof *values;
  return ert_bind_input(context_, shape_.inputs[kind] - 1, &t);
}

ert_status Runner::run() {
  if (encoding_.tokens == 0 || encoding_.tokens > shape_.most) return ERT_ERR_DIMS;
  for (uint32_t i = 0; i < encoding_.tokens; ++i) positions_[i] = static_cast<int32_t>(i);
  int32_t* values[kTextInputs] = {encoding_.ids, encoding_.attention, encoding_.type_ids, positions_};
  for (uint32_t kind = 0; kind < kTextInputs; ++kind)
    if (const ert_status s = bind(kind, values[kind]); s != ERT_OK) return s;
  for (uint32_t i = 0; i < shape_.outputs; ++i) {
    ert_tensor t{};
    t.struct_size = sizeof t;
    t.dtype = ERT_F32;
    t.data = results_[i];
    t.bytes = static_cast<size_t>(shape_.rows) * results_of(shape_, encoding_.tokens) * sizeof(float);
    if (const ert_status s = ert_bind_output(context_, i, &t); s != ERT_OK) return s;
  }
  return ert_run(context_);
}

}  // namespace ert::text
