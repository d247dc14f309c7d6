"""The tables and goals, as text, out of the figures that compare.py collected."""
import statistics

import goals as speed_goal
from cores import WHOLE
from peers import HELD, PEERS, peer_of
from speed import BASE, fastest_int8, rivals
import levels

# Goals that --check enforces, besides those of speed in goals.py. Those of accuracy are the least that int8 without any
# calibration data must reach.
LEAST_COSINE, LEAST_SPEARMAN = 0.9990, 0.9988
LARGEST_BLOB = 0.26
MOST_START_MS, MOST_OTHER_BYTES = 30, 2 * 10**6


def title(name):
    if name.startswith("edgeconv"):
        return name.replace(":", ", ")
    return peer_of(name).title + (", without AMX" if name.endswith(HELD) else "")


def table(head, rows):
    """Markdown with columns padded, so that it also reads well in a terminal.

    A row of two cells is a name and the reason why it has no figures; the reason may run across the columns.
    """
    cells = [head] + [[str(cell) for cell in row] for row in rows]
    full = [row for row in cells if len(row) == len(head)]
    widths = [max(len(row[column]) for row in full) for column in range(len(head))]
    widths[0] = max(len(row[0]) for row in cells)
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def reasons(*groups):
    """Rows for what has no figures, out of {name: reason}."""
    return [[title(name), reason] for group in groups for name, reason in group.items()]


def threads_text(threads):
    return f"{threads} thread{'s' if threads > 1 else ''}"


def milliseconds(microseconds):
    return f"{microseconds / 1000:#.3g}"


def turn_spread(times):
    """Largest distance between the quartiles of the turns of one shape, relative to its median: how calm the machine was."""
    def spread(t):
        lower, _, upper = statistics.quantiles(t["turn_medians_us"], n=4) if len(t["turn_medians_us"]) > 1 else (0, 0, 0)
        return (upper - lower) / t["median_us"]
    return max(map(spread, times.values()))


def speed_tables(speed, shapes, missing):
    for threads, results in speed["results"].items():
        rows = [[title(name) + (f' ({speed["isa"][name]})' if name in speed["isa"] else "")]
                + [milliseconds(times[shape]["median_us"]) for shape in shapes] + [f"{turn_spread(times):.0%}"]
                for name, times in results.items()]
        yield (f"Speed, {threads_text(threads)}, ms per call, "
               "median over turns of the median of a series")
        yield table(["", *shapes, "turn spread"], rows + reasons(speed["failed"][threads], missing))
        yield from ratio_table(speed["ratios"].get(threads, {}), shapes, threads)
    if speed["speedup"]:
        yield "Times faster on 2 threads than on 1, edgeconv, median over turns"
        yield table([*shapes, "geomean"], [[f'{speed["speedup"][key]:.2f}' for key in (*shapes, "geomean")]])
    yield foreign_line(speed["foreign"])
    yield shared_line(speed["shared"])


def foreign_line(foreign):
    return (f'Foreign load: {foreign["disturbed"]} of {foreign["turns"]} turns had more than {foreign["limit_cores"]} '
            f'cores of other work beside them (worst {foreign["worst_cores"]} at {foreign["worst_shape"]}).')


def shared_line(shared):
    if shared is None:
        return "Neighbours: not measured, there is no core_probe for this machine."
    line = (f'Neighbours: {shared["shared"]} of {shared["series"]} series had cores that gave less than {WHOLE:.0%} of the best '
            "arithmetic before or after; ratios leave their turns out")
    if shared["unfiltered"]:
        line += f', except where that leaves too few: {", ".join(shared["unfiltered"])}'
    return line + "."


def held_too(ratios):
    """Goals and best rows come twice where a rival was also measured without AMX."""
    return (False, True) if any(name.endswith(HELD) for name in ratios) else (False,)


def held_text(held):
    return ", without AMX where it can be" if held else ""


def ratio_table(ratios, shapes, threads):
    if not ratios:
        return
    rows = [[title(name)] + [f"{row[key]:.2f}" for key in (*shapes, "geomean")] for name, row in ratios.items()]
    for held in held_too(ratios):
        best = [fastest_int8(ratios, shape, held) for shape in shapes]
        if all(best):
            values = [ratio for _, ratio in best]
            rows.append(["fastest int8 peer" + held_text(held)]
                        + [f"{value:.2f}" for value in (*values, statistics.geometric_mean(values))])
    yield f"Times slower than edgeconv, {threads_text(threads)}, median over turns of the ratio within a turn (above 1: edgeconv is faster)"
    yield table(["", *shapes, "geomean"], rows)


