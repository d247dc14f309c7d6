#include "tests/support/text_changes.h"

namespace ert::testing {
namespace {

using namespace text;
using K = SectionKind;

class Change {
 public:
  Change(TextTables* t, RandomNumbers* random) : t_(*t), r_(*random) {}

  void make() {
    if (t_.sections.count(K::kNgrams) != 0 && r_.integer(0, 3) == 0) return number(K::kNgrams, 8);
    switch (r_.integer(0, 7)) {
      case 0: return field(K::kTask, below(16), value());
      case 1: return field(K::kLabels, below(6), value() % 24);
      case 2: return field(K::kEnding, below(17), value());
      case 3: return step();
      case 4: return header();
      case 5: t_.header.flags ^= 1u << r_.integer(0, 12); return;
      default: return some_bytes();
    }
  }

 private:
  uint32_t value() {
    constexpr uint32_t kInteresting[] = {0,  1,   2,   3,     7,     16,          20,          21,        22,
                                         64, 255, 256, 65535, 65536, 0x7FFFFFFFu, 0x80000000u, UINT32_MAX};
    return kInteresting[r_.integer(0, 16)];
  }
  size_t below(size_t n) { return static_cast<size_t>(r_.integer(0, static_cast<int>(n) - 1)); }
  template <class T>
  T* row(K kind, size_t i = 0) {
    const auto found = t_.sections.find(kind);
    if (found == t_.sections.end() || found->second.bytes.size() < (i + 1) * sizeof(T)) return nullptr;
    return &t_.row<T>(kind, i);
  }
  void field(K kind, size_t i, uint32_t to) {
    if (uint32_t* at = row<uint32_t>(kind, i)) *at = to;
  }
  void number(K kind, size_t fields) {
    uint32_t* at = row<uint32_t>(kind, below(fields));
    if (at != nullptr) *at = r_.integer(0, 1) == 0 ? value() : *at + static_cast<uint32_t>(r_.integer(-2, 2));
  }
  // Another kind of step, with another option and strings.
  void step() {
    constexpr K kLists[] = {K::kNormalizer, K::kPretokenizer, K::kDecoder};
    constexpr uint32_t kKinds[] = {static_cast<uint32_t>(NormalizerKind::kCount), static_cast<uint32_t>(PretokenizerKind::kCount),
                                   static_cast<uint32_t>(DecoderKind::kCount)};
    const size_t list = below(3);
    const auto found = t_.sections.find(kLists[list]);
    if (found == t_.sections.end()) return;
    if (found->second.count < 4 && r_.integer(0, 3) == 0) {  // one more
      found->second.bytes.resize(++found->second.count * sizeof(Step));
    }
    Step* s = row<Step>(kLists[list], found->second.count == 0 ? 0 : below(found->second.count));
    if (s == nullptr) return;
    s->kind = static_cast<uint32_t>(r_.integer(1, static_cast<int>(kKinds[list]) - 1));
    s->option = static_cast<uint32_t>(r_.integer(0, 3) == 0 ? r_.integer(0, 4095) : r_.integer(0, 8));
    s->a = {static_cast<uint32_t>(r_.integer(0, 18)), static_cast<uint32_t>(r_.integer(0, 3))};
    s->b = {static_cast<uint32_t>(r_.integer(0, 18)), static_cast<uint32_t>(r_.integer(0, 3))};
  }
  void header() {
    TablesHeader& h = t_.header;
    uint32_t* const fields[] = {&h.kind, &h.flags, &h.expansion, &h.extra, &h.longest, &h.max_characters, &h.least};
    *fields[below(7)] = r_.integer(0, 1) == 0 ? value() : static_cast<uint32_t>(r_.integer(0, 64));
  }
  void some_bytes() {
    if (t_.sections.empty()) return;
    auto section = t_.sections.begin();
    std::advance(section, static_cast<std::ptrdiff_t>(below(t_.sections.size())));
    std::vector<uint8_t>& bytes = section->second.bytes;
    if (bytes.empty()) return;
    if (r_.integer(0, 1) == 0 || bytes.size() < 4) {
      bytes[below(bytes.size())] = static_cast<uint8_t>(r_.bits());
    } else {
      const uint32_t v = value();
      std::memcpy(bytes.data() + below(bytes.size() / 4) * 4, &v, 4);
    }
  }

  TextTables& t_;
  RandomNumbers& r_;
};

}  // namespace

bool read_tables(const uint8_t* data, size_t bytes, TextTables* out) {
  TablesHeader h;
  if (bytes < sizeof h) return false;
  std::memcpy(&h, data, sizeof h);
  if (h.sections > static_cast<uint32_t>(K::kCount) || (bytes - sizeof h) / sizeof(Section) < h.sections) return false;
  out->header = h;
  out->sections.clear();
  for (uint32_t i = 0; i < h.sections; ++i) {
    Section s;
    std::memcpy(&s, data + sizeof h + i * sizeof s, sizeof s);
    if (s.offset > bytes || s.bytes > bytes - s.offset) return false;
    out->sections[static_cast<K>(s.kind)] = {std::vector<uint8_t>(data + s.offset, data + s.offset + s.bytes), s.count};
  }
  return true;
}

void change_tables(TextTables* t, RandomNumbers* random) { Change(t, random).make(); }

}  // namespace ert::testing
