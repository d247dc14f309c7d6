// Proves: whatever ert_text_open_tables accepts encodes, windows, decodes and answers inside exactly the memory that it asks for, in bounded time, gives
// ids, spans and counts that its documentation allows, and gives the same again whatever the memory held before.
#include <cstring>

#include "rt/blob/crc32c.h"
#include "tests/fuzz/exact_bytes.h"
#include "tests/fuzz/text_lines.h"
#include "tests/support/text_changes.h"

namespace ert::fuzz {
namespace {

using testing::TextTables;

constexpr double kMostSeconds = 0.5 * kSlower;
constexpr uint32_t kArrays = 96, kMostTokens = 1 << 14;  // elements of each array that are given at first, and at most

struct Arrays {
  std::vector<int32_t> ids, types, attention, special;
  std::vector<ert_span> offsets;
  std::vector<uint8_t> sequence, word_starts;
  ert_encoding facts{};
  explicit Arrays(uint32_t n) : ids(n), types(n), attention(n), special(n), offsets(n), sequence(n), word_starts(n) {
    facts.struct_size = sizeof facts;
    facts.capacity = n;
    facts.ids = ids.data(), facts.type_ids = types.data(), facts.attention = attention.data(), facts.special = special.data();
    facts.offsets = offsets.data(), facts.sequence = sequence.data(), facts.word_starts = word_starts.data();
  }
  bool operator==(const Arrays& o) const {
    const ert_encoding &e = facts, &f = o.facts;
    const auto same_spans = [&] {
      return offsets.empty() || std::memcmp(offsets.data(), o.offsets.data(), offsets.size() * sizeof(ert_span)) == 0;
    };
    return e.tokens == f.tokens && e.truncated == f.truncated && e.windows == f.windows && e.text_tokens == f.text_tokens &&
           e.pair_tokens == f.pair_tokens && ids == o.ids && types == o.types && attention == o.attention &&
           special == o.special && sequence == o.sequence && word_starts == o.word_starts && same_spans();
  }
};

// Of OK: numbers that the documentation allows.
void check(const Arrays& a, size_t text_bytes, size_t pair_bytes) {
  const ert_encoding& e = a.facts;
  expect(e.tokens <= e.capacity, "more tokens than room", e.tokens);
  expect(e.windows >= 1, "no window");
  for (uint32_t i = 0; i < e.tokens; ++i) {
    expect((a.attention[i] & ~1) == 0 && (a.special[i] & ~1) == 0 && a.word_starts[i] <= 1, "a flag that is none", i);
    const ert_span s = a.offsets[i];
    const size_t most = a.sequence[i] == 0 ? text_bytes : a.sequence[i] == 1 ? pair_bytes : 0;
    expect(a.sequence[i] <= 1 || a.sequence[i] == 255, "a token of no sequence", a.sequence[i]);
    expect(s.start <= s.end && s.end <= most, "a span outside of its text", s.end);
  }
}

// Into work memory that holds `fill` before, and into arrays that are as long as they have to be.
ert_status encode(const ert_text& t, const Line& l, size_t need, uint8_t fill, Arrays* out, uint32_t window) {
  ExactBytes work(need);
  std::memset(work.data(), fill, need);
  const std::string text = l.text, pair = l.pair;  // memory that ends where they do; windows read it again
  const auto ask = [&] {
    return ert_text_encode(&t, &l.options, text.data(), text.size(), l.has_pair ? pair.data() : nullptr,
                           l.has_pair ? pair.size() : 0, work.data(), need, &out->facts);
  };
  ert_status status = ask();
  if (status == ERT_ERR_NOMEM) {
    const uint32_t tokens = out->facts.tokens;
    expect(tokens > out->facts.capacity, "no room for fewer tokens than there is", tokens);
    if (tokens > kMostTokens) return status;
    *out = Arrays(tokens);
    status = ask();
    expect(status == ERT_OK, "refused with as much room as it asked for", status);
  }
  if (status != ERT_OK) return status;
  check(*out, l.text.size(), l.pair.size());
  const uint32_t windows = out->facts.windows;
  Arrays beyond(1);
  expect(ert_text_window(&t, work.data(), windows, &beyond.facts) == ERT_ERR_ARG, "a window that is not there", windows);
  if (window % windows == 0) return status;
  status = ert_text_window(&t, work.data(), window % windows, &out->facts);
  if (status == ERT_OK) check(*out, l.text.size(), l.pair.size());
  return status;
}

void decode(const ert_text& t, const std::vector<int32_t>& ids, uint32_t skip_special, RandomNumbers* r) {
  size_t bytes = 0, again = 0;
  const ert_status counted = ert_text_decode(&t, ids.data(), ids.size(), static_cast<int>(skip_special), nullptr, 0, &bytes);
  expect(counted == (bytes == 0 ? ERT_OK : ERT_ERR_NOMEM), "a status that counting text does not give", counted);
  if (bytes > kMostWork) return;
  ExactBytes whole(bytes), part(r->bits() % (bytes + 1));
  const auto into = [&](ExactBytes* out) {
    return ert_text_decode(&t, ids.data(), ids.size(), static_cast<int>(skip_special), reinterpret_cast<char*>(out->data()),
                           out->size(), &again);
  };
  expect(into(&whole) == ERT_OK && again == bytes, "text that does not fit what it takes", static_cast<long long>(again));
  expect(into(&part) == (part.size() == bytes ? ERT_OK : ERT_ERR_NOMEM), "text that is cut says so");
  expect(part.size() == 0 || std::memcmp(whole.data(), part.data(), part.size()) == 0, "text that is cut is its beginning");
}

void use(const ert_text& t, const ert_text_info& info, RandomNumbers* r) {
  Line l = some_line(t, info, r);
  l.options.struct_size = sizeof l.options;
  if (r->integer(0, 1) != 0) l.options.flags = static_cast<uint32_t>(r->integer(0, 7));
  if (r->integer(0, 1) != 0) l.options.max_tokens = static_cast<uint32_t>(r->integer(0, 20));
  if (r->integer(0, 2) == 0) l.options.truncation = static_cast<uint32_t>(r->integer(0, 3));
  if (r->integer(0, 2) == 0) l.options.stride = static_cast<uint32_t>(r->integer(0, 6));
  if (r->integer(0, 2) == 0) l.options.pad_to = static_cast<uint32_t>(r->integer(0, 30));
  size_t need = 0;
  if (ert_text_bytes(&t, l.text.size(), l.has_pair ? l.pair.size() : 0, &need) != ERT_OK || need > kMostWork) return;
  const auto window = static_cast<uint32_t>(r->integer(0, 5));
  Arrays first(kArrays), second(kArrays);
  const ert_status status = encode(t, l, need, 0x00, &first, window), again = encode(t, l, need, 0xFF, &second, window);
  expect(status == again, "a status that depends on what memory held: first * 100 + second", status * 100 + again);
  if (status != ERT_OK) return;
  expect(first == second, "tokens that depend on what memory held");
  first.ids.resize(first.facts.tokens);
  for (int i = r->integer(0, 3); i > 0; --i) first.ids.push_back(static_cast<int32_t>(r->bits()));
  decode(t, first.ids, static_cast<uint32_t>(r->integer(0, 1)), r);
}

void run(const uint8_t* data, size_t bytes) {
  ExactBytes tables(bytes);
  if (bytes != 0) std::memcpy(tables.data(), data, bytes);
  ert_text t;
  const ert_status status = ert_text_open_tables(&t, tables.data(), bytes);
  expect(status == ERT_OK || status == ERT_ERR_ARG || status == ERT_ERR_VERSION || status == ERT_ERR_FORMAT ||
             status == ERT_ERR_MODEL || status == ERT_ERR_UNSUPPORTED,
         "a status that opening tables does not give", status);
  if (status != ERT_OK) return;
  ert_text_info info{};
  info.struct_size = sizeof info;
  expect(ert_text_describe(&t, &info) == ERT_OK, "an open tokenizer says nothing of itself");
  const uint32_t seed = crc32c(0, data, bytes);
  const char key[5] = {static_cast<char>(1 + seed % 255), static_cast<char>(1 + (seed >> 8) % 255),
                       static_cast<char>(1 + (seed >> 16) % 255), static_cast<char>(1 + (seed >> 24) % 255), 0};
  RandomNumbers random(key);
  within_seconds(kMostSeconds, "three texts took so many ms", [&] {
    for (int i = 0; i < 3; ++i) use(t, info, &random);
  });
  const char* name = nullptr;
  size_t length = 0;
  volatile uint8_t sum = 0;
  for (uint32_t i = 0; i < 8; ++i) {
    if (ert_text_label(&t, i, &name, &length) != ERT_OK) continue;
    for (size_t k = 0; k < length; ++k) sum = static_cast<uint8_t>(sum + name[k]);
  }
  TextTables read;
  if (!testing::read_tables(data, bytes, &read) || read.sections.count(text::SectionKind::kTask) == 0) return;
  const uint32_t task = read.row<text::Task>(text::SectionKind::kTask).kind;
  if (task < 1 || task > 5) return;
  within_seconds(kMostSeconds, "two answers took so many ms",
                 [&] { answer(Bytes(data, data + bytes), static_cast<text::TaskKind>(task), &random); });
}

bool mutate(Bytes* bytes, RandomNumbers* random) {
  TextTables t;
  if (!testing::read_tables(bytes->data(), bytes->size(), &t)) return false;
  for (int n = random->integer(1, 3); n > 0; --n) testing::change_tables(&t, random);
  *bytes = t.build();
  return true;
}

}  // namespace

const Target& target_text() {
  static const Target target = {"text", run, mutate};
  return target;
}

}  // namespace ert::fuzz
