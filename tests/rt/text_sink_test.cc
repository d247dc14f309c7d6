// The Strip decoder, while text is counted, cut and written.
#include "rt/text/decode.h"

#include <gtest/gtest.h>

#include <string>

namespace ert::text {
namespace {

Bytes8 bytes_of(const std::string& s) { return {reinterpret_cast<const uint8_t*>(s.data()), static_cast<uint32_t>(s.size())}; }

struct Written {
  size_t bytes;
  std::string text;
};

Written write(const std::string& text, const std::string& what, uint32_t start, uint32_t stop, size_t capacity) {
  std::string out(capacity, '?');
  TextSink sink(reinterpret_cast<uint8_t*>(out.data()), capacity);
  sink.strip(bytes_of(what), start, stop);
  sink.put(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  sink.end();
  return {sink.bytes(), out.substr(0, std::min(capacity, sink.bytes()))};
}

// Found by the fuzz target text: what was counted without room for it had the end that is dropped.
TEST(TextSink, StripAtTheEndIsCountedAsItIsWritten) {
  struct Case {
    const char *text, *what;
    uint32_t start, stop;
    const char* left;
  };
  const Case cases[] = {
      {"ab  ", " ", 0, 1, "ab "},
      {"ab  ", " ", 0, 2, "ab"},
      {"ab  ", " ", 0, 9, "ab"},
      {" a b ", " ", 0, 1, " a b"},
      {"    ", " ", 1, 2, " "},
      {"  ", " ", 0, 7, ""},
      {"", " ", 0, 3, ""},
      {"abc", " ", 0, 3, "abc"},
      {"a\xe2\x96\x81\xe2\x96\x81", "\xe2\x96\x81", 0, 1, "a\xe2\x96\x81"},
      {"a\xe2\x96\x81\xe2\x96\x82", "\xe2\x96\x81", 0, 1, "a\xe2\x96\x81\xe2\x96\x82"},
      {"a\xe2\x96\xe2\x96\x81", "\xe2\x96\x81", 0, 2, "a\xe2\x96"},
      {"a\xe2\x96\x81\xe2\x96", "\xe2\x96\x81", 0, 2, "a\xe2\x96\x81\xe2\x96"},
      {"ab  ", " ", 0, 0, "ab  "},
  };
  for (const Case& c : cases) {
    const std::string left = c.left;
    for (size_t capacity = 0; capacity <= left.size() + 3; ++capacity) {
      const Written w = write(c.text, c.what, c.start, c.stop, capacity);
      EXPECT_EQ(w.bytes, left.size()) << "'" << c.text << "' with room for " << capacity;
      EXPECT_EQ(w.text, left.substr(0, capacity)) << "'" << c.text << "' with room for " << capacity;
    }
  }
}

}  // namespace
}  // namespace ert::text
