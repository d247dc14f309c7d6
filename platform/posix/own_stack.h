/* A stack for programs where the process's own is limited (ulimit -s). SPDX-License-Identifier: Apache-2.0 */
#ifndef ERT_PLATFORM_OWN_STACK_H
#define ERT_PLATFORM_OWN_STACK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sets *code to run(argc, argv), which must not throw and is called on a stack of 8 MB: the caller's where it may grow so far, else that of a thread. Threads that start
 * later have as much. Returns 0 where no memory is left for it; then run was not called. Once, before there are other threads. */
int ert_run_on_enough_stack(int (*run)(int argc, char** argv), int argc, char** argv, int* code);

#ifdef __cplusplus
}
#endif

#endif /* ERT_PLATFORM_OWN_STACK_H */
