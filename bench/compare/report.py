"""The tables and goals, as text, out of the figures that compare.py collected."""
import statistics

from peers import PEERS

# Goals that --check enforces. Those of accuracy are the least that int8 without any calibration data must reach.
LEAST_COSINE, LEAST_SPEARMAN = 0.9990, 0.9988
LARGEST_BLOB = 0.26
ORT_INT8 = ("ort_dyn", "ort_dyn_pc")


def title(name):
    if name.startswith("edgeconv"):
        return name.replace(":", ", ")
    return PEERS[name].title


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


def milliseconds(microseconds):
    return f"{microseconds / 1000:#.3g}"


def round_spread(times):
    """Largest distance between the rounds of one shape, relative to its median: how calm the machine was."""
    return max((max(t["round_medians_us"]) - min(t["round_medians_us"])) / t["median_us"] for t in times.values())


def fastest_peer(results, shape):
    """The fastest int8 peer at one shape, None when none was measured."""
    names = [name for name in results if name in PEERS and PEERS[name].int8]
    return min(names, key=lambda name: results[name][shape]["median_us"], default=None)


def speed_tables(speed, shapes, missing):
    for threads, results in speed["results"].items():
        rows = [[title(name) + (f' ({speed["isa"][name]})' if name in speed["isa"] else "")]
                + [milliseconds(times[shape]["median_us"]) for shape in shapes] + [f"{round_spread(times):.0%}"]
                for name, times in results.items()]
        yield (f"Speed, {threads} thread{'s' if threads > 1 else ''}, ms per call, "
               "median over rounds of the median of a round")
        yield table(["", *shapes, "round spread"], rows + reasons(speed["failed"][threads], missing))
        if threads in speed["foreign"]:
            yield foreign_line(speed["foreign"][threads])
        yield from ratio_table(speed["ratios"].get(threads, {}), results, shapes, threads)


def foreign_line(foreign):
    return (f'Foreign load: {foreign["disturbed"]} of {foreign["runs"]} runs had more than {foreign["limit_cores"]} '
            f'cores of other work beside them (worst {foreign["worst_cores"]} at {foreign["worst_name"]}).')


def ratio_table(ratios, results, shapes, threads):
    if not ratios:
        return
    rows = [[title(name)] + [f"{row[key]:.2f}" for key in (*shapes, "geomean")] for name, row in ratios.items()]
    fastest = {shape: fastest_peer(results, shape) for shape in shapes}
    if all(fastest.values()):
        best = [ratios[fastest[shape]][shape] for shape in shapes]
        rows.append(["fastest int8 peer"] + [f"{value:.2f}" for value in (*best, statistics.geometric_mean(best))])
    yield f"Times slower than edgeconv, {threads} thread{'s' if threads > 1 else ''} (above 1: edgeconv is faster)"
    yield table(["", *shapes, "geomean"], rows)


def accuracy_table(accuracy, missing):
    rows = []
    for name, result in accuracy["results"].items():
        batch = result.get("same_in_batch")
        rows.append([title(name)] + [f"{result[key]:.5f}" for key in ("cosine_mean", "cosine_min", "spearman")]
                    + [f'{result["nearest_same"]:.3f}', f'{batch["same"]}/{batch["of"]}' if batch else "-"])
    yield "Accuracy of the sentence embeddings against ONNX Runtime fp32"
    yield table(["", "cosine mean", "cosine min", "Spearman", "same nearest", "same bits in a batch"],
                rows + reasons(accuracy["failed"], missing))


def same_bits_table(bits):
    modes = next((list(row) for row in bits["isas"].values() if isinstance(row, dict)), [])
    rows = [[isa] + [f'{row[mode]["same"]}/{row[mode]["of"]}' for mode in modes] if isinstance(row, dict)
            else [isa, row] for isa, row in bits["isas"].items()]
    yield "edgeconv, texts whose every output bit is the same as alone at the first ISA level"
    yield table(["ISA", *(modes or ["result"])], rows)


def goals(data, sections):
    """The goals of the sections that were asked for; one whose value is missing counts as missed."""
    found = []

    def goal(text, value, met, form):
        shown = "not measured" if value is None else form.format(value)
        found.append({"met": value is not None and bool(met(value)), "value": value, "text": f"{text}: {shown}"})

    if "accuracy" in sections:
        scores = data.get("accuracy", {}).get("results", {}).get("edgeconv", {})
        goal(f"cosine mean >= {LEAST_COSINE:.4f}", scores.get("cosine_mean"), lambda v: v >= LEAST_COSINE, "{:.5f}")
        goal(f"Spearman >= {LEAST_SPEARMAN:.4f}", scores.get("spearman"), lambda v: v >= LEAST_SPEARMAN, "{:.5f}")
    if "speed" in sections:
        ratios = data.get("speed", {}).get("ratios", {}).get(1, {})
        # The faster of ONNX Runtime's two forms is the one to beat.
        against = [ratios[name]["1x128"] for name in ORT_INT8 if "1x128" in ratios.get(name, {})]
        goal("1 thread, 1x128: ONNX Runtime dynamic int8 / edgeconv >= 1.00", min(against, default=None),
             lambda v: v >= 1.0, "{:.2f}")
    if "bits" in sections:
        goal("identical bits", data.get("same_bits", {}).get("identical"), bool, "{}")
    goal(f"blob <= {LARGEST_BLOB} of the fp32 file", data.get("size", {}).get("ratio"), lambda v: v <= LARGEST_BLOB,
         "{:.4f}")
    return found


def goal_lines(found):
    return "\n".join(f'{"PASS" if goal["met"] else "FAIL"} {goal["text"]}' for goal in found)
