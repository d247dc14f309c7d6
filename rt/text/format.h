// The tokenizer segment: what its numbers mean. The converter writes it, the runtime verifies it and uses it in place. Part of the blob format:
// rt/schema/README.md, Tokenizers, has the layout in words; only append, never renumber. More than 300 lines, because all of it is one contract.
// All numbers are little-endian, all sections 8-aligned.
#pragma once

#include <stdint.h>

namespace ert::text {

constexpr uint32_t kTablesMagic = 0x4b4f5445;  // "ETOK"
constexpr uint32_t kTablesVersion = 1;

// The first bytes of the segment; the section table follows.
struct TablesHeader {
  uint32_t magic, version;
  uint32_t bytes;     // of the whole segment
  uint32_t sections;  // rows of the section table, sorted by kind, each kind at most once
  uint32_t kind;      // ert_text_kind
  uint32_t flags;     // Flags; a reader refuses those that it does not know
  uint32_t vocabulary;
  uint32_t expansion;       // bytes of normalized text that a byte of text can become
  uint32_t extra;           // further bytes of normalized text that any text can become (what is put before it)
  int32_t unknown;          // id, or -1
  uint32_t longest;         // bytes of the longest piece that the model looks for
  uint32_t max_characters;  // WordPiece: characters of a longer word are not looked at
  uint32_t least;           // Unigram: id of the piece with the least score, which unknown ones are 10 below
  uint32_t reserved[3];
};
static_assert(sizeof(TablesHeader) == 64);

struct Section {
  uint32_t kind, offset, bytes, count;  // offset: from the start of the segment; count: elements, as the kind says
};

enum class SectionKind : uint32_t {
  kNormalizer = 1,    // Step: in this order
  kPretokenizer = 2,  // Step
  kDecoder = 3,       // Step
  kStrings = 4,       // bytes that others refer to by offset and length
  kPieces = 5,        // bytes: the pieces of all ids, in the order of ids, without anything between them
  kPieceBlocks = 6,   // uint32_t: where in kPieces each block of kPiecesPerBlock ids begins
  kPieceLengths = 7,  // uint8_t or uint16_t (flag kWideLengths) for each id
  kPieceIndex = 8,    // hash table: uint16_t or uint32_t (flag kWideIds), id + 1, 0 for empty
  kMerges = 9,        // hash table of Merge16 or Merge32 (flag kWideIds); left id of all ones: empty
  kPieceTrie = 10,    // uint32_t: units of a double array (double_array.h); values are ids
  kScores = 11,       // float or double (flag kDoubleScores) for each id
  kByteIds = 12,      // int32_t[256]: id of each byte or -1
  kAddedTokens = 13,  // AddedToken
  kAddedTrie = 14,    // double array over the contents of added tokens that are looked for in the text; values index kAddedTokens
  kAddedNormalizedTrie = 15,  // the same for the normalized text
  kTemplate =
      16,  // TemplatePiece: count pieces, `first` of them (Ending.single_pieces) for a text alone, the rest for a text and its pair
  kEnding = 17,   // Ending: post-processing, truncation and padding
  kClasses = 18,  // code table of one byte: bits of Class
  kDecompositions =
      19,           // code table of two bytes: 0, or 1 + offset / 2 in kMappings of what replaces the character, fully decomposed
  kCombining = 20,  // code table of one byte: canonical combining class
  kCompositions = 21,     // Composition, sorted by first, then second
  kLowercase = 22,        // code table of two bytes into kMappings
  kMappings = 23,         // mappings: a byte of length, then UTF-8, padded to an even offset
  kCharsmapTrie = 24,     // double array of a SentencePiece charsmap; values are offsets in kCharsmapStrings
  kCharsmapStrings = 25,  // strings that end in a zero byte; the last byte is zero
  kGraphemes = 26,        // code table of one byte: GraphemeClass
  kTask = 27,             // Task (what the model is for)
  kLabels = 28,           // Text: names of the labels, in order of their index
  kMergeResults = 30,     // uint16_t or uint32_t (flag kWideIds) for each rank: what its pair becomes
  kNgrams = 31,  // NgramTable. 29 was never written: what it was kept for came later than readers that would have let it pass
  kRuleClasses = 32,  // kClasses for split rules and kClassBertMark, where steps of one tokenizer give a bit two meanings
  kCompatible = 33,   // kDecompositions for kNfkc and kNfkd, where kNfc or kNfd need their own
  kWholePieces = 34,  // BPE: a bit for each id, lowest first: a word that is this piece becomes it. Says only what merging would find too
  kCount
};

enum Flags : uint32_t {
  kWideIds = 1u << 0,       // ids of kPieceIndex and kMerges have 4 bytes, not 2
  kDoubleScores = 1u << 1,  // kScores holds double, sums are double
  kSpmUtf8 = 1u << 2,       // invalid UTF-8 as sentencepiece has it
  kIgnoreMerges = 1u << 3,  // BPE: a word that is a piece is that piece
  kByteLevel = 1u << 4,     // BPE: pieces are bytes; without it, characters
  kByteFallback = 1u << 5,  // characters without piece become kByteIds
  kFuseUnknown = 1u << 6,   // neighbouring unknown pieces are one
  kHasSuffix = 1u << 7,     // BPE: the last character of a word is looked up with the suffix (Ending.suffix)
  kHasPrefix = 1u << 8,     // WordPiece, BPE: pieces inside a word are looked up with the prefix (Ending.prefix)
  kWideLengths = 1u << 9,   // kPieceLengths has two bytes for each id
  kFloatSums = 1u << 10,    // Unigram: sums are rounded to float, as sentencepiece has them
  // The model looks for pieces with a space in the place of their U+2581, and gets text in which both are a space: one byte, not three. kPieces have U+2581.
  kPlainSpaces = 1u << 11,
  kSpelledBytes = 1u << 12,  // the decoder has kLetters, or kByteLevel with option 1, or an added token kAddedDecoded: readers of before would decode other text
  kKnownFlags = (1u << 13) - 1
};

constexpr uint32_t kPiecesPerBlock = 16;
constexpr uint32_t kLongestPiece = 65535;
constexpr uint32_t kLongestString = 256;    // of a step: every character of a text may be compared with it
constexpr uint32_t kLongestMapping = 1024;  // of a charsmap's strings: every character of a text may become one
constexpr uint32_t kLongestKey = 1024;      // of a trie, and of WordPiece's pieces: from every character of a text one may begin
constexpr uint32_t kMostProbes = 128;  // of a hash table; where nothing is found within them, nothing is there
constexpr uint32_t kMostExtra = 24;
constexpr uint32_t kMostSteps = 64;            // of a normalizer, pre-tokenizer or decoder
constexpr uint32_t kMostTemplatePieces = 256;  // of both templates together

// Hash of pieces: FNV-1a over their bytes, then mixed. Slot of a table of n: (hash * n) >> 32.
constexpr uint32_t kHashStart = 2166136261u;
constexpr uint32_t hash_byte(uint32_t h, uint8_t byte) { return (h ^ byte) * 16777619u; }
constexpr uint32_t hash_end(uint32_t h) { return (h ^ (h >> 15)) * 0x9e3779b1u; }
constexpr uint32_t hash_pair(uint32_t left, uint32_t right) {
  return hash_end((left * 0x85ebca6bu) ^ (right * 0xc2b2ae35u) ^ (left >> 16));
}
constexpr uint32_t hash_slot(uint32_t h, uint32_t slots) { return static_cast<uint32_t>((uint64_t{h} * slots) >> 32); }

struct Merge16 {
  uint16_t left, right, rank;
};
struct Merge32 {
  uint32_t left, right, rank;
};

// A piece of text inside kStrings.
struct Text {
  uint32_t offset, bytes;
};

// One step of a normalizer, pre-tokenizer or decoder. Strings are in kStrings; what a and b are stands at the kind.
struct Step {
  uint32_t kind;
  uint32_t option;
  Text a, b;
};
static_assert(sizeof(Step) == 24);

enum class NormalizerKind : uint32_t {
  kNfc = 1,
  kNfd = 2,
  kNfkc = 3,
  kNfkd = 4,
  kLowercase = 5,
  kStripAccents = 6,  // option 0: marks as StripAccents has them; 1: nonspacing marks as BertNormalizer has them
  kBertClean = 7,     // control characters go, white space becomes a space
  kBertChinese = 8,   // spaces around ideographs
  kNmt = 9,
  kPrecompiled = 10,    // charsmap, by graphemes as Hugging Face has it
  kReplace = 11,        // a by b. option: PatternKind
  kPrepend = 12,        // a
  kStrip = 13,          // option bit 0: left, bit 1: right
  kSentencePiece = 14,  // all of a SentencePiece normalizer; option: SentencePieceOptions
  kCount
};

enum class PatternKind : uint32_t {
  kString = 0,         // every occurrence of a
  kWhitespaceRun = 1,  // \s+
  kSpaceRun = 2,       // ' {2,}'
  kCount
};

enum SentencePieceOptions : uint32_t { kRemoveExtraSpaces = 1, kAddDummyPrefix = 2, kEscapeSpaces = 4, kSpaceAsSuffix = 8 };

enum class PretokenizerKind : uint32_t {
  kBert = 1,        // white space goes, punctuation stands alone
  kWhitespace = 2,  // \w+|[^\w\s]+
  kWhitespaceSplit = 3,
  kMetaspace = 4,    // option: MetaspaceOptions; a: replacement
  kByteLevel = 5,    // option bit 0: add_prefix_space; bit 1: split by rule kGpt2
  kDigits = 6,       // option 1: each digit alone
  kPunctuation = 7,  // option: Behavior
  kSplit = 8,        // option: Behavior + 16 * invert + 256 * SplitRule; a: the string of rule kText
  kCount
};

enum MetaspaceOptions : uint32_t { kPrependNever = 0, kPrependFirst = 1, kPrependAlways = 2, kMetaspaceSplit = 4 };

enum class Behavior : uint32_t {
  kRemoved = 0,
  kIsolated = 1,
  kMergedWithPrevious = 2,
  kMergedWithNext = 3,
  kContiguous = 4,
  kCount
};

// Regular expressions of models in use, each a function (split_rules.h). convert/text/split_rules.inc has the expressions.
enum class SplitRule : uint32_t {
  kText = 0,  // the string a
  kGpt2 = 1,
  kClip = 2,
  kCl100k = 3,  // digits by up to three
  kQwen2 = 4,   // digits alone
  kO200k = 5,
  kSpaces = 6,     // \s+
  kDigitRuns = 7,  // \p{N}{1,3}
  kTekken = 8,
  kCount
};

enum class DecoderKind : uint32_t {
  kJoin = 1,       // pieces with a space between them
  kWordPiece = 2,  // option 1: clean up; a: prefix
  kByteLevel = 3,  // option 1: pieces are letters, not bytes
  kMetaspace = 4,  // option as in MetaspaceOptions; a: replacement
  kBpeSuffix = 5,  // a: suffix
  kReplace = 6,    // a by b in every piece
  kByteFallback = 7,
  kFuse = 8,
  kStrip = 9,  // a: one character; option: how many at the start + 65536 * at the end
  kSentencePiece = 10,
  kLetters = 11,  // pieces of bytes are written as the letters that byte-level vocabularies have for them
  kCount
};

struct AddedToken {
  int32_t id;
  Text content;    // in kStrings
  uint32_t flags;  // AddedFlags
};
enum AddedFlags : uint32_t {
  kAddedSpecial = 1,
  kAddedLstrip = 2,
  kAddedRstrip = 4,
  kAddedSingleWord = 8,
  kAddedNormalized = 16,
  kAddedDecoded = 32  // its text is its content and not its piece: what the normalizer makes of it. Special where that is a special token
};

// What a special token, the text or its pair becomes. kind 0: the token id; 1: the text; 2: the pair.
struct TemplatePiece {
  uint32_t kind;
  int32_t id;
  uint32_t type_id;
};

struct Ending {
  uint32_t single_pieces;  // pieces of kTemplate for a text alone
  uint32_t max_tokens;     // truncation, 0: none
  uint32_t truncation;     // ert_truncation
  uint32_t stride;
  uint32_t cut_left;      // 1: the beginning goes
  uint32_t pad_to;        // 0: none
  uint32_t pad_multiple;  // 0: none
  uint32_t pad_left;
  int32_t pad_id;
  uint32_t pad_type_id;
  uint32_t trim;        // 1: offsets without white space (Roberta, ByteLevel); 2: and the tokenizer puts a space before texts
  Text prefix, suffix;  // of pieces inside a word, of pieces at its end; in kStrings
  Text unknown;         // piece of the unknown id
};
static_assert(sizeof(Ending) == 17 * 4);

// Bits of kClasses. Those that a tokenizer does not ask for are 0. For the rules kO200k and kTekken kClassWord is \p{Ll}, kClassMark \p{M}: no tokenizer has both
// meanings, or one of them is in kRuleClasses.
enum Class : uint8_t {
  kClassSpace = 1,        // white space
  kClassPunctuation = 2,  // as BertPreTokenizer has it
  kClassWord = 4,         // \w
  kClassControl = 8,      // as BertNormalizer has it: what clean_text takes away
  kClassMark = 16,        // what StripAccents takes away
  kClassNumber = 32,      // \p{N} of split rules
  kClassLetter = 64,      // \p{L}
  kClassUpper = 128,      // \p{Lu}\p{Lt} of the rules kO200k and kTekken ...
  kClassNumeric = 128,    // ... and what Digits looks for, of tokenizers that have none of these rules
  kClassBertMark = 8,     // of kRuleClasses: what BertNormalizer takes away
};

// Canonical pairs that NFC and NFKC put together.
struct Composition {
  uint32_t first, second, result;
};

enum GraphemeClass : uint8_t {
  kOther,
  kCr,
  kLf,
  kControl,
  kExtend,
  kZwj,
  kPrepend,
  kSpacingMark,
  kRegional,
  kHangulL,
  kHangulV,
  kHangulT,
  kHangulLV,
  kHangulLVT,
  kPictographic,
  kConjunctLinker,
  kConjunctConsonant,
  kConjunctExtend,
  kGraphemeClasses
};

// A code table gives a value for each code point, 0 for those that it does not reach. Behind this follow tops and mids as uint16_t (all
// together padded to 4 bytes), then the values, one or two bytes each: the value of c is
// values[mid[top[c / 4096] * 64 + c / 64 % 64] * 64 + c % 64].
struct CodeTableHeader {
  uint32_t tops;    // code points of 4096 * tops and above have value 0
  uint32_t mids;    // groups of 64 uint16_t
  uint32_t leaves;  // groups of 64 values
  uint32_t width;   // bytes of a value
};

// Tokenizers of hashed n-grams (ngram.h): the ids that they give. They have no pieces, and TablesHeader.vocabulary is 0.
struct NgramTable {
  uint32_t buckets;       // highest id + 1
  uint32_t first_hash;    // hashes fill [first_hash, buckets)
  uint32_t first_script;  // of kNgramScripts ids
  uint32_t no_text;       // id of a text that has no n-gram
  uint32_t longest_word;  // letters of a longer word give no id of the whole
  uint32_t reserved[3];
};
static_assert(sizeof(NgramTable) == 32);
constexpr uint32_t kNgramScripts = 10;
constexpr uint32_t kMostBuckets = 1u << 24;

// What the model is for: convert and rt/text/task.* fill and read it.
enum class TaskKind : uint32_t { kNone, kEmbed, kClassify, kTokens, kQa, kZeroShot, kCount };
struct Task {
  uint32_t kind;       // TaskKind
  uint32_t pooling;    // 0 none, 1 mean, 2 first token (cls), 3 last token
  uint32_t normalize;  // 1: vectors of length 1
  uint32_t sigmoid;    // 1: labels are independent of each other
  uint32_t max_tokens;
  uint32_t entailment;  // zero-shot: index of the label
  Text hypothesis;      // template with {} for the label
  uint32_t inputs[4];   // 1 + position in the model's inputs of ids, attention mask, type ids, position ids; 0: it takes none
  uint32_t reserved[4];
};
static_assert(sizeof(Task) == 64);

}  // namespace ert::text
