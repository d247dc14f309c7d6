// A stack for commands where the process's own is limited (ulimit -s).
#pragma once

namespace edgeconv::cli {

// run(argc, argv), on a stack of 8 MB: the caller's where it may grow so far, else that of a thread. Threads that start later have as much. Throws FatalError(kLimit)
// where no memory is left for it. run must not throw.
int run_on_enough_stack(int (*run)(int argc, char** argv), int argc, char** argv);

}  // namespace edgeconv::cli
