/* See isa_option.h. */
#include "tests/digest/isa_option.h"

#include <string.h>

uint32_t ert_isa_mask_of(const char* name) {
  int isa;
  for (isa = 0; isa < 32; ++isa) {
    const char* known = ert_isa_name((ert_isa)isa);
    if (known != NULL && strcmp(known, name) == 0) return ERT_ISA_BIT(isa);
  }
  return 0;
}
