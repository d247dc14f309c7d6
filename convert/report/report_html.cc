// Puts the report into the page that the build embeds (report_page.html).
#include "convert/report/report_html.h"

#include "convert/files/json.h"

namespace edgeconv {

namespace {

constexpr const char* kPage =
#include "convert/report/report_page.inc"
    ;

constexpr const char* kPlace = "@REPORT@";

}  // namespace

std::string report_html(const Json& report) {
  std::string text;
  // Names come from the model: none of them may end the script element that holds them, or begin a comment in it.
  for (const char c : report.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  std::string page = kPage;
  page.replace(page.find(kPlace), std::string(kPlace).size(), text);
  return page;
}

}  // namespace edgeconv
