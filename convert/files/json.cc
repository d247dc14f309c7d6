// See json.h.
#include "convert/files/json.h"

#include "convert/ir/foreign_text.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace edgeconv {

Json parse_json(std::string_view text) { return Json::parse(text); }

std::string json_text(const Json& j) { return terminal_json(j.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n"; }

std::string json_in_one_line(const Json& j) { return terminal_json(j.dump(-1, ' ', false, Json::error_handler_t::replace)); }

}  // namespace edgeconv
