// Decimal numbers as serde_json reads them, which reads tokenizer.json for the reference. It is quicker than exact: scores that an exact reader
// would give differ in the last bit, and then other pieces win where sums tie.
#pragma once

#include <string_view>

namespace edgeconv::text {

// `literal`: a number as JSON spells it. Infinite: it has no double.
double serde_double(std::string_view literal);

}  // namespace edgeconv::text
