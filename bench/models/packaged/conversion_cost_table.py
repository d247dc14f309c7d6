"""One row of conversion_cost.py: a conversion, a pass of ONNX Runtime over inputs of the same shapes, and both against the bounds."""
import os
import time

import convert

PASSES, SECONDS_PER_100_MB = 30, 2.0
FILE_SHARE, MEMORY_BYTES = 1.5, 200e6
TURNS = 3
BEGIN, END = "<!-- conversion cost: begin -->", "<!-- conversion cost: end -->"


def filled(numpy, info, shape, lengths):
    """Of an input of ONNX Runtime: uniform floats; the longest axis for lengths, ones for other integers."""
    kinds = {"tensor(float)": numpy.float32, "tensor(float16)": numpy.float16, "tensor(double)": numpy.float64, "tensor(int64)": numpy.int64,
             "tensor(int32)": numpy.int32, "tensor(bool)": numpy.bool_, "tensor(uint8)": numpy.uint8, "tensor(int8)": numpy.int8}
    kind = kinds[info.type]
    if numpy.issubdtype(kind, numpy.floating):
        return numpy.random.default_rng(1).random(shape, numpy.float32).astype(kind)
    return numpy.full(shape, lengths if "len" in info.name and kind in (numpy.int64, numpy.int32) else 1, kind)


def pinned(numpy, info, row):
    value = {"true": 1, "false": 0}.get(row["value"], row["value"])
    if value is None:
        raise ValueError(f"{info.name} was pinned to the contents of a file")
    kind = {"tensor(float)": numpy.float32, "tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32, "tensor(bool)": numpy.bool_}[info.type]
    return numpy.full(row["shape"], float(value), kind)


def feeds(numpy, inputs, report):
    """[(number of sets, feed)]; inputs: what ONNX Runtime asks for."""
    constants = {row["name"]: row for row in report["pinned_inputs"]}
    made = []
    for group in report["cost"]["validation"]:
        longest = max((max(shape, default=1) for shape in group["inputs"].values()), default=1)
        feed = {}
        for info in inputs:
            if info.name in constants:
                feed[info.name] = pinned(numpy, info, constants[info.name])
            elif info.name in group["inputs"]:
                feed[info.name] = filled(numpy, info, group["inputs"][info.name], longest)
            else:  # of no output that was asked for, or of no use
                feed[info.name] = filled(numpy, info, [size if isinstance(size, int) else 1 for size in info.shape], 1)
        made.append((group["sets"], feed))
    return made


def pass_seconds(path, report):
    """CPU time of one pass at one thread."""
    import numpy
    import running
    session = running.session(path)
    total = 0.0
    for sets, feed in feeds(numpy, session.get_inputs(), report):
        taken = []
        session.run(None, feed)
        for _ in range(TURNS):
            start = time.process_time()
            session.run(None, feed)
            taken.append(time.process_time() - start)
        total += sets * min(taken)
    return total


def bounds(pass_time, file_bytes):
    """(seconds, bytes) that a conversion may take; pass_time None where it is not known."""
    seconds = None if pass_time is None else PASSES * pass_time + SECONDS_PER_100_MB * file_bytes / 1e8
    return seconds, FILE_SHARE * file_bytes + MEMORY_BYTES


def judged(row):
    """Adds the bounds, and whether they are kept."""
    seconds, memory = bounds(row.get("pass_seconds"), row["file_bytes"])
    done = row["code"] == 0
    return {**row, "most_seconds": seconds, "most_bytes": memory, "time_kept": done and seconds is not None and row["cpu_seconds"] <= seconds,
            "memory_kept": done and row["peak_bytes"] <= memory}


def measured_row(edgeconv, name, path, options, blob, timeout, turns):
    best = None
    for _ in range(max(1, turns)):
        done = convert.convert(edgeconv, path, blob, options, timeout)
        if done["code"] != 0 or best is None or done["cpu_seconds"] < best["cpu_seconds"]:
            best = done
        if done["code"] != 0:
            break
    report = best.pop("report")
    row = {"name": name, "file_bytes": os.path.getsize(path), **best}
    if row["code"] == 0:
        row.update({"stages": report["cost"]["stages"], "trials": len(report["ladder"]), "sets": sum(g["sets"] for g in report["cost"]["validation"])})
        try:
            row["pass_seconds"] = pass_seconds(path, report)
        except Exception as error:  # what ONNX Runtime does not take must not end the others
            row["reason"] = f"ONNX Runtime: {error}"
    return judged(row)


def head():
    cells = ("model", "MB", "sets", "trials", "pass s", "CPU s", "passes", "at most s", "kept", "peak MB", "at most MB", "kept")
    return ["| " + " | ".join(cells) + " |", "|" + "---|" * len(cells)]


def line(row):
    def shown(value, digits=1):
        return "-" if value is None else f"{value:.{digits}f}"
    one_pass = row.get("pass_seconds")
    if row["code"] != 0:
        reason = " ".join(row["reason"].split())[:100].replace("|", "/")
        return f"| {row['name']} | {row['file_bytes'] / 1e6:.1f} | exit {row['code']}: {reason} |"
    cells = (row["name"], shown(row["file_bytes"] / 1e6), str(row["sets"]), str(row["trials"]), shown(one_pass, 3), shown(row["cpu_seconds"], 2),
             shown(row["cpu_seconds"] / one_pass if one_pass else None, 0), shown(row["most_seconds"], 2), "yes" if row["time_kept"] else "no",
             shown(row["peak_bytes"] / 1e6, 0), shown(row["most_bytes"] / 1e6, 0), "yes" if row["memory_kept"] else "no")
    return "| " + " | ".join(cells) + " |"


def verdict(rows):
    in_time, in_memory = sum(r["time_kept"] for r in rows), sum(r["memory_kept"] for r in rows)
    return f"{len(rows)} models, {in_time} within the time, {in_memory} within the memory"
