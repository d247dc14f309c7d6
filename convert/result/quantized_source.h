// What a user should know of a conversion of a file that is quantized already.
#pragma once

#include <string>

#include "convert/result/convert_result.h"

namespace edgeconv {

// One line; empty where the file was not quantized.
std::string quantized_source_warning(const ConvertResult& r);

}  // namespace edgeconv
