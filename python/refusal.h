// Why the runtime refused, as Python's Error says it: what, where, why and what to do.
#pragma once

#include <stdexcept>
#include <string>

#include "ert.h"

namespace edgeconv_python {

class Refusal : public std::runtime_error {
 public:
  Refusal(ert_status s, const std::string& message) : std::runtime_error(message), status_(s) {}
  ert_status status() const { return status_; }

 private:
  ert_status status_;
};

// "ERT_ERR_CHECKSUM" of its text.
std::string status_name(ert_status s);

const char* dtype_name(uint32_t dtype);

// After a call on a context: what ert_last_error knows of it. m: the model of the context.
[[noreturn]] void refuse_run(ert_status s, const ert_model& m, const ert_context& c);

}  // namespace edgeconv_python