def level_table(found, shapes):
    yield "Times slower than edgeconv, as on CPUs whose best level it is: the fastest int8 peer at each shape (above 1: edgeconv is faster)"
    rows = []
    for only in (None, *found_peers(found)):
        rows += [[level, threads, "fastest" if only is None else peer, *[f"{value:.2f}" for value in (*values, statistics.geometric_mean(values))]]
                 for level, threads, peer, values in levels.rows(found, shapes, only)]
    rows.sort(key=lambda row: (list(found).index(row[0]), row[1]))
    yield table(["level", "threads", "peer", *shapes, "geomean"], rows)
    for level, result in found.items():
        yield f"{level}: " + foreign_line(result["foreign"]) + " " + shared_line(result["shared"])
        for threads, failed in result["failed"].items():
            yield from [f"{level}, {threads_text(threads)}: {title(name)} failed: {reason}" for name, reason in failed.items()]


def found_peers(found):
    return list(dict.fromkeys(name for result in found.values() for ratios in result["ratios"].values() for name in ratios))


def rival_text(goal):
    return PEERS[goal.only].title if goal.only else "fastest int8 peer"


def wanted_goals(goals, model, level, threads, machine):
    """Those of goals.py; where there are none, that is told."""
    wanted = speed_goal.wanted(model.name, level, threads, machine)
    if not wanted:
        goals.nobody_set(f"{level} on this kind of core, {threads_text(threads)}, fastest int8 peer / edgeconv")
    return wanted


def level_goals(goals, model, found, machine):
    for level, result in found.get("levels", {}).items():
        for threads in result["results"]:
            for goal in wanted_goals(goals, model, level, threads, machine):
                values = next((values for _, count, _, values in levels.rows({level: result}, found["shapes"], goal.only) if count == threads), None)
                name = f"{level}, {threads_text(threads)}, {rival_text(goal)} / edgeconv"
                goals.least(f"{name} at every shape", min(values) if values else None, goal.every)
                if goal.geomean is not None:
                    goals.least(f"{name}, geomean", statistics.geometric_mean(values) if values else None, goal.geomean)


def accuracy_table(accuracy, missing):
    results = accuracy["results"]
    if any("spearman" in result for result in results.values()):
        head, keys = ["cosine mean", "cosine min", "Spearman"], ("cosine_mean", "cosine_min", "spearman")
        yield "Accuracy of the sentence embeddings against ONNX Runtime fp32"
    else:
        head, keys = ["cosine mean", "cosine min", "relative error"], ("cosine_mean", "cosine_min", "error_mean")
        yield "Accuracy of whole outputs of random samples against ONNX Runtime fp32"
    rows = []
    for name, result in results.items():
        row = [title(name)] + [f"{result[key]:.5f}" for key in keys]
        if "nearest_same" in result:
            batch = result.get("same_in_batch")
            row += [f'{result["nearest_same"]:.3f}', f'{batch["same"]}/{batch["of"]}' if batch else "-"]
        rows.append(row)
    if "spearman" in keys:
        head += ["same nearest", "same bits in a batch"]
    yield table(["", *head], rows + reasons(accuracy["failed"], missing))


def same_bits_table(bits):
    modes = next((list(row) for row in bits["isas"].values() if isinstance(row, dict)), [])
    rows = [[isa] + [f'{row[mode]["same"]}/{row[mode]["of"]}' for mode in modes] if isinstance(row, dict)
            else [isa, row] for isa, row in bits["isas"].items()]
    yield "edgeconv, samples whose every output bit is the same as alone at the first ISA level"
    yield table(["ISA", *(modes or ["result"])], rows)


def mebibytes(count):
    return f"{count / 2**20:.2f}"


def start_table(start, missing):
    rows = []
    for name, result in start["results"].items():
        parts = [mebibytes(result[key]) if key in result else "-"
                 for key in ("resident_blob_bytes", "resident_arena_bytes", "other_bytes")]
        rows.append([title(name), f'{result["first_output_ms"]:.1f}', f'{result["least_ms"]:.1f}',
                     mebibytes(result["resident_bytes"]), *parts])
    yield "First output, 1x128, 1 thread, files in the page cache: ms (median, least), resident MiB, of which weights, arena, other"
    yield table(["", "ms", "least", "MiB", "weights", "arena", "other"], rows + reasons(start["failed"], missing))


