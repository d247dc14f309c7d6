// Why a conversion chose its precisions, in words; read from the plans that the search tried.
#pragma once

#include <optional>
#include <string>

#include "convert/result/convert_result.h"

namespace edgeconv {

// Of one layer.
std::string reason_of(const ConvertResult& r, const LayerReport& l);
// The same in a few words, for a line of the summary; empty for a layer in int8 that nobody asked for.
std::string short_reason_of(const ConvertResult& r, const LayerReport& l);
// How long the layers take, in times of all of them in int8 (time_of in precision/cost.h).
double times_of_int8(const ConvertResult& r);
// Of attention and of large tables, which have one precision in the whole model.
std::string reason_of_attention(const ConvertResult& r);
std::string reason_of_tables(const ConvertResult& r);

// Whether recorded inputs would help: not where they were given, or where a warning asks for them already.
bool may_ask_for_inputs(const ConvertResult& r);

// What to say when automatic precision left most of the multiplications in fp32: hardly anything of the model is quantized then.
std::optional<std::string> mostly_fp32(const ConvertResult& r);

}  // namespace edgeconv
