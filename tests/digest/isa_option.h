/* The name of an ISA level, as --isa takes it. */
#ifndef ERT_TESTS_DIGEST_ISA_OPTION_H
#define ERT_TESTS_DIGEST_ISA_OPTION_H

#include "rt/include/ert.h"

/* The bit of ert_config.isa_mask; 0 for an unknown name. */
uint32_t ert_isa_mask_of(const char* name);

#endif /* ERT_TESTS_DIGEST_ISA_OPTION_H */
