// --fix NAME=N, --const INPUT=VALUE|FILE.npy and --outputs NAME,.., as convert, inspect and validate take them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "convert/cli/arguments.h"
#include "convert/import_graph/pinning.h"

namespace edgeconv::cli {

struct PinOptions {
  std::vector<std::string> fixed, constants, outputs;

  void declare(Arguments& a, const std::string& where = "");  // where: what the help says before each
  // dims: of --dim, which may not name a dim that --fix names. Throws FatalError: kUsage for texts of another form and for names that are given twice,
  // what read_npy throws for files.
  Pinning parse(const std::map<std::string, int64_t>& dims) const;
  // The files among the contents, which outputs may not replace.
  std::vector<std::string> files() const;

 private:
  std::vector<std::string> chosen_outputs() const;
};

}  // namespace edgeconv::cli
