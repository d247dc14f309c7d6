#include "convert/text/text_runner.h"

#include <cstring>

#include "convert/ir/diagnostics.h"

namespace edgeconv::text {

namespace {

[[noreturn]] void refuse_text(ert_status s, const std::string& what) {
  const ExitCode code = s == ERT_ERR_LIMIT || s == ERT_ERR_NOMEM ? ExitCode::kLimit : s == ERT_ERR_DIMS ? ExitCode::kUsage : ExitCode::kMalformed;
  throw FatalError(code, what + ": " + ert_status_str(s));
}

}  // namespace

TextRunner::TextRunner(const std::string& tables) : bytes_((tables.size() + 7) / 8) {
  std::memcpy(bytes_.data(), tables.data(), tables.size());
  if (const ert_status s = ert_text_open_tables(&text_, bytes_.data(), tables.size()); s != ERT_OK) refuse_text(s, "the tokenizer's tables");
}

TextRunner::TextRunner(const ert_model& model, const std::string& blob) {
  const ert_status s = ert_text_open(&text_, &model);
  if (s == ERT_ERR_UNSUPPORTED)
    throw FatalError(ExitCode::kUsage, "'" + blob + "' has no tokenizer: convert the model with --tokenizer FILE|DIR");
  if (s != ERT_OK) refuse_text(s, "the tokenizer of '" + blob + "'");
}

const Encoding& TextRunner::encode(const std::string& text, const std::string* pair, const ert_text_options* options) {
  size_t need = 0;
  if (const ert_status s = ert_text_bytes(&text_, text.size(), pair == nullptr ? 0 : pair->size(), &need); s != ERT_OK) refuse_text(s, "a text");
  if (work_.size() < (need + 7) / 8) work_.resize((need + 7) / 8);
  Encoding& e = encoding_;
  for (;;) {
    const size_t n = e.ids.size();
    ert_encoding out{};
    out.struct_size = sizeof out;
    out.capacity = static_cast<uint32_t>(n);
    out.ids = e.ids.data(), out.type_ids = e.type_ids.data(), out.attention = e.attention.data(), out.special = e.special.data();
    out.offsets = e.offsets.data(), out.sequence = e.sequence.data();
    const ert_status s = ert_text_encode(&text_, options, text.data(), text.size(), pair == nullptr ? nullptr : pair->data(),
                                         pair == nullptr ? 0 : pair->size(), work_.data(), 8 * work_.size(), &out);
    if (s == ERT_ERR_NOMEM && out.tokens > n) {
      const size_t more = out.tokens + out.tokens / 2 + 64;
      e.ids.resize(more), e.type_ids.resize(more), e.attention.resize(more), e.special.resize(more), e.offsets.resize(more), e.sequence.resize(more);
      continue;
    }
    if (s == ERT_ERR_MODEL) throw FatalError(ExitCode::kMalformed, "the text has a piece that the tokenizer has no id for, and it has none for unknown pieces");
    if (s != ERT_OK) refuse_text(s, "a text");
    e.ids.resize(out.tokens), e.type_ids.resize(out.tokens), e.attention.resize(out.tokens), e.special.resize(out.tokens);
    e.offsets.resize(out.tokens), e.sequence.resize(out.tokens);
    e.truncated = out.truncated != 0, e.windows = out.windows;
    return e;
  }
}

std::string TextRunner::decode(const std::vector<int32_t>& ids, bool skip_special) {
  size_t bytes = 0;
  ert_text_decode(&text_, ids.data(), ids.size(), skip_special ? 1 : 0, nullptr, 0, &bytes);
  std::string out(bytes, '\0');
  if (const ert_status s = ert_text_decode(&text_, ids.data(), ids.size(), skip_special ? 1 : 0, out.data(), out.size(), &bytes); s != ERT_OK)
    refuse_text(s, "ids");
  return out;
}

}  // namespace edgeconv::text
