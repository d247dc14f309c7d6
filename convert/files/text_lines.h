// Text files that options name, by lines.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

namespace edgeconv {

// Lines of a regular file of at most kMostTextBytes, without their line ends (LF, CRLF). `option` stands in messages. Throws FatalError:
// kIo where the file cannot be read or is not a regular one, kLimit where it is larger.
constexpr size_t kMostTextBytes = size_t{64} << 20;
std::vector<std::string> read_lines(const std::string& option, const std::string& path);

// The next line of a stream of any length, as std::getline, but for lines of at most kMostLineBytes: throws FatalError(kLimit) with `where`.
constexpr size_t kMostLineBytes = size_t{16} << 20;
bool next_line(std::istream& in, std::string& line, const std::string& where);

}  // namespace edgeconv
