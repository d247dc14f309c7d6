// A tokenizer as its files describe it, before it is tables (table_bytes.h). Steps and flags are those of the blob (rt/text/format.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rt/include/ert_text.h"
#include "rt/text/format.h"

namespace edgeconv::text {

struct Step {
  uint32_t kind = 0;  // NormalizerKind, PretokenizerKind or DecoderKind of rt/text/format.h
  uint32_t option = 0;
  std::string a, b;
};

struct AddedToken {
  int32_t id = 0;
  std::string content;
  bool special = false, lstrip = false, rstrip = false, single_word = false, normalized = false;
};

struct Merge {
  uint32_t left, right, rank, result;
};

// How many tokens come out, and what is put beside them.
struct Endings {
  std::vector<ert::text::TemplatePiece> single, pair;
  uint32_t max_tokens = 0;  // 0: never cut
  uint32_t truncation = ERT_TRUNCATE_LONGEST_FIRST;
  uint32_t stride = 0;
  bool cut_left = false;
  uint32_t pad_to = 0, pad_multiple = 0;
  bool pad_left = false;
  int32_t pad_id = 0;
  uint32_t pad_type_id = 0;
  uint32_t trim = 0;  // Ending.trim
};

// What the model is for (`--task`): Task of rt/text/format.h.
struct TaskDescription {
  ert::text::TaskKind kind = ert::text::TaskKind::kNone;
  uint32_t pooling = 0;
  bool normalize = false, sigmoid = false;
  uint32_t max_tokens = 0;
  uint32_t entailment = 0;
  std::string hypothesis;
  std::vector<std::string> labels;
  std::array<uint32_t, 4> inputs{};  // Task.inputs
};

struct Tokenizer {
  ert_text_kind kind = ERT_TEXT_WORDPIECE;
  uint32_t flags = 0;                // ert::text::Flags
  std::vector<std::string> pieces;   // by id, as they are decoded; byte-level ones are bytes; empty: no such id
  std::vector<bool> found;           // by id: the model finds this piece in text
  std::vector<double> scores;        // Unigram, SentencePiece: by id
  std::vector<Merge> merges;
  std::vector<AddedToken> added;     // sorted by id
  std::array<int32_t, 256> byte_ids;
  int32_t unknown = -1;
  uint32_t least = 0;                // Unigram: id of the least score
  uint32_t max_characters = 0;       // WordPiece
  std::string prefix, suffix;        // of pieces inside a word, at its end
  std::vector<Step> normalizer, pretokenizer, decoder;
  std::string charsmap;              // of SentencePiece, as its files have it
  ert::text::NgramTable ngrams{};    // ERT_TEXT_NGRAM
  Endings endings;
  TaskDescription task;

  Tokenizer() { byte_ids.fill(-1); }
  uint32_t vocabulary() const { return static_cast<uint32_t>(pieces.size()); }
  // Makes room for the id.
  std::string& piece(int32_t id) {
    if (pieces.size() <= static_cast<size_t>(id)) pieces.resize(static_cast<size_t>(id) + 1), found.resize(pieces.size());
    return pieces[static_cast<size_t>(id)];
  }
};

}  // namespace edgeconv::text
