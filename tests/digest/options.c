/* See options.h. */
#include "tests/digest/options.h"

#include <string.h>

/* The bit of ert_config.isa_mask; 0 for an unknown name. */
static uint32_t isa_mask_of(const char* name) {
  int isa;
  for (isa = 0; isa < 32; ++isa) {
    const char* known = ert_isa_name((ert_isa)isa);
    if (known != NULL && strcmp(known, name) == 0) return ERT_ISA_BIT(isa);
  }
  return 0;
}

static uint32_t number(const char* text) {
  uint32_t n = 0;
  for (; *text >= '0' && *text <= '9'; ++text) n = n * 10 + (uint32_t)(*text - '0');
  return *text == '\0' ? n : 0;
}

int ert_digest_options(int argc, char** argv, ert_digest_job* job, ert_digest_result* result, const char** wrong) {
  int i = 1;
  memset(job, 0, sizeof *job);
  memset(result, 0, sizeof *result);
  result->digest = UINT64_C(0xcbf29ce484222325);
  job->batch = ERT_DIGEST_BATCH;
  job->max_sequence = ERT_DIGEST_MAX_SEQUENCE;
  for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
    uint32_t value = 0;
    if (strcmp(argv[i], "--texts") == 0) value = job->max_texts = number(argv[i + 1]);
    if (strcmp(argv[i], "--isa") == 0) value = job->isa_mask = isa_mask_of(argv[i + 1]);
    if (value == 0) {
      *wrong = argv[i + 1];
      return 0;
    }
  }
  return i;
}
