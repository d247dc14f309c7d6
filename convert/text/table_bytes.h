// A tokenizer as the contents of a blob's tokenizer segment (rt/text/format.h).
#pragma once

#include <string>

#include "convert/text/tokenizer.h"

namespace edgeconv::text {

// The same tokenizer gives the same bytes on every host. Throws FatalError(kLimit) where the format has no room.
std::string table_bytes(const Tokenizer& t);

}  // namespace edgeconv::text
