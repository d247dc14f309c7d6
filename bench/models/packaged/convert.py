"""One conversion as a user would call it: exit code, messages, the JSON report, CPU time and memory."""
import json
import os
import subprocess
import sys

# A process that forks from this one inherits its peak of memory, so a small interpreter stands between.
MEASURED = """
import json, resource, subprocess, sys
try:
    code = subprocess.run(sys.argv[3:], timeout=float(sys.argv[2]), stdin=subprocess.DEVNULL).returncode
except subprocess.TimeoutExpired:
    code = None
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(int(sys.argv[1]), "w") as file:
    json.dump({"code": code, "cpu_seconds": used.ru_utime + used.ru_stime, "peak_bytes": used.ru_maxrss * 1024}, file)
"""


def first_reason(stderr):
    """The first lines of an error that say what and why, in one line."""
    lines = [line.strip() for line in stderr.splitlines()]
    for i, line in enumerate(lines):
        if line.startswith("error:"):
            more = [other for other in lines[i + 1:i + 4] if other and not other.startswith(("warning:", "error:", "note:"))]
            return " ".join([line.removeprefix("error:").strip(), *more])
    return next((line for line in lines if line), "no message")


def measured(command, timeout):
    """{code, cpu_seconds, peak_bytes, stdout, stderr}; code None after the time limit."""
    read, write = os.pipe()
    wrapped = [sys.executable, "-S", "-c", MEASURED, str(write), str(timeout), *command]
    done = subprocess.run(wrapped, capture_output=True, text=True, check=False, pass_fds=(write,))
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    if not text:
        return {"code": done.returncode, "cpu_seconds": 0.0, "peak_bytes": 0, "stdout": done.stdout, "stderr": done.stderr}
    return {**json.loads(text), "stdout": done.stdout, "stderr": done.stderr}


def convert(edgeconv, model, blob, options, timeout):
    """{"code", "cpu_seconds", "peak_bytes", "report", "reason"}; report is the converter's JSON, also where a gate was missed."""
    report = blob + ".json"
    for old in (blob, report):
        if os.path.exists(old):
            os.remove(old)
    done = measured([edgeconv, model, "-o", blob, "--report", report, "-q", "--progress", "off", *options], timeout)
    result = {key: done[key] for key in ("code", "cpu_seconds", "peak_bytes")}
    result["reason"] = "" if done["code"] == 0 else first_reason(done["stderr"])
    if done["code"] is None:
        result["reason"] = f"not finished after {timeout} s"
    result["report"] = None
    if os.path.exists(report):
        with open(report, encoding="utf-8") as file:
            result["report"] = json.load(file)
    return result
