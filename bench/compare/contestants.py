"""The programs that speed.py times: each does one short series of calls at one shape when told to, and rests meanwhile."""
import ctypes
import json
import os
import selectors
import signal
import subprocess

import ours
from peers import python_of

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT = 300
# A series: long enough for a median, short enough that all contestants meet the machine in the same state.
SECONDS, LEAST_CALLS, MOST_CALLS, WARMUP_CALLS = 0.08, 3, 200, 3


PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)


def bound_to(cpus):
    """To run in a child before its program starts, so that its start-up and all its threads stay on these cores."""
    def prepare():
        os.sched_setaffinity(0, cpus)
        # A stopped process notices nothing, not even that its parent is gone.
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    return prepare


def move(pid, cpus):
    """All threads of a process to these cores."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            os.sched_setaffinity(int(thread), cpus)
        except ProcessLookupError:
            pass  # it ended meanwhile


class Edgeconv:
    """A fresh ert-bench per series: it opens a blob in milliseconds."""

    def __init__(self, blob, threads, isa=None):
        self.blob, self.threads, self.isa = blob, threads, isa
        self.calls = {}

    def load(self, shape):
        self.series(shape, os.sched_getaffinity(0))

    def series(self, shape, cpus):
        """{"median_us", "least_us"}, or raises ours.Failed."""
        command = ours.bench_command(self.blob, shape, self.threads, WARMUP_CALLS, self.calls.get(shape, LEAST_CALLS), self.isa)
        times, self.isa = ours.bench_results(ours.call(command, preexec_fn=bound_to(cpus)))
        self.calls[shape] = max(LEAST_CALLS, min(MOST_CALLS, int(SECONDS * 1e6 / times["median_us"])))
        return times

    def cpu_seconds(self):
        return 0.0  # every ert-bench has ended: the system counts it as a child

    def close(self):
        pass


class Peer:
    """A peer_worker.py that stays, because loading takes seconds; it is stopped between its series, so that it cannot spin."""

    isa = None

    def __init__(self, work, model, name, threads, environment=None):
        command = [python_of(work, name), "-W", "ignore", os.path.join(HERE, "peer_worker.py"), "speed", work, model.name, name,
                   str(threads)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**os.environ, **(environment or {})},
                                        preexec_fn=bound_to(sorted(os.sched_getaffinity(0))[:threads]))
        self.cpus = sorted(os.sched_getaffinity(0))[:threads]
        self.noise = b""
        self.selector = selectors.DefaultSelector()
        for stream in (self.process.stdout, self.process.stderr):
            os.set_blocking(stream.fileno(), False)
            self.selector.register(stream, selectors.EVENT_READ)

    def load(self, shape):
        self.ask({"shape": shape, "seconds": 0, "least_calls": 1, "most_calls": 1, "warmup_calls": 0})

    def series(self, shape, cpus):
        """{"median_us", "least_us"}, or raises ours.Failed."""
        # A peer may have bound its threads to single cores of all; that is its own choice.
        if sorted(cpus) != self.cpus:
            move(self.process.pid, cpus)
            self.cpus = sorted(cpus)
        return self.ask({"shape": shape, "seconds": SECONDS, "least_calls": LEAST_CALLS, "most_calls": MOST_CALLS,
                         "warmup_calls": WARMUP_CALLS})

    def ask(self, order):
        try:
            self.process.send_signal(signal.SIGCONT)
            self.process.stdin.write(json.dumps(order).encode() + b"\n")
            self.process.stdin.flush()
            result = self.answer()
            self.process.send_signal(signal.SIGSTOP)
        except BrokenPipeError:
            raise self.failure("ended early") from None
        return result

    def answer(self):
        """The next line that is a result; the libraries print notices of their own."""
        pending = b""
        while True:
            ready = self.selector.select(TIMEOUT)
            if not ready:
                raise self.failure(f"no result after {TIMEOUT} s")
            for key, _ in ready:
                part = key.fileobj.read()
                if part == b"":
                    raise self.failure("ended early")
                if key.fileobj is self.process.stderr:
                    self.noise = (self.noise + (part or b""))[-4096:]
                    continue
                pending += part or b""
            *lines, pending = pending.split(b"\n")
            for line in lines:
                if line.startswith(b'{"median_us"'):
                    return json.loads(line)
                self.noise = (self.noise + line + b"\n")[-4096:]

    def failure(self, what):
        lines = self.noise.decode(errors="replace").strip().splitlines()
        return ours.Failed(None, what + (f": {lines[-1][:200]}" if lines else ""))

    def cpu_seconds(self):
        """Of all its threads so far."""
        try:
            with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        self.process.kill()
        self.process.communicate()
        self.selector.close()
