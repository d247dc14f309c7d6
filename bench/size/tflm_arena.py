"""tflm_arena.py MODEL.tflite: bytes of arena that TFLite Micro takes for the model and one run, printed; in an environment of requirements.txt.

The interpreter writes what it allocated as text. Where it cannot run a model, the last line that it wrote ends this program."""
import os
import re
import subprocess
import sys

TOTAL = re.compile(r"Arena allocation total (\d+) bytes")


def run(path):
    """In a process of its own: the library writes to the file descriptor, and aborts."""
    from tflite_micro.python.tflite_micro import runtime
    interpreter = runtime.Interpreter.from_file(path, arena_size=64 << 20)
    interpreter.invoke()
    interpreter.print_allocations()


def total(text):
    found = TOTAL.findall(text)
    return int(found[-1]) if found else None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if "TFLM_CHILD" in os.environ:
        run(sys.argv[1])
        return
    done = subprocess.run([sys.executable, __file__, sys.argv[1]], capture_output=True, text=True, env={**os.environ, "TFLM_CHILD": "1"})
    found = total(done.stdout + done.stderr)
    if found is None:
        sys.exit((done.stderr.strip().splitlines() or ["nothing was written"])[-1])
    print(found)


if __name__ == "__main__":
    main()
