// Changes to tokenizer tables by what their sections mean, and the tables of a segment as they can be changed: for tests that give the runtime hostile ones.
#pragma once

#include "tests/support/random_numbers.h"
#include "tests/support/text_tables.h"

namespace ert::testing {

// What build() of some tables wrote, or a fuzzer made of it. False: no section table that lies in the bytes.
bool read_tables(const uint8_t* data, size_t bytes, TextTables* out);

// Numbers and rows of one section, the header, or bytes of any section. Sections may be missing or too short.
void change_tables(TextTables* t, RandomNumbers* random);

}  // namespace ert::testing
