// Text that somebody else wrote (names of a model or a blob, paths), for places where it must stay text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace edgeconv {

// For a terminal, in one line: control characters, bytes that are no UTF-8, and marks that turn the direction of writing or break
// lines become \x1B or \u202E; everything else stays. Longer than `most` bytes: cut, with "..." at the end.
std::string escaped(std::string_view s, size_t most = std::string::npos);

// The same for text of several lines: line feeds stay.
std::string terminal_text(std::string_view s);

// The same for JSON, where \u009B is the character itself: all of its lines stay, and what it says.
std::string terminal_json(std::string_view json);

// A word for a POSIX shell, shown on a terminal: escaped, and in quotes where a shell would take it apart or read more into it.
std::string shell_word(std::string_view word);

// For generated C and assembler, in a comment or in quotes: printable ASCII, and \NNN (octal) for the rest and for what could end
// or continue either (* ? " and the backslash). In quotes a compiler reads the same bytes again.
std::string c_text(std::string_view s);

}  // namespace edgeconv
