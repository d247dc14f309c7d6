"""compare.py EDGECONV WORK [--lines N] [--hostile N] [--kinds a,b] [--seed N]: `edgeconv tokenize` against Hugging Face `tokenizers` and `sentencepiece`,
line by line: ids, type ids, masks, offsets, pairs, and the text of ids. Prints lines, languages, differences and the time of both for each tokenizer.
Exit 1 if one line differs, or if a tokenizer that was broken on purpose does not. Packages: requirements.txt of this folder; `./test.sh --text` makes an environment for them."""
import argparse
import codecs
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
import sentencepiece  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

import kinds  # noqa: E402
import texts  # noqa: E402


CHUNK = 50000        # lines that are compared at once: encodings of the reference take kilobytes each
SPEED_LINES = 20000  # of the real ones


def character_starts(line):
    """Where each character of bytes.decode('utf-8', 'replace') begins, and the end."""
    if line.isascii():
        return range(len(line) + 1)
    bad = []

    def note(e):
        bad.append((e.start, e.end))
        return "\ufffd", e.end

    codecs.register_error("note", note)
    text = line.decode("utf-8", "note")
    starts, at, bad = [], 0, dict(bad)
    for c in text:
        starts.append(at)
        at = bad[at] if at in bad else at + len(c.encode())
    return starts + [at]


def byte_spans(offsets, special, sequences, lines):
    starts = [character_starts(line) for line in lines]
    out = []
    for (a, b), s, q in zip(offsets, special, sequences):
        out.append([0, 0] if s else [starts[q][min(a, len(starts[q]) - 1)], starts[q][min(b, len(starts[q]) - 1)]])
    return out


def reference_json(e, lines):
    sequences = [q if q is not None else 0 for q in e.sequence_ids] if len(lines) == 2 else [0] * len(e.ids)
    return {"ids": e.ids, "type_ids": e.type_ids, "attention_mask": e.attention_mask, "special_tokens_mask": e.special_tokens_mask,
            "offsets": byte_spans(e.offsets, e.special_tokens_mask, sequences, lines)}


def as_printed(row):
    """The line that `edgeconv tokenize --json` prints of it: comparing strings costs a tenth of reading them."""
    return "{" + ", ".join(f'"{key}": {values}' for key, values in row.items()) + "}"


def start_edgeconv(program, path, lines, *options):
    """Runs beside the reference. Gives a function that waits for the lines of the answer."""
    source, answer = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    source.write(b"".join(line + b"\n" for line in lines))
    source.seek(0)
    r = subprocess.Popen([program, "tokenize", str(path), *options], stdin=source, stdout=answer, stderr=subprocess.PIPE)

    def wait():
        said = r.communicate()[1]
        if r.returncode != 0:
            raise SystemExit(f"{path}: exit {r.returncode}: {said.decode()}")
        answer.seek(0)
        found = answer.read().decode("utf-8").split("\n")[:-1]
        if len(found) != len(lines):
            raise SystemExit(f"{path}: {len(lines)} lines became {len(found)}")
        return found
    return wait


def compare_rows(name, found, wanted, lines_of, report):
    """wanted: rows of the reference, made one by one."""
    wrong = 0
    for i, (f, w) in enumerate(zip(found, wanted)):
        if f == as_printed(w):
            continue
        f = json.loads(f)
        key = next((key for key in w if f[key] != w[key]), "form of the line")
        wrong += 1
        report(name, key, b"\t".join(lines_of(i)), f.get(key), w.get(key))
    return wrong


def compare_decoded(program, name, path, ids, texts_of_ids, report):
    found = start_edgeconv(program, path, [json.dumps(i).encode() for i in ids], "--decode")()
    wrong = 0
    for i, f, w in zip(ids, found, texts_of_ids):
        if json.loads(f) != w:
            wrong += 1
            report(name, "decode", json.dumps(i).encode(), json.loads(f), w)
    return wrong


class HuggingFace:
    def __init__(self, path):
        self.path = path
        self.whole = Tokenizer.from_file(str(path)) if path.suffix == ".json" else bert_of(path)
        self.whole.no_truncation()
        self.whole.no_padding()

    def compare(self, program, name, lines, report):
        found = start_edgeconv(program, self.path, lines, "--json")
        pairs = [(a.replace(b"\t", b" "), b.replace(b"\t", b" ")) for a, b in zip(lines[::20], lines[1::20]) if len(a) + len(b) < 5000]
        wanted = self.whole.encode_batch([line.decode("utf-8", "replace") for line in lines])
        wrong = compare_rows(name, found(), (reference_json(w, [line]) for line, w in zip(lines, wanted)), lambda i: [lines[i]], report)
        found = start_edgeconv(program, self.path, [a + b"\t" + b for a, b in pairs], "--json", "--pair")
        wanted_pairs = self.whole.encode_batch([(a.decode("utf-8", "replace"), b.decode("utf-8", "replace")) for a, b in pairs])
        wrong += compare_rows(name + " pair", found(), (reference_json(w, pair) for pair, w in zip(pairs, wanted_pairs)), lambda i: pairs[i], report)
        ids = [w.ids for w in wanted[::10]]
        return wrong + compare_decoded(program, name, self.path, ids, self.whole.decode_batch(ids), report)

    def seconds(self, lines):
        decoded = [line.decode("utf-8", "replace") for line in lines]
        start = time.perf_counter()
        self.whole.encode_batch(decoded)
        return time.perf_counter() - start


