// --dump-graph PASS|all=FILE: what the graph or the runtime program is before and after a pass, as text.
#pragma once

#include <string>
#include <vector>

namespace edgeconv::cli {

class GraphDump {
 public:
  // Empty: nothing is asked for. Throws FatalError(kUsage) for a text without a file or with a name that no pass has.
  explicit GraphDump(const std::string& option);

  const std::string& pass() const { return pass_; }  // "all", or empty
  bool to_stdout() const { return file_ == "-"; }
  // Name of the file that is written; empty if there is none.
  std::string file() const { return to_stdout() ? "" : file_; }

  // taken: the files that the same command reads or writes. Only an earlier dump is replaced: whatever else has the name may be
  // somebody's, or belong to the model. Throws FatalError(kUsage).
  void check(const std::vector<std::string>& taken) const;
  // Throws FatalError(kIo). Without states nothing is written.
  void write(const std::string& states) const;

 private:
  std::string pass_, file_;
};

}  // namespace edgeconv::cli
