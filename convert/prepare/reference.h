// What a blob is compared with, in words: reports and certificates name it.
#pragma once

#include <string>

#include "convert/prepare/prepare.h"

namespace edgeconv {

// "the fp32 model", or what stands in for it where the file is fp16 or already quantized.
std::string reference_name(const PreparedModel& m);

}  // namespace edgeconv
