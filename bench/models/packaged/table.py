"""Rows as Markdown. Cells are short: a message is cut at 120 characters."""
CELL = 120
HEAD = ("model", "MB", "output", "cosine", "dB", "certified", "largest error", "verdict", "x ORT", "CPU s", "peak MB")


def cell(text, most=CELL):
    """One line without bars, so that no message can break a row."""
    text = " ".join(str(text).split()).replace("|", "/")
    return text if len(text) <= most else text[:most - 3].rstrip() + "..."


def cosine(value):
    """Six digits, as many as there are nines to see."""
    return "1" if value >= 1 - 5e-7 else f"{value:.6f}".rstrip("0").rstrip(".") if value > -1 else str(value)


def number(value, digits=1):
    if value is None:
        return "-"
    return f"{value:.{digits}f}"


def short(value):
    return "-" if value is None else f"{value:.2g}"


def line(cells):
    return "| " + " | ".join(cell(c) for c in cells) + " |"


def output_rows(result):
    """One row per output; what belongs to the model stands in its first row only."""
    speed = result.get("speed", {})
    for i, output in enumerate(result["outputs"]):
        promise = output["promise"]
        shown = [result["name"], number(result["bytes"] / 1e6), *["" for _ in ()]] if i == 0 else ["", ""]
        certified = "not compared" if promise is None else number(promise.get("sqnr_db")) + ("" if promise.get("evidence") == "moves" else " ?")
        row = [*shown, cell(output["name"], 24), cosine(output["cosine"]), number(output["sqnr_db"]), certified,
               f"{short(output['largest_error'])} of {short(output['largest_value'])}", output["verdict"]]
        own = [number(speed.get("ratio"), 2), number(result["cpu_seconds"]), number(result["peak_bytes"] / 1e6, 0)] if i == 0 else ["", "", ""]
        yield [*row, *own]


def outputs_table(results):
    lines = [line(HEAD), "|" + "---|" * len(HEAD)]
    for result in results:
        if result.get("outputs"):
            lines += [line(row) for row in output_rows(result)]
    return lines


def refused_table(results):
    refused = [r for r in results if not r.get("outputs")]
    if not refused:
        return []
    rows = [line([r["name"], number(r["bytes"] / 1e6), "-" if r.get("code") is None else r["code"], r["reason"]]) for r in refused]
    return ["", "Not converted, or not run:", "", line(("model", "MB", "exit", "first message")), "|---|---|---|---|", *rows]


def summary(results):
    """Counts in one sentence."""
    ran = [r for r in results if r.get("outputs")]
    of = {kind: sum(any(o["verdict"] == kind for o in r["outputs"]) for r in ran) for kind in ("wrong", "too good", "warned")}
    right = sum(all(o["verdict"] == "right" for o in r["outputs"]) for r in ran)
    return (f"{len(results)} files, {len(ran)} convert and run. Right in every output: {right}. With an output below .999 that a warning names: "
            f"{of['warned']}; without a warning: {of['wrong']}. Right, but certified more than 3 dB better than it is: {of['too good']}.")


def chain_table(chains, goal):
    if not chains:
        return []
    rows = [line([c["head"], c["clips"], number(c["highest"], 3), number(c["largest_difference"], 4), f"{c['onnxruntime']:.3f} / {c['blob']:.3f}"])
            for c in chains]
    return ["", f"openwakeword from samples to score, all by blobs against all by ONNX Runtime (goal: within {goal}):", "",
            line(("wake word", "clips", "highest score", "largest difference", "there: ORT / blob")), "|---|---|---|---|---|", *rows]


def document(results, chains, facts, goal):
    """The part of README.md between its two marks."""
    return [f"{facts['date']}, commit {facts['commit']}, {facts['cpu']}, {facts['cores']} cores, Python {facts['python']}, "
            f"ONNX Runtime {facts['onnxruntime']}, espeak-ng {facts['espeak']}.", "", summary(results), "", *outputs_table(results),
            *refused_table(results), *chain_table(chains, goal)]


def replaced(text, begin, end, lines):
    """The text with what stands between two marks replaced; the marks must be there once each."""
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise ValueError(f"'{begin}' and '{end}' must stand in the file once each, in this order")
    head, tail = text[:text.index(begin) + len(begin)], text[text.index(end):]
    return head + "\n" + "\n".join(lines) + "\n" + tail
