#!/usr/bin/env python3
"""Answers of blobs against the pipelines of transformers, on real texts.

    tasks.py WORKDIR [--edgeconv FILE] [--texts N] [--model DIR]

WORKDIR   keeps the models that are made
--model   a folder with a tokenizer.json of WordPiece (all-MiniLM-L6-v2, made by bench/models/minilm.sh); its encoder is the trunk of every model

For classify (softmax and sigmoid), tokens, qa and zero-shot a model is made from the trunk and a head with weights by a seed, exported, converted
with --precision fp32, and asked: the same labels and spans, and scores within 1e-4, are demanded of N texts each (200); of embed the vector of
mean pooling within 1e-4. Needs torch, transformers below 5, onnx; texts are the messages of Debian's catalogs.
EXIT: 0 all equal; 1 differences; 2 wrong options.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def texts(count):
    import texts as lines
    found, _ = lines.real_lines(count * 40, 7)
    decoded = [line.decode() for line in found]
    plain = [t for t in decoded if 20 <= len(t) <= 300 and "\t" not in t and "\0" not in t]
    return plain[:count]


def head_model(name, trunk, workdir):
    """A model folder: the trunk, a head by a seed, and its ONNX file."""
    import torch
    from transformers import AutoConfig, AutoModelForQuestionAnswering, AutoModelForSequenceClassification, AutoModelForTokenClassification, AutoTokenizer
    folder = workdir / name
    if (folder / "model.onnx").exists():
        return folder
    settings = {"classify": dict(id2label={0: "bad", 1: "fair", 2: "good"}), "sigmoid": dict(id2label={0: "a", 1: "b", 2: "c", 3: "d"}, problem_type="multi_label_classification"),
                "tokens": dict(id2label={0: "O", 1: "B-PER", 2: "I-PER", 3: "B-LOC", 4: "I-LOC"}), "qa": {},
                "zero-shot": dict(id2label={0: "contradiction", 1: "neutral", 2: "entailment"})}[name]
    if "id2label" in settings:
        settings["label2id"] = {v: k for k, v in settings["id2label"].items()}
        settings["num_labels"] = len(settings["id2label"])
    kind = {"tokens": AutoModelForTokenClassification, "qa": AutoModelForQuestionAnswering}.get(name, AutoModelForSequenceClassification)
    torch.manual_seed(11)
    model = kind.from_pretrained(trunk, config=AutoConfig.from_pretrained(trunk, **settings)).eval()
    with torch.no_grad():  # heads that decide: random ones of the usual size give every label the same score
        for n, p in model.named_parameters():
            if n.startswith(("classifier", "qa_outputs")) and n.endswith("weight"):
                p.copy_(torch.randn(p.shape) * 0.25)
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(trunk).save_pretrained(folder)
    example = AutoTokenizer.from_pretrained(trunk)("one text", "and its pair", return_tensors="pt")
    names = ["input_ids", "attention_mask", "token_type_ids"]
    outputs = ["start_logits", "end_logits"] if name == "qa" else ["logits"]
    axes = {n: {0: "batch", 1: "sequence"} for n in names + ([] if name in ("classify", "sigmoid", "zero-shot") else outputs)}
    axes.update({n: {0: "batch"} for n in outputs if n not in axes})
    model.config.return_dict = False
    torch.onnx.export(model, tuple(example[n] for n in names), str(folder / "model.onnx"), input_names=names, output_names=outputs, dynamic_axes=axes,
                      opset_version=17, dynamo=False)
    return folder


def converted(edgeconv, model, folder, task, out):
    if not out.exists():
        command = [edgeconv, str(model), "--tokenizer", str(folder), "--task", task, "--precision", "fp32", "-o", str(out), "-q"]
        subprocess.run(command, check=True)
    return out


def answers(edgeconv, blob, lines, *options):
    path = blob.with_suffix(".txt")
    path.write_bytes("".join(line + "\n" for line in lines).encode())
    out = subprocess.run([edgeconv, "run", str(blob), "--text-file", str(path), "--json", *options], check=True, capture_output=True)
    return [json.loads(line) for line in out.stdout.decode().split("\n") if line]


def bytes_of(text, start, end):
    return len(text[:start].encode()), len(text[:end].encode())


class Comparison:
    def __init__(self, task):
        self.task, self.count, self.wrong, self.worst = task, 0, [], 0.0

    def scores(self, text, ours, theirs):
        """Lists of (what, score): the same in the same order, but for neighbours whose scores are equal."""
        self.count += 1
        off = max((abs(a - b) for (_, a), (_, b) in zip(ours, theirs)), default=0)
        self.worst = max(self.worst, off)
        same = [w for w, _ in ours] == [w for w, _ in theirs]
        if not same and len(ours) == len(theirs):
            other = dict(theirs)
            same = all(w in other and abs(other[w] - s) < 1e-4 for w, s in ours)
        if not same or off > 1e-4:
            self.wrong.append((text, ours, theirs))

    def report(self):
        print(f"| {self.task} | {self.count} | {len(self.wrong)} | {self.worst:.1e} |")
        for text, ours, theirs in self.wrong[:3]:
            print(f"  {text!r}\n    ours   {ours}\n    theirs {theirs}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("workdir")
    parser.add_argument("--edgeconv", default=str(HERE.parent.parent / "build" / "release" / "convert" / "edgeconv"))
    parser.add_argument("--texts", type=int, default=200)
    parser.add_argument("--model", required=True)
    o = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    import torch
    import transformers
    from transformers import pipeline
    transformers.logging.set_verbosity_error()
    workdir = pathlib.Path(o.workdir)
    workdir.mkdir(parents=True, exist_ok=True)
    lines = texts(o.texts)
    print(f"transformers {transformers.__version__}, torch {torch.__version__}, {len(lines)} texts of message catalogs, blobs in fp32\n")
    print("| task | texts | different | largest difference of scores |\n|---|---|---|---|")
    failed = 0

    for name in ("classify", "sigmoid"):
        folder = head_model(name, o.model, workdir)
        blob = converted(o.edgeconv, folder / "model.onnx", folder, "classify", workdir / (name + ".ert"))
        pipe = pipeline("text-classification", model=str(folder), top_k=None)
        c = Comparison(name)
        for text, ours, theirs in zip(lines, answers(o.edgeconv, blob, lines), pipe(lines)):
            c.scores(text, [(l["label"], l["score"]) for l in ours["labels"]], [(l["label"], l["score"]) for l in theirs])
        c.report()
        failed += len(c.wrong)

    folder = head_model("tokens", o.model, workdir)
    blob = converted(o.edgeconv, folder / "model.onnx", folder, "tokens", workdir / "tokens.ert")
    pipe = pipeline("token-classification", model=str(folder), aggregation_strategy="simple")
    c = Comparison("tokens")
    for text, ours, theirs in zip(lines, answers(o.edgeconv, blob, lines), pipe(lines)):
        c.scores(text, [((e["label"], e["start"], e["end"]), e["score"]) for e in ours["entities"]],
                 [((e["entity_group"], *bytes_of(text, e["start"], e["end"])), float(e["score"])) for e in theirs])
    c.report()
    failed += len(c.wrong)

    folder = head_model("qa", o.model, workdir)
    blob = converted(o.edgeconv, folder / "model.onnx", folder, "qa", workdir / "qa.ert")
    pipe = pipeline("question-answering", model=str(folder))
    c = Comparison("qa")
    contexts = [" ".join(lines[i:i + 1 + (i * 7) % 40]) for i in range(len(lines))]  # the longest need several windows
    ours = answers(o.edgeconv, blob, [q + "\t" + x for q, x in zip(reversed(lines), contexts)], "--top", "3")
    for question, context, mine in zip(reversed(lines), contexts, ours):
        theirs = pipe(question=question, context=context, top_k=3)
        theirs = theirs if isinstance(theirs, list) else [theirs]
        c.scores(context, [((a["start"], a["end"]), a["score"]) for a in mine["answers"]],
                 [(bytes_of(context, a["start"], a["end"]), a["score"]) for a in theirs])
    c.report()
    failed += len(c.wrong)

    folder = head_model("zero-shot", o.model, workdir)
    blob = converted(o.edgeconv, folder / "model.onnx", folder, "zero-shot", workdir / "zero-shot.ert")
    pipe = pipeline("zero-shot-classification", model=str(folder))
    labels = ["software", "travel", "food", "an error message"]
    c = Comparison("zero-shot")
    for text, mine in zip(lines, answers(o.edgeconv, blob, lines, "--labels", ",".join(labels))):
        theirs = pipe(text, labels)
        c.scores(text, [(l["label"], l["score"]) for l in mine["labels"]], list(zip(theirs["labels"], theirs["scores"])))
    c.report()
    failed += len(c.wrong)

    blob = converted(o.edgeconv, pathlib.Path(o.model).parent / "minilm.onnx", o.model, "embed", workdir / "embed.ert")
    pipe = pipeline("feature-extraction", model=o.model, tokenizer=o.model)
    c = Comparison("embed")
    for text, mine in zip(lines, answers(o.edgeconv, blob, lines)):
        v = torch.tensor(pipe(text)[0]).mean(0)
        v = v / v.norm()
        c.scores(text, list(enumerate(mine["vector"])), list(enumerate(v.tolist())))
    c.report()
    failed += len(c.wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
