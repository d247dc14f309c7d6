"""The goals of speed, all of them: how much longer the fastest int8 peer is to take than edgeconv, by the level that edgeconv runs and, for AVX512-VNNI, by the kind of core.

They are for one thread on an otherwise idle machine; MiniLM's of two threads are MORE_PER_THREAD higher. report.py holds figures to them, plot.py draws them."""
from dataclasses import dataclass

MORE_PER_THREAD = 0.1
# At every shape, and in geometric mean.
MINILM = {"sse41": (1.25, 1.4), "avx2": (1.12, 1.2), "avxvnni": (1.25, 1.4)}
# Zen 5, and Intel's cores with AMX; Intel's without it (Cascade Lake, Ice Lake), where peers' kernels are further from what the core can do. For Zen 4, whose multipliers have
# half the width, there is no goal; nor for CPUs of other makers, which nobody measured.
MINILM_AVX512VNNI, MINILM_CASCADE_LAKE = (1.3, 1.45), (1.5, 1.75)
# At avx2 the fastest peer's products saturate; this is against the one whose do not.
EXACT, MINILM_EXACT = "litert_int8", {"avx2": (1.35, 1.45)}
OTHER_MODELS = 1.2  # at every shape and level
LEVELS = (*MINILM, "avx512vnni")
LEAST_SPEEDUP = 1.85  # of two threads over one, MiniLM at 1x128, where they are two cores


@dataclass(frozen=True)
class Goal:
    every: float
    geomean: float | None = None  # None: no goal
    only: str | None = None       # a peer; None: whichever is fastest


def of_avx512vnni(machine):
    """(every, geomean) of machine.describe()'s CPU; None where there is no goal."""
    if machine["vendor"] == "AuthenticAMD":
        return MINILM_AVX512VNNI if int(machine["family"]) >= 26 else None
    if machine["vendor"] != "GenuineIntel":
        return None
    return MINILM_AVX512VNNI if "amx_int8" in machine["levels"] else MINILM_CASCADE_LAKE


def wanted(model, level, threads, machine):
    """The goals of a model on a level; none where nobody set one."""
    if level not in LEVELS:
        return []
    if model != "minilm":
        return [Goal(OTHER_MODELS)]
    bounds = [(of_avx512vnni(machine) if level == "avx512vnni" else MINILM[level], None), (MINILM_EXACT.get(level), EXACT)]
    return [Goal(*(round(bound + MORE_PER_THREAD * (threads - 1), 2) for bound in pair), only) for pair, only in bounds if pair]
