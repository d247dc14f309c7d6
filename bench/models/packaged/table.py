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


def ratio(speed):
    beside_fp32 = speed.get("beside_fp32")
    return number(speed.get("ratio"), 2) + (f" (fp32 {beside_fp32:.2f})" if beside_fp32 else "")


def output_rows(result):
    """One row per output; what belongs to the model stands in its first row only."""
    speed = result.get("speed", {})
    for i, output in enumerate(result["outputs"]):
        promise = output["promise"]
        shown = [result["name"], number(result["bytes"] / 1e6), *["" for _ in ()]] if i == 0 else ["", ""]
        certified = "not compared" if promise is None else number(promise.get("sqnr_db")) + ("" if promise.get("evidence") == "moves" else " ?")
        row = [*shown, cell(output["name"], 24), cosine(output["cosine"]), number(output["sqnr_db"]), certified,
               f"{short(output['largest_error'])} of {short(output['largest_value'])}", output["verdict"]]
        own = [ratio(speed), number(result["cpu_seconds"]), number(result["peak_bytes"] / 1e6, 0)] if i == 0 else ["", "", ""]
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


def summary_of(verdicts, refused):
    """Counts in one sentence. verdicts: a set of those of its outputs for each model that ran; refused: how many did not."""
    of = {kind: sum(kind in some for some in verdicts) for kind in ("wrong", "too good", "warned")}
    right = sum(some == {"right"} for some in verdicts)
    return (f"{len(verdicts) + refused} files, {len(verdicts)} convert and run. Right in every output: {right}. With an output below .999 that a warning "
            f"names: {of['warned']}; without a warning: {of['wrong']}. Right, but certified more than 3 dB better than it is: {of['too good']}.")


def summary(results):
    ran = [r for r in results if r.get("outputs")]
    return summary_of([{o["verdict"] for o in r["outputs"]} for r in ran], len(results) - len(ran))


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


def models_of_rows(rows):
    """{model: its rows}, in order; rows after the first of a model have no name."""
    models = {}
    for row in rows:
        name = row.split("|")[1].strip()
        if name:
            current = models.setdefault(name, [])
        current.append(row)
    return models


def renewed(lines, results, facts, order):
    """A document of before with the rows of these models instead of its own, each at its place by `order`, and a line that says which are newer."""
    refused = [r["name"] for r in results if not r.get("outputs")]
    if refused:
        raise ValueError(f"not converted, or not run: {', '.join(refused)}; such rows come into the whole table only")
    begin = lines.index(line(HEAD)) + 2
    end = next((i for i in range(begin, len(lines)) if not lines[i].startswith("|")), len(lines))
    models = {**models_of_rows(lines[begin:end]), **{cell(r["name"]): outputs_table([r])[2:] for r in results}}
    place = {cell(name): i for i, name in enumerate(order)}
    rows = [row for name in sorted(models, key=lambda name: place.get(name, len(place))) for row in models[name]]
    verdicts = [{row.split("|")[HEAD.index("verdict") + 1].strip() for row in of} for of in models.values()]
    counts = next(i for i, text in enumerate(lines) if " convert and run. " in text)
    files, ran = (int(part.split()[-1]) for part in lines[counts].split(" convert and run.")[0].split(" files,"))
    newer = f"Newer rows, {facts['date']}, commit {facts['commit']}: {'; '.join(r['name'] for r in results)}."
    head = lines[:counts] + [summary_of(verdicts, files - ran), "", newer] + lines[counts + 1:begin]
    return head + rows + lines[end:]


def between(text, begin, end):
    """The lines between two marks."""
    return text[text.index(begin) + len(begin):text.index(end)].strip("\n").split("\n")


def replaced(text, begin, end, lines):
    """The text with what stands between two marks replaced; the marks must be there once each."""
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise ValueError(f"'{begin}' and '{end}' must stand in the file once each, in this order")
    head, tail = text[:text.index(begin) + len(begin)], text[text.index(end):]
    return head + "\n" + "\n".join(lines) + "\n" + tail
