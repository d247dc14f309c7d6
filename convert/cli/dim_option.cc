// See dim_option.h.
#include "convert/cli/dim_option.h"

#include <stdexcept>

#include "convert/ir/diagnostics.h"

namespace edgeconv::cli {

namespace {

std::pair<std::string, int64_t> parse_dim(const std::string& text, const std::string& flag) {
  const size_t eq = text.rfind('=');
  try {
    size_t used = 0;
    if (eq == std::string::npos || eq == 0) throw std::invalid_argument("");
    const int64_t most = std::stoll(text.substr(eq + 1), &used);
    if (used != text.size() - eq - 1) throw std::invalid_argument("");
    return {text.substr(0, eq), most};
  } catch (const std::logic_error&) {
    throw FatalError(ExitCode::kUsage, flag + " " + text + ": write NAME=" + (flag == "--dim" ? "MAX" : "N") + ", for example " +
                                           flag + " sequence=128");
  }
}

}  // namespace

std::map<std::string, int64_t> parse_dims(const std::vector<std::string>& texts, const std::string& flag) {
  std::map<std::string, int64_t> dims;
  for (const std::string& text : texts)
    if (const auto dim = parse_dim(text, flag); !dims.insert(dim).second)
      throw FatalError(ExitCode::kUsage, flag + " " + dim.first + " is given more than once; give one value for each dim");
  return dims;
}

}  // namespace edgeconv::cli
