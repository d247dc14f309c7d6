"""compare.py EDGECONV WORK [--lines N] [--hostile N] [--kinds a,b] [--seed N]: `edgeconv tokenize` against Hugging Face `tokenizers` and `sentencepiece`,
line by line: ids, type ids, masks, offsets, pairs, and the text of ids. Prints lines, languages, differences and the time of both for each tokenizer.
Exit 1 if one line differs. Packages: requirements.txt of this folder; `./test.sh --text` makes an environment for them."""
import argparse
import codecs
import json
import os
import pathlib
import subprocess
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
import sentencepiece  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

import kinds  # noqa: E402
import texts  # noqa: E402


def character_starts(line):
    """Where each character of bytes.decode('utf-8', 'replace') begins, and the end."""
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


def edgeconv(program, path, lines, *options):
    start = time.process_time()
    r = subprocess.run([program, "tokenize", str(path), *options], input=b"".join(line + b"\n" for line in lines), capture_output=True, check=False)
    if r.returncode != 0:
        raise SystemExit(f"{path}: exit {r.returncode}: {r.stderr.decode()}")
    return r.stdout.decode("utf-8").split("\n")[:-1], time.process_time() - start


def differs(found, wanted):
    for key in wanted:
        if found[key] != wanted[key]:
            return key
    return None


def compare_tokenizers(program, path, lines, real, name, report):
    """`real` of the lines are no hostile ones: the reference's time is that of them."""
    whole = Tokenizer.from_file(str(path)) if path.suffix == ".json" else bert_of(path)
    whole.no_truncation()
    whole.no_padding()
    decoded = [line.decode("utf-8", "replace") for line in lines]
    start = time.perf_counter()
    wanted = whole.encode_batch(decoded[:real])
    seconds = time.perf_counter() - start
    wanted += whole.encode_batch(decoded[real:])
    found, _ = edgeconv(program, path, lines, "--json")
    wrong = 0
    for line, f, w in zip(lines, found, wanted):
        key = differs(json.loads(f), reference_json(w, [line]))
        if key:
            wrong += 1
            report(name, key, line, json.loads(f)[key], reference_json(w, [line])[key])
    pairs = [(a.replace(b"\t", b" "), b.replace(b"\t", b" ")) for a, b in zip(lines[::20], lines[1::20]) if len(a) + len(b) < 5000]
    wanted_pairs = whole.encode_batch([(a.decode("utf-8", "replace"), b.decode("utf-8", "replace")) for a, b in pairs])
    found, _ = edgeconv(program, path, [a + b"\t" + b for a, b in pairs], "--json", "--pair")
    for (a, b), f, w in zip(pairs, found, wanted_pairs):
        key = differs(json.loads(f), reference_json(w, [a, b]))
        if key:
            wrong += 1
            report(name, "pair " + key, a + b"\t" + b, json.loads(f)[key], reference_json(w, [a, b])[key])
    ids = [w.ids for w in wanted[::10]]
    found, _ = edgeconv(program, path, [json.dumps(i).encode() for i in ids], "--decode")
    for i, f, w in zip(ids, found, whole.decode_batch(ids)):
        if json.loads(f) != w:
            wrong += 1
            report(name, "decode", json.dumps(i).encode(), json.loads(f), w)
    return wrong, seconds


def speed_ratio(program, path, lines, seconds):
    """The reference's time of the same lines, by ours: one thread each."""
    r = subprocess.run([program, str(path)], input=b"".join(line + b"\n" for line in lines), capture_output=True, check=True)
    return seconds / float(r.stdout.split()[0])


def bert_of(path):
    from tokenizers.implementations import BertWordPieceTokenizer
    return BertWordPieceTokenizer(str(path))._tokenizer


def compare_sentencepiece(program, path, lines, real, name, report):
    p = sentencepiece.SentencePieceProcessor(model_file=str(path))
    start = time.perf_counter()
    wanted = [p.encode(line) for line in lines[:real]]
    seconds = time.perf_counter() - start
    wanted += [p.encode(line) for line in lines[real:]]
    found, _ = edgeconv(program, path, lines)
    wrong = 0
    for line, f, w in zip(lines, found, wanted):
        if json.loads(f) != w:
            wrong += 1
            report(name, "ids", line, json.loads(f), w)
    ids = wanted[::10]
    found, _ = edgeconv(program, path, [json.dumps(i).encode() for i in ids], "--decode")
    for i, f in zip(ids, found):
        if json.loads(f) != p.decode(i):
            wrong += 1
            report(name, "decode", json.dumps(i).encode(), json.loads(f), p.decode(i))
    return wrong, seconds


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
        compare = compare_sentencepiece if path.suffix == ".model" or ".model." in path.name else compare_tokenizers
        try:
            wrong, seconds = compare(o.edgeconv, path, lines + hostile, len(lines), name, report)
        except SystemExit as e:
            wrong, seconds = -1, 0
            print(f"  {name}: {e}")
        failed += wrong != 0
        speed = f"; {speed_ratio(o.speed, path, lines, seconds):.1f} times as fast" if o.speed and wrong >= 0 else ""
        print(f"{name:20} {len(lines)} lines in {languages} languages, {len(hostile)} hostile: {wrong} differences{speed}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
