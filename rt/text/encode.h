// From text to tokens, and what an encoding keeps in the caller's working memory.
#pragma once

#include "rt/base/bytes.h"
#include "rt/text/buffer.h"

namespace ert::text {

// At the beginning of the working memory: all that ert_text_window needs.
struct Kept {
  uint64_t magic;
  const uint8_t* text[2];
  size_t bytes[2];
  const Token* tokens;  // those of the text, then those of its pair
  uint32_t count[2];
  uint32_t room[2];  // tokens of each that a window has
  uint32_t stride;
  uint32_t windows;
  uint32_t flags;  // of ert_text_options
  uint32_t pad_to;
  uint32_t has_pair;
};
constexpr uint64_t kKeptMagic = 0x3154504b54585445;
constexpr size_t kKeptBytes = 512;
static_assert(sizeof(Kept) <= kKeptBytes);

constexpr size_t kBytesOfElement = 24;   // of Encoder: text 1, spans 8, marks 1, tokens 12, spare 2
constexpr size_t kElementsBeside = 128;  // for what is put before texts, and rounding: they fit into the 4 KB
static_assert(kKeptBytes + kElementsBeside * kBytesOfElement <= 4096 && 2 * kMostExtra + 16 <= kElementsBeside);

// Elements that a text and its pair take. Impossible above 2^30.
Bytes elements(const Tables& t, size_t bytes, size_t pair_bytes);

// Appends the tokens of one text.
ert_status encode_text(Encoder& e, const uint8_t* text, size_t bytes);

// Trims the span of the last token by the white space of what it stands for, where the tokenizer trims: an added token, or what Unigram does not know,
// is that text; all others are their pieces, which are still known later. `spaces`: a space is white space, and no mark.
void trim_by(Encoder& e, const uint8_t* text, const uint8_t* end, bool spaces);

// Fills what Kept has of truncation. Statuses as ert_text_encode.
ert_status plan_windows(const Tables& t, const ert_text_options& o, Kept* k);

ert_status write_window(const Tables& t, const Kept& k, uint32_t window, ert_encoding* out);

}  // namespace ert::text
