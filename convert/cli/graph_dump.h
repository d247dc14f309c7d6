// --dump-graph PASS|all=FILE: what the graph or the runtime program is before and after a pass, as text.
#pragma once

#include <string>
#include <string_view>

#include "convert/files/outputs.h"

namespace edgeconv::cli {

class GraphDump {
 public:
  static constexpr std::string_view kMark = "== ";  // what a listing begins with: only such a file is replaced without --force

  // Empty: nothing is asked for. Throws FatalError(kUsage) for a text without a file or with a name that no pass has.
  explicit GraphDump(const std::string& option);

  const std::string& pass() const { return pass_; }  // "all", or empty
  const std::string& path() const { return file_; }  // - is stdout; empty: nothing is written
  // Name of the file that is written; empty if there is none.
  std::string file() const { return file_ == "-" ? "" : file_; }

  // Without states nothing is written. Throws FatalError(kIo). The outputs know the path.
  void write(const std::string& states, const Outputs& outputs) const;

 private:
  std::string pass_, file_;
};

}  // namespace edgeconv::cli