class SentencePiece:
    def __init__(self, path):
        self.path = path
        self.p = sentencepiece.SentencePieceProcessor(model_file=str(path))

    def compare(self, program, name, lines, report):
        found = start_edgeconv(program, self.path, lines)
        wanted = [self.p.encode(line) for line in lines]
        wrong = 0
        for line, f, w in zip(lines, found(), wanted):
            if f != str(w):
                wrong += 1
                f = json.loads(f)
                report(name, "ids", line, f, w)
        ids = wanted[::10]
        return wrong + compare_decoded(program, name, self.path, ids, [self.p.decode(i) for i in ids], report)

    def seconds(self, lines):
        start = time.perf_counter()
        self.p.encode(lines, num_threads=1)
        return time.perf_counter() - start


def speed_ratio(program, reference, lines):
    """Times as fast as the reference's batch call on the same lines, one thread each, in turns: the best of three of each."""
    ours, theirs = [], []
    for _ in range(3):
        theirs.append(reference.seconds(lines))
        r = subprocess.run([program, str(reference.path)], input=b"".join(line + b"\n" for line in lines), capture_output=True, check=True)
        ours.append(float(r.stdout.split()[0]))
    return min(theirs) / min(ours)


def bert_of(path):
    from tokenizers.implementations import BertWordPieceTokenizer
    return BertWordPieceTokenizer(str(path))._tokenizer


def canary(program, reference, folder, lines):
    """Whether a tokenizer with one wrong table is found: two pieces have changed their ids."""
    whole = json.loads(reference.path.read_text())
    vocabulary = whole["model"]["vocab"]
    common = sorted((p for p in vocabulary if p.isalpha()), key=lambda p: (-sum(line.count(p.encode()) for line in lines[:2000]), p))[:2]
    vocabulary[common[0]], vocabulary[common[1]] = vocabulary[common[1]], vocabulary[common[0]]
    intact, reference.path = reference.path, folder / "canary.json"
    reference.path.write_text(json.dumps(whole))
    wrong = reference.compare(program, "canary", lines, lambda *_: None)
    reference.path = intact
    print(f"canary: {common[0]!r} and {common[1]!r} with each other's ids: {wrong} differences", flush=True)
    return wrong


def main():
    a = argparse.ArgumentParser()
    a.add_argument("edgeconv")
    a.add_argument("work", type=pathlib.Path)
    a.add_argument("--speed", help="the program text_speed: also prints how much faster the lines become ids than in one call of the reference")
    a.add_argument("--lines", type=int, default=20000)
    a.add_argument("--hostile", type=int, default=2000)
    a.add_argument("--kinds", default=",".join(kinds.KINDS))
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--show", type=int, default=3, help="differences shown of each kind")
    o = a.parse_args()
    lines, languages = texts.real_lines(o.lines, o.seed)
    hostile = texts.hostile_lines(o.hostile, o.seed)
    everything = lines + hostile
    training = None
    shown, failed = {}, 0

    def report(name, key, line, found, wanted):
        shown[name] = shown.get(name, 0) + 1
        if shown[name] <= o.show:
            print(f"  {name} {key}: {line[:120]!r}\n    found  {str(found)[:300]}\n    wanted {str(wanted)[:300]}", flush=True)

    for name in o.kinds.split(","):
        folder = o.work / name
        folder.mkdir(parents=True, exist_ok=True)
        note = folder / "path.txt"
        if not note.exists():
            if training is None:
                training = [t.decode() for t in texts.real_lines(60000, 77)[0]]
            note.write_text(str(kinds.KINDS[name](folder, training)))
        path = pathlib.Path(note.read_text())
        reference = (SentencePiece if path.suffix == ".model" or ".model." in path.name else HuggingFace)(path)
        wrong = 0
        try:
            for i in range(0, len(everything), CHUNK):
                wrong += reference.compare(o.edgeconv, name, everything[i:i + CHUNK], report)
        except SystemExit as e:
            wrong = -1
            print(f"  {name}: {e}")
        failed += wrong != 0
        speed = f"; {speed_ratio(o.speed, reference, lines[:SPEED_LINES]):.1f} times as fast" if o.speed and wrong >= 0 else ""
        print(f"{name:20} {len(lines)} lines in {languages} languages, {len(hostile)} hostile: {wrong} differences{speed}", flush=True)
    named = [k for k in o.kinds.split(",") if (o.work / k / "path.txt").exists() and (o.work / k / "path.txt").read_text().endswith(".json")]
    dictionaries = [k for k in named if isinstance(json.loads(pathlib.Path((o.work / k / "path.txt").read_text()).read_text())["model"]["vocab"], dict)]
    if dictionaries:
        path = pathlib.Path((o.work / dictionaries[0] / "path.txt").read_text())
        failed += canary(o.edgeconv, HuggingFace(path), o.work / dictionaries[0], lines[:1000]) == 0
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
