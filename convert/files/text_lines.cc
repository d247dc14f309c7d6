// See text_lines.h.
#include "convert/files/text_lines.h"

#include <algorithm>
#include <utility>

#include "convert/files/mapped_file.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv {

void for_each_line(const std::string& option, const std::string& path, const std::function<void(std::string)>& take) {
  const auto file = MappedFile::open(path);
  if (file->bytes > kMostTextBytes)
    throw FatalError(ExitCode::kLimit, option + " " + printable(path) + ": the file has " + std::to_string(file->bytes) + " bytes, at most " +
                                           std::to_string(kMostTextBytes) + " are read");
  const auto* at = reinterpret_cast<const char*>(file->data);
  const char* end = at + file->bytes;
  while (at != end) {
    const char* stop = std::find(at, end, '\n');
    std::string line(at, stop);
    if (line.ends_with('\r')) line.pop_back();
    take(std::move(line));
    at = stop == end ? end : stop + 1;
  }
}

bool next_line(std::istream& in, std::string& line, const std::string& where) {
  line.clear();
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    if (c == '\n') return true;
    if (line.size() == kMostLineBytes) throw FatalError(ExitCode::kLimit, where + ": a line has more than " + std::to_string(kMostLineBytes) + " bytes");
    line += static_cast<char>(c);
  }
  return !line.empty();
}

}  // namespace edgeconv
