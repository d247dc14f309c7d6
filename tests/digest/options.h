/* The options of the digest programs: [--isa NAME] [--texts N]. */
#ifndef ERT_TESTS_DIGEST_OPTIONS_H
#define ERT_TESTS_DIGEST_OPTIONS_H

#include "tests/digest/digest.h"

/* Fills a job and a result with what all programs start from, then with the options of argv[1..]. Returns the index of the first
 * argument that is none, or 0 after setting *wrong to the one that is not understood. */
int ert_digest_options(int argc, char** argv, ert_digest_job* job, ert_digest_result* result, const char** wrong);

#endif /* ERT_TESTS_DIGEST_OPTIONS_H */
