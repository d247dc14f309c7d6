// Escapes: what is harmless stays as it is, what gives orders to a terminal or ends a C comment does not survive.
#include "convert/ir/foreign_text.h"

#include <gtest/gtest.h>

namespace edgeconv::testing {

namespace {

TEST(ForeignText, NamesOfAllLanguagesStay) {
  for (const char* s : {"encoder/layer.0/MatMul_12", "h\xc3\xb6he", "\xe5\xb1\x82", "\xf0\x9f\x99\x82", "a\\b", ""}) {
    EXPECT_EQ(escaped(s), s);
    EXPECT_EQ(terminal_text(s), s);
  }
}

TEST(ForeignText, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(escaped("\x1b[2J\x7f\r\n\t"), "\\x1B[2J\\x7F\\x0D\\x0A\\x09");
  EXPECT_EQ(escaped(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(terminal_text("a\nb\x1b"), "a\nb\\x1B");
  // CSI as one character, the direction of writing, a line separator, an invisible tag.
  EXPECT_EQ(escaped("\xc2\x9b"
                    "31m"),
            "\\u009B31m");
  EXPECT_EQ(escaped("\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8"), "\\u202E\\u2066\\u2028");
  EXPECT_EQ(escaped("\xf3\xa0\x81\x81"), "\\U000E0041");
}

TEST(ForeignText, JsonSaysTheSameInEscapes) {
  EXPECT_EQ(terminal_json("{\n  \"h\xc3\xb6he\": \"\\u001b\"\n}"), "{\n  \"h\xc3\xb6he\": \"\\u001b\"\n}");
  EXPECT_EQ(terminal_json("\"\x7f\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\x81\""), "\"\\u007F\\u009B\\u202E\\uDB40\\uDC41\"");
}

TEST(ForeignText, BytesThatAreNoUtf8AreWrittenOut) {
  EXPECT_EQ(escaped("\x9b"
                    "31m"),
            "\\x9B31m");
  EXPECT_EQ(escaped("\xc0\xaf"), "\\xC0\\xAF") << "longer than needed";
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xED\\xA0\\x80") << "a surrogate";
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80") << "beyond the last character";
  EXPECT_EQ(escaped("\xe5\xb1"), "\\xE5\\xB1") << "cut";
}

TEST(ForeignText, TwiceIsOnce) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(escaped(escaped(all)), escaped(all));
  EXPECT_EQ(terminal_text(terminal_text(all)), terminal_text(all));
}

TEST(ForeignText, CutsBetweenCharacters) {
  EXPECT_EQ(escaped("abcdef", 4), "abcd...");
  EXPECT_EQ(escaped("abc\x1b", 4), "abc...");
  EXPECT_EQ(escaped("abc\xc3\xb6", 4), "abc...");
  EXPECT_EQ(escaped("abcd", 4), "abcd");
}

TEST(ForeignText, COfAllBytesEndsNothing) {
  std::string all;
  for (int i = 1; i < 256; ++i) all += static_cast<char>(i);
  const std::string c = c_text(all + "*/ ?\?/\n\" \\");
  for (const char bad : {'*', '?', '"', '\n'}) EXPECT_EQ(c.find(bad), std::string::npos) << bad;
  for (const char u : c) EXPECT_TRUE(u >= 0x20 && u < 0x7f);
  EXPECT_EQ(c_text("model.ert"), "model.ert");
  EXPECT_EQ(c_text("a*/\n1"), "a\\052/\\0121");
  EXPECT_NE(c_text("x\\").back(), '\\') << "it would continue a line";
}

}  // namespace

}  // namespace edgeconv::testing
