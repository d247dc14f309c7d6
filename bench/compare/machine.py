"""What the figures were measured on, and how much other processes disturbed the measurement."""
import os
import platform
import resource
import subprocess
import time

# The instruction sets that decide which int8 kernels can run, in the kernel's spelling.
LEVELS = ("avx2", "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16", "amx_int8",
          "neon", "asimd", "asimddp", "i8mm", "sve")


def cpu_fields():
    fields = {}
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            key, _, value = line.partition(":")
            fields.setdefault(key.strip(), value.strip())
    return fields


def governor():
    try:
        with open("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        # Virtual machines do not show it.
        return "unknown"


def describe():
    fields = cpu_fields()
    flags = (fields.get("flags") or fields.get("Features") or "").split()
    return {"cpu": fields.get("model name") or platform.machine(),
            "vendor": fields.get("vendor_id"), "family": fields.get("cpu family"), "model": fields.get("model"),
            "cores": os.cpu_count(), "levels": [name for name in LEVELS if name in flags],
            "hypervisor": "hypervisor" in flags, "governor": governor(), "kernel": platform.release(),
            "python": platform.python_version(), "date": time.strftime("%Y-%m-%d %H:%M")}


def revision(folder):
    """The commit of the checkout, with a + when files differ from it."""
    def git(*arguments):
        return subprocess.run(("git", "-C", folder) + arguments, capture_output=True, text=True, check=True).stdout
    try:
        return git("rev-parse", "--short", "HEAD").strip() + ("+" if git("status", "--porcelain", "-uno") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


class ForeignLoad:
    """Cores' worth of time that other processes took on the given cores while the block ran.

    The busy time of those cores comes from the kernel, including time stolen by other virtual machines; what this process,
    its finished children and those that still run (living_seconds) used is subtracted.
    """

    def __init__(self, cpus, living_seconds):
        self.names = {f"cpu{cpu}" for cpu in cpus}
        self.living_seconds = living_seconds
        self.cores = 0.0

    def busy_seconds(self):
        ticks = 0
        with open("/proc/stat", encoding="utf-8") as file:
            for line in file:
                fields = line.split()
                if fields and fields[0] in self.names:
                    # user, nice and system; then irq, softirq and steal. Idle and I/O wait are left out.
                    ticks += sum(map(int, fields[1:4])) + sum(map(int, fields[6:9]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def own_seconds(self):
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(u.ru_utime + u.ru_stime for u in used) + self.living_seconds()

    def __enter__(self):
        self.start = self.busy_seconds(), self.own_seconds(), time.monotonic()
        return self

    def __exit__(self, *_):
        busy, own, clock = self.start
        foreign = self.busy_seconds() - busy - (self.own_seconds() - own)
        self.cores = max(0.0, foreign / (time.monotonic() - clock))
