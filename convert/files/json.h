// JSON, in the order in which it is written. Include this and not the library's header: the class is instantiated once, in json.cc.
// Headers that only name the type include <nlohmann/json_fwd.hpp>.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace edgeconv {

using Json = nlohmann::ordered_json;

// Throws nlohmann::json::parse_error. The parser is the slowest part of the library to build: this is its only instance.
Json parse_json(std::string_view text);

// Indented by two, with a newline at its end; bytes that are not UTF-8 become U+FFFD, and what gives orders to a terminal is escaped.
std::string json_text(const Json& j);

// The same in one line, without a newline.
std::string json_in_one_line(const Json& j);

}  // namespace edgeconv
