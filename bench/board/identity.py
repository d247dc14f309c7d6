"""What a machine is, as its kernel tells: architecture, cores, frequencies, governor, the board's name."""
from machines import FAILED, Trouble

SEPARATOR = "--board--"
QUESTIONS = ("uname -m", "cat /proc/cpuinfo", "cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor", "cat /sys/devices/system/cpu/cpu*/cpufreq/cpuinfo_max_freq",
             "tr -d '\\0' < /proc/device-tree/model", "getconf _NPROCESSORS_ONLN",
             "cat /sys/devices/system/cpu/online", "sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status")
# "CPU part" of cores by ARM (implementer 0x41), whose names /proc/cpuinfo does not have.
ARM_PARTS = {0xc05: "Cortex-A5", 0xc07: "Cortex-A7", 0xc08: "Cortex-A8", 0xc09: "Cortex-A9", 0xc0e: "Cortex-A17", 0xc0f: "Cortex-A15",
             0xd03: "Cortex-A53", 0xd04: "Cortex-A35", 0xd05: "Cortex-A55", 0xd07: "Cortex-A57", 0xd08: "Cortex-A72", 0xd09: "Cortex-A73", 0xd0a: "Cortex-A75",
             0xd0b: "Cortex-A76", 0xd0c: "Neoverse N1", 0xd0d: "Cortex-A77", 0xd40: "Neoverse V1", 0xd41: "Cortex-A78", 0xd42: "Cortex-A78AE", 0xd44: "Cortex-X1",
             0xd46: "Cortex-A510", 0xd47: "Cortex-A710", 0xd48: "Cortex-X2", 0xd49: "Neoverse N2", 0xd4d: "Cortex-A715", 0xd4e: "Cortex-X3", 0xd4f: "Neoverse V2",
             0xd80: "Cortex-A520", 0xd81: "Cortex-A720", 0xd82: "Cortex-X4", 0xd8e: "Neoverse N3"}


def fields(cpuinfo, key):
    return [value.strip() for name, _, value in (line.partition(":") for line in cpuinfo.splitlines()) if name.strip() == key]


def core_names(cpuinfo):
    """'Cortex-A53' of each core in order; [] where the kernel names none."""
    models = fields(cpuinfo, "model name")
    parts = fields(cpuinfo, "CPU part")
    if not parts:
        return models or fields(cpuinfo, "uarch")
    makers = fields(cpuinfo, "CPU implementer")
    return [ARM_PARTS.get(int(part, 16), f"ARM part {part}") if int(maker, 16) == 0x41 else f"implementer {maker} part {part}"
            for maker, part in zip(makers, parts)]


def numbered(values):
    """'4 x Cortex-A53 + 2 x Cortex-A72' of a list."""
    return " + ".join(f"{values.count(value)} x {value}" for value in dict.fromkeys(values))


def listed(text):
    """{0, 1, 2, 5} of '0-2,5', as Linux writes sets of cores; empty where it does not."""
    found = set()
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        if not first.isdecimal() or not (last or first).isdecimal():
            return set()
        found |= set(range(int(first), int(last or first) + 1))
    return found


class Identity:
    def __init__(self, answers):
        self.architecture, cpuinfo, governors, frequencies, board, cores, online, allowed = answers
        self.core_names = core_names(cpuinfo)
        self.governors = sorted(set(governors.split()))
        self.frequencies = [int(khz) for khz in frequencies.split()]
        self.board = board
        count = int(cores or 0) or len(self.core_names) or 1
        # The numbers of the cores that are on and that this user's programs may run on: there may be gaps. A quota is what ert-bench itself warns of.
        on, may = listed(online) or set(range(count)), listed(allowed)
        self.usable = sorted(on & may or on)

    def cpu(self, fallback):
        return (f"{self.board}: " if self.board else "") + (numbered(self.core_names) or fallback)

    def governor(self):
        return "+".join(self.governors) or "unknown"

    def cores_differ(self):
        return len(set(self.frequencies)) > 1 or len(set(self.core_names)) > 1

    def advice(self, threads, cpu):
        """What makes its figures worth less."""
        if threads > len(self.usable):
            yield f"{threads} threads on {len(self.usable)} core{'s' if len(self.usable) > 1 else ''}"
        if self.governors and self.governors != ["performance"]:
            yield f"the frequency governor is {self.governor()}: set it to performance, or believe the figures less"
        if self.cores_differ() and threads == 1 and cpu is None:
            yield "its cores differ: --cpu N says on which one to measure"


def of(machine):
    script = f"; echo {SEPARATOR}; ".join(f"{{ {question}; }} 2>/dev/null" for question in QUESTIONS)
    answers = [part.strip() for part in machine.ask(script).stdout.split(SEPARATOR)]
    if len(answers) != len(QUESTIONS) or not answers[0]:
        raise Trouble(FAILED, f"{machine.name} does not tell its architecture (`uname -m`)")
    return Identity(answers)