class Goals:
    """Collects goals; one whose value is missing counts as missed. Where nobody set one, "met" is None, so that it is seen and fails nothing."""

    def __init__(self):
        self.found = []

    def add(self, text, value, met, form):
        shown = "not measured" if value is None else form.format(value)
        self.found.append({"met": value is not None and bool(met(value)), "value": value, "text": f"{text}: {shown}"})

    def nobody_set(self, text):
        self.found.append({"met": None, "value": None, "text": text + ": there is no goal"})

    def least(self, text, value, bound, form="{:.2f}"):
        self.add(f"{text} >= {bound}", value, lambda v: v >= bound, form)

    def most(self, text, value, bound, form="{:.2f}"):
        self.add(f"{text} <= {bound}", value, lambda v: v <= bound, form)


def ratios_to_rivals(goal, threads, speed, shapes, held=False):
    """Ratio to the fastest rival of each shape, or None when edgeconv or all rivals are missing, or one failed on the way."""
    def is_rival(name):
        return PEERS[name].int8 if goal.only is None else name == goal.only
    failed = speed.get("failed", {}).get(threads, {})
    if rivals(failed, is_rival, held):
        return None
    rows = rivals(speed.get("ratios", {}).get(threads, {}), is_rival, held).values()
    return {shape: min(row[shape] for row in rows) for shape in shapes} if rows and shapes else None


def speed_goals(goals, model, found, machine):
    """Those of the level that edgeconv ran, the best of this CPU."""
    speed, shapes = found.get("speed", {}), found["shapes"]
    level = speed.get("isa", {}).get(BASE)
    if level is None:
        goals.add("fastest int8 peer / edgeconv at this CPU's level", None, bool, "{}")
    for threads in speed.get("results", {}) if level is not None else ():
        for goal in wanted_goals(goals, model, level, threads, machine):
            for held in held_too(speed.get("ratios", {}).get(threads, {})) if goal.only is None else (False,):
                worst = ratios_to_rivals(goal, threads, speed, shapes, held)
                name = f"{level}, {threads_text(threads)}, {rival_text(goal)}{held_text(held)} / edgeconv"
                at = min(worst, key=worst.get) if worst else None
                goals.least(f"{name} at every shape" + (f" (least at {at})" if at else ""), worst[at] if worst else None, goal.every)
                if goal.geomean is not None:
                    goals.least(f"{name}, geomean", statistics.geometric_mean(worst.values()) if worst else None, goal.geomean)
    if model.name == "minilm" and "1x128" in shapes and {1, 2} <= set(speed.get("results", {})):
        goals.least("1x128, 1 thread / 2 threads", speed["speedup"].get("1x128"), speed_goal.LEAST_SPEEDUP)


def accuracy_goals(goals, model, found):
    results = found.get("accuracy", {}).get("results", {})
    ours = results.get("edgeconv", {})
    if model.name == "minilm":
        goals.least("cosine mean", ours.get("cosine_mean"), LEAST_COSINE, "{:.5f}")
        goals.least("Spearman", ours.get("spearman"), LEAST_SPEARMAN, "{:.5f}")
        best = max((result["cosine_mean"] for name, result in results.items() if name in PEERS and PEERS[name].int8), default=None)
        lead = ours["cosine_mean"] - best if ours and best is not None else None
        goals.least("cosine mean, lead over the most accurate int8 peer", lead, 0.0, "{:+.5f}")


def goals(model, found, sections, machine):
    """The goals of the sections that were asked for, on that machine (machine.describe())."""
    goals = Goals()
    if "accuracy" in sections:
        accuracy_goals(goals, model, found)
    if "speed" in sections:
        speed_goals(goals, model, found, machine)
    if "levels" in sections:
        level_goals(goals, model, found, machine)
    if "bits" in sections:
        goals.add("identical bits", found.get("same_bits", {}).get("identical"), bool, "{}")
    if "start" in sections and model.name == "minilm":
        ours = found.get("start", {}).get("results", {}).get("edgeconv", {})
        goals.most("first output, ms", ours.get("first_output_ms"), MOST_START_MS, "{:.1f}")
        goals.most("resident bytes besides weights and arena", ours.get("other_bytes"), MOST_OTHER_BYTES, "{:,}")
    goals.most("blob / fp32 file", found.get("size", {}).get("ratio"), LARGEST_BLOB, "{:.4f}")
    return goals.found


SHOWN = {True: "PASS", False: "FAIL", None: "----"}


def goal_lines(found):
    return "\n".join(f'{SHOWN[goal["met"]]} {goal["text"]}' for goal in found)
