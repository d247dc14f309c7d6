// Behind the model: special tokens, truncation, windows, padding, spans without white space. One word is one token here, so that counts are told by words.
#include "tests/support/used_text.h"

namespace ert::testing {
namespace {

using namespace text;
using K = SectionKind;
using Ids = std::vector<int32_t>;

constexpr int32_t kCls = 18, kSep = 19;

// "a".."f" are 1 to 6. [C] text [S], [C] text [S] pair [S].
TextTables ending(const std::function<void(Ending&)>& change = nullptr) {
  TextTables t = small_tables(ERT_TEXT_WORDLEVEL, TaskKind::kNone);
  std::vector<std::string> pieces = {"?", "a", "b", "c", "d", "e", "f"};
  while (pieces.size() < 20) pieces.push_back("piece" + std::to_string(pieces.size()));
  put_pieces(&t, pieces);
  t.header.longest = 255;
  if (change) change(t.row<Ending>(K::kEnding));
  return t;
}
ert_text_options options(const std::function<void(ert_text_options&)>& change) {
  ert_text_options o{};
  o.struct_size = sizeof o;
  change(o);
  return o;
}

TEST(TextEnding, SpecialTokensAndTypes) {
  UsedText used(ending());
  const Encoded one = used.encode("a b");
  EXPECT_EQ(one.ids, (Ids{kCls, 1, 2, kSep}));
  EXPECT_EQ(one.special, (Ids{1, 0, 0, 1}));
  EXPECT_EQ(one.attention, (Ids{1, 1, 1, 1}));
  EXPECT_EQ(one.sequence, (std::vector<uint8_t>{255, 0, 0, 255}));
  const std::string pair = "c";
  const Encoded two = used.encode("a b", &pair);
  EXPECT_EQ(two.ids, (Ids{kCls, 1, 2, kSep, 3, kSep}));
  EXPECT_EQ(two.type_ids, (Ids{0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(two.facts.pair_tokens, 1u);
  const ert_text_options plain = options([](ert_text_options& o) { o.flags = ERT_TEXT_NO_SPECIAL_TOKENS; });
  EXPECT_EQ(used.encode("a b", &pair, &plain).ids, (Ids{1, 2, 3}));
  const std::string empty;
  EXPECT_EQ(used.encode("a", &empty).ids, (Ids{kCls, 1, kSep, kSep})) << "an empty pair is one";
}

TEST(TextEnding, CutAtTheEndOrAtTheBeginning) {
  for (const bool left : {false, true}) {
    UsedText used(ending([left](Ending& e) { e.max_tokens = 5, e.cut_left = left; }));
    const Encoded e = used.encode("a b c d e");
    EXPECT_EQ(e.ids, left ? (Ids{kCls, 3, 4, 5, kSep}) : (Ids{kCls, 1, 2, 3, kSep}));
    EXPECT_EQ(e.facts.truncated, 1u);
    EXPECT_EQ(e.facts.text_tokens, 5u);
    EXPECT_EQ(e.facts.windows, 2u);
    EXPECT_EQ(used.encode("a b c d e", nullptr, nullptr, 1).ids, left ? (Ids{kCls, 1, 2, kSep}) : (Ids{kCls, 4, 5, kSep}));
    EXPECT_EQ(used.encode("a b c").facts.truncated, 0u);
    const ert_text_options all = options([](ert_text_options& o) { o.flags = ERT_TEXT_NO_TRUNCATION; });
    EXPECT_EQ(used.encode("a b c d e", nullptr, &all).ids.size(), 7u);
    const ert_text_options less = options([](ert_text_options& o) { o.flags = ERT_TEXT_NO_TRUNCATION, o.max_tokens = 3; });
    EXPECT_EQ(used.encode("a b c d e", nullptr, &less).ids.size(), 3u) << "what the caller says counts";
  }
}

TEST(TextEnding, WindowsShareAStride) {
  UsedText used(ending());
  const auto windows = [&](uint32_t most, uint32_t stride, const std::string& text) {
    const ert_text_options o = options([&](ert_text_options& x) { x.max_tokens = most, x.stride = stride; });
    std::vector<Ids> found;
    const Encoded first = used.encode(text, nullptr, &o);
    if (first.status != ERT_OK) return found;
    for (uint32_t i = 0; i < first.facts.windows; ++i) found.push_back(used.encode(text, nullptr, &o, i).ids);
    return found;
  };
  EXPECT_EQ(windows(5, 1, "a b c d e f"), (std::vector<Ids>{{kCls, 1, 2, 3, kSep}, {kCls, 3, 4, 5, kSep}, {kCls, 5, 6, kSep}}));
  EXPECT_EQ(windows(5, 2, "a b c d"), (std::vector<Ids>{{kCls, 1, 2, 3, kSep}, {kCls, 2, 3, 4, kSep}}));
  EXPECT_EQ(windows(2, 0, "a b"), (std::vector<Ids>{{kCls, kSep}})) << "room for special tokens alone";
  const auto status = [&](uint32_t most, uint32_t stride) {
    const ert_text_options o = options([&](ert_text_options& x) { x.max_tokens = most, x.stride = stride; });
    return used.encode("a b c d", nullptr, &o).status;
  };
  EXPECT_EQ(status(1, 0), ERT_ERR_LIMIT);
  EXPECT_EQ(status(5, 3), ERT_ERR_DIMS) << "windows that do not move on";
  EXPECT_EQ(status(5, 2), ERT_OK);
}

TEST(TextEnding, WhichOfBothIsCut) {
  UsedText used(ending());
  const std::string text = "a b c d", pair = "e f e f e f";
  const auto cut = [&](ert_truncation how, uint32_t most, const std::string& t, const std::string& p, uint32_t stride = 0) {
    const ert_text_options o = options([&](ert_text_options& x) {
      x.flags = ERT_TEXT_NO_SPECIAL_TOKENS, x.max_tokens = most, x.truncation = how, x.stride = stride;
    });
    const Encoded e = used.encode(t, &p, &o);
    if (e.status != ERT_OK) return std::make_pair(-static_cast<int>(e.status), 0);
    int first = 0;
    for (const uint8_t s : e.sequence) first += s == 0;
    return std::make_pair(first, static_cast<int>(e.ids.size()) - first);
  };
  using Pair = std::pair<int, int>;
  EXPECT_EQ(cut(ERT_TRUNCATE_LONGEST_FIRST, 9, text, pair), (Pair{4, 5}));
  EXPECT_EQ(cut(ERT_TRUNCATE_LONGEST_FIRST, 7, text, pair), (Pair{3, 4}));
  EXPECT_EQ(cut(ERT_TRUNCATE_LONGEST_FIRST, 7, pair, text), (Pair{4, 3}));
  EXPECT_EQ(cut(ERT_TRUNCATE_LONGEST_FIRST, 3, text, pair), (Pair{1, 2}));
  EXPECT_EQ(cut(ERT_TRUNCATE_LONGEST_FIRST, 1, text, pair), (Pair{0, 1}));
  EXPECT_EQ(cut(ERT_TRUNCATE_FIRST, 8, text, pair), (Pair{2, 6}));
  EXPECT_EQ(cut(ERT_TRUNCATE_SECOND, 8, text, pair), (Pair{4, 4}));
  EXPECT_EQ(cut(ERT_TRUNCATE_FIRST, 6, text, pair).first, -ERT_ERR_DIMS) << "nothing would be left of it";
  EXPECT_EQ(cut(ERT_TRUNCATE_SECOND, 4, text, pair).first, -ERT_ERR_DIMS);
  EXPECT_EQ(cut(ERT_TRUNCATE_LONGEST_FIRST, 7, text, pair, 4).first, -ERT_ERR_DIMS);
  const ert_text_options second = options([](ert_text_options& o) { o.max_tokens = 4, o.truncation = ERT_TRUNCATE_SECOND; });
  EXPECT_EQ(used.encode(text, nullptr, &second).status, ERT_ERR_DIMS) << "there is no pair";
  const ert_text_options stride = options([](ert_text_options& o) {
    o.flags = ERT_TEXT_NO_SPECIAL_TOKENS, o.max_tokens = 7, o.truncation = ERT_TRUNCATE_SECOND, o.stride = 1;
  });
  const Encoded e = used.encode(text, &pair, &stride, 1);
  EXPECT_EQ(e.facts.windows, 3u);
  EXPECT_EQ(e.ids, (Ids{1, 2, 3, 4, 5, 6, 5})) << "the text is in each";
}

TEST(TextEnding, Padding) {
  const auto padded = [](const std::function<void(Ending&)>& change, const ert_text_options* o = nullptr) {
    UsedText used(ending([&](Ending& e) { e.pad_id = 7, e.pad_type_id = 3, change(e); }));
    return used.encode("a", nullptr, o);
  };
  const Encoded right = padded([](Ending& e) { e.pad_to = 5; });
  EXPECT_EQ(right.ids, (Ids{kCls, 1, kSep, 7, 7}));
  EXPECT_EQ(right.attention, (Ids{1, 1, 1, 0, 0}));
  EXPECT_EQ(right.type_ids, (Ids{0, 0, 0, 3, 3}));
  EXPECT_EQ(padded([](Ending& e) { e.pad_to = 5, e.pad_left = 1; }).ids, (Ids{7, 7, kCls, 1, kSep}));
  EXPECT_EQ(padded([](Ending& e) { e.pad_multiple = 4; }).ids.size(), 4u);
  EXPECT_EQ(padded([](Ending& e) { e.pad_multiple = 3; }).ids.size(), 3u);
  EXPECT_EQ(padded([](Ending& e) { e.pad_to = 2; }).ids.size(), 3u);
  const ert_text_options none = options([](ert_text_options& o) { o.flags = ERT_TEXT_NO_PADDING; });
  EXPECT_EQ(padded([](Ending& e) { e.pad_to = 5; }, &none).ids.size(), 3u);
  const ert_text_options six = options([](ert_text_options& o) { o.flags = ERT_TEXT_NO_PADDING, o.pad_to = 6; });
  EXPECT_EQ(padded([](Ending& e) { e.pad_to = 5; }, &six).ids.size(), 6u);
}

// Arrays that nobody asks for are not written; the others are.
TEST(TextEnding, EveryArrayMayBeAbsent) {
  UsedText used(ending());
  size_t need = 0;
  ASSERT_EQ(ert_text_bytes(&used.text, 3, 0, &need), ERT_OK);
  ExactMemory work(need);
  ert_encoding e{};
  e.struct_size = sizeof e, e.capacity = 4;
  EXPECT_EQ(ert_text_encode(&used.text, nullptr, "a b", 3, nullptr, 0, work.data(), need, &e), ERT_OK);
  EXPECT_EQ(e.tokens, 4u);
  e.capacity = 3;
  EXPECT_EQ(ert_text_encode(&used.text, nullptr, "a b", 3, nullptr, 0, work.data(), need, &e), ERT_ERR_NOMEM);
  EXPECT_EQ(e.tokens, 4u) << "what is needed";
}

// Roberta and ByteLevel give spans without the white space that pieces begin and end with.
TEST(TextEnding, SpansWithoutWhiteSpace) {
  const auto spans = [](uint32_t trim, bool bytes, const std::string& text, std::vector<std::string> first) {
    TextTables t = ending([trim](Ending& e) { e.trim = trim; });
    while (first.size() < 20) first.push_back("piece" + std::to_string(first.size()));
    put_pieces(&t, first);
    t.sections.erase(K::kNormalizer);
    t.put(K::kPretokenizer, std::vector<Step>{{static_cast<uint32_t>(PretokenizerKind::kDigits), 1, {0, 0}, {0, 0}}});
    std::map<uint32_t, uint32_t> classes = {{' ', kClassSpace}, {0x3000, kClassSpace}, {'1', kClassNumeric}};
    t.put(K::kClasses, code_table_of(classes, 1));
    if (bytes) t.header.flags |= kByteLevel;
    UsedText used(t);
    EXPECT_EQ(used.status, ERT_OK);
    std::vector<std::string> found;
    const ert_text_options plain = options([](ert_text_options& o) { o.flags = ERT_TEXT_NO_SPECIAL_TOKENS; });
    for (const ert_span& s : used.encode(text, nullptr, &plain).offsets) found.push_back(text.substr(s.start, s.end - s.start));
    return found;
  };
  using Words = std::vector<std::string>;
  const std::string wide = utf8({0x3000});
  const std::vector<std::string> pieces = {"?", "  a ", "1", wide + "b" + wide, " c", "   "};
  EXPECT_EQ(spans(0, false, "  a 1 c", pieces), (Words{"  a ", "1", " c"}));
  EXPECT_EQ(spans(1, false, "  a 1 c", pieces), (Words{"a", "1", "c"}));
  EXPECT_EQ(spans(1, true, "  a 1 c", pieces), (Words{"a", "1", "c"}));
  EXPECT_EQ(spans(1, false, wide + "b" + wide + "1", pieces), (Words{"b", "1"}));
  EXPECT_EQ(spans(2, false, " c1 c", pieces), (Words{" c", "1", "c"}))
      << "the one that the tokenizer itself puts before a text stays";
  EXPECT_EQ(spans(1, false, "   1", pieces), (Words{"", "1"})) << "white space alone";
  EXPECT_EQ(spans(1, false, " zz 1", pieces), (Words{" zz ", "1"})) << "an unknown word has the span of the text";
}

}  // namespace
}  // namespace ert::testing
