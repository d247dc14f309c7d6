// Text files that options name, by lines.
#pragma once

#include <cstddef>
#include <functional>
#include <istream>
#include <string>

namespace edgeconv {

// Calls take(line) for each line of a regular file of at most kMostTextBytes, without its line end (LF, CRLF). `option` stands in messages.
// Throws FatalError: kIo where the file cannot be read or is not a regular one, kLimit where it is larger; and what `take` throws.
constexpr size_t kMostTextBytes = size_t{64} << 20;
void for_each_line(const std::string& option, const std::string& path, const std::function<void(std::string)>& take);

// The next line of a stream of any length, as std::getline, but for lines of at most kMostLineBytes: throws FatalError(kLimit) with `where`.
constexpr size_t kMostLineBytes = size_t{16} << 20;
bool next_line(std::istream& in, std::string& line, const std::string& where);

}  // namespace edgeconv
