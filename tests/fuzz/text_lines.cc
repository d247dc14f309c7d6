#include "tests/fuzz/text_lines.h"

#include <algorithm>
#include <iterator>

namespace ert::fuzz {
namespace {

std::string some_text(const ert_text& t, const ert_text_info& info, RandomNumbers* r) {
  static const char* const kParts[] = {"",
                                       "a",
                                       "b ab",
                                       " 12 ",
                                       "<m>",
                                       "A^ ",
                                       "xyz",
                                       "Hello wORLD's",
                                       "\xc3\xa9\xcc\x81",
                                       "\xef\xbf\xbd",
                                       "\xff",
                                       "\xe4\xb8",
                                       "\xe4\xb8\xad",
                                       "\r\n\t",
                                       "\xf0\x9f\x98\x80",
                                       "\xe2\x96\x81",
                                       "1.5,",
                                       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaab"};
  std::string s;
  for (int n = r->integer(0, 12); n > 0; --n) {
    const char* piece = nullptr;
    size_t bytes = 0;
    const auto id = static_cast<int32_t>(r->bits() % (uint64_t{info.vocabulary} + 1));
    if (r->integer(0, 2) != 0)
      s += kParts[r->bits() % std::size(kParts)];
    else if (ert_text_piece(&t, id, &piece, &bytes) == ERT_OK)
      s.append(piece, std::min<size_t>(bytes, 64));
  }
  return s;
}

}  // namespace

Line some_line(const ert_text& t, const ert_text_info& info, RandomNumbers* random) {
  Line l = {some_text(t, info, random), some_text(t, info, random), random->integer(0, 1) != 0, {}};
  return l;
}

}  // namespace ert::fuzz
