// What `edgeconv convert` can be told, and what that asks of a conversion.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "convert/cli/arguments.h"
#include "convert/cli/pin_option.h"
#include "convert/pipeline/convert.h"

namespace edgeconv::cli {

struct ConvertArguments {
  std::string command;  // as it was given
  std::function<std::vector<std::string>()> words_again;  // the same without messages and --calib (arguments.h)
  std::string model, output, target = "portable", progress = "auto", maps = "auto", bands = "auto", compress = "none", padding = "zero", calibration, dump_graph, tokenizer, task, labels, pooling, normalize;
  std::vector<std::string> dims, states, raw_inputs, reports, precision, concat, custom_ops;
  PinOptions pins;
  Gates gates;
  bool allow_loss = false, force = false, quiet = false, verbose = false, json = false;
  std::string golden = "auto";
  uint32_t security_counter = 0, max_tokens = 0;
  std::string arena_limit, flash_limit, max_bytes, memory_limit;

  void declare(Arguments& a);
};

// Throws FatalError: kUsage for texts of another form, kUnsupported for a target of a later version.
ConvertOptions conversion_options(const ConvertArguments& o);

}  // namespace edgeconv::cli
