// See json.h.
#include "convert/files/json.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace edgeconv {

Json parse_json(std::string_view text) { return Json::parse(text); }

std::string json_text(const Json& j) { return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace edgeconv
