#include "convert/text/unicode/unicode_data.h"

#include <zlib.h>

#include "rt/text/format.h"

namespace edgeconv::text {

namespace {

constexpr uint8_t kPacked[] = {
#include "convert/text/unicode/unicode_data.inc"
};

class DataReader {
 public:
  DataReader() : bytes_(1 << 17) {
    uLongf size = static_cast<uLongf>(bytes_.size());
    if (uncompress(bytes_.data(), &size, kPacked, sizeof kPacked) != Z_OK) bytes_.clear();
  }
  uint32_t number() {
    uint32_t n = 0;
    for (uint32_t shift = 0; at_ < bytes_.size(); shift += 7) {
      const uint8_t b = bytes_[at_++];
      n |= (b & 0x7fu) << shift;
      if (b < 0x80) break;
    }
    return n;
  }
  CodeSet set() {
    CodeSet s;
    s.runs.resize(number());
    uint32_t last = 0;
    for (auto& [begin, end] : s.runs) {
      begin = last + number();
      last = end = begin + number();
    }
    return s;
  }
  CodeMap map() {
    CodeMap m;
    uint32_t code = 0;
    for (uint32_t n = number(); n != 0; --n) {
      code += number();
      std::vector<uint32_t> to(number());
      for (uint32_t& c : to) c = number();
      m.emplace_hint(m.end(), code, std::move(to));
    }
    return m;
  }

 private:
  std::vector<uint8_t> bytes_;
  size_t at_ = 0;
};

UnicodeData read_data() {
  DataReader r;
  UnicodeData u;
  for (CodeMap* m : {&u.canonical, &u.compatible, &u.compositions, &u.combining, &u.lowercase}) *m = r.map();
  for (CodeSet* s : {&u.strip_accents, &u.bert_marks, &u.bert_space, &u.bert_control, &u.punctuation, &u.numeric, &u.white_space, &u.word, &u.rule_space,
                     &u.rule_letter, &u.rule_number, &u.rule_upper, &u.rule_lower, &u.rule_mark})
    *s = r.set();
  for (int i = 1; i < ert::text::kGraphemeClasses; ++i) u.graphemes.push_back(r.set());
  return u;
}

}  // namespace

const UnicodeData& unicode_data() {
  static const UnicodeData data = read_data();
  return data;
}

}  // namespace edgeconv::text
