#!/usr/bin/env python3
"""Model folders against AutoTokenizer of transformers: what the files beside a tokenizer say must change ids as there.

    folders.py EDGECONV KINDS WORKDIR [--lines N]

KINDS     what compare.py made: real and trained tokenizers
WORKDIR   the folders are made there

Folders with a tokenizer.json, a vocab.txt, a vocab.json with merges.txt, or a SentencePiece .model, each with tokenizer_config.json, special_tokens_map.json or
added_tokens.json as exporters of many years write them. N lines of catalogs (2000) and the hostile ones of N/10 are compared; needs transformers below 5.
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
import texts  # noqa: E402

ENTITY = {"content": "<ent>", "lstrip": False, "rstrip": True, "normalized": False, "single_word": False, "special": True}
EXTRA = ["<ent> x<ent>", "a <ent>b", "x <tag> y", "Hello Cät 中 Straße", "[CLS] [MASK] <mask> x", "THE CAT'S  hat", "one <extra_id_0> two<extra_id_19> 1,000, 12,"]


def first_line(kinds, name):
    return pathlib.Path((kinds / name / "path.txt").read_text().strip())


def bpe_files(folder, tokenizer):
    model = json.loads(tokenizer.read_text())["model"]
    added = {t["content"]: t["id"] for t in json.loads(tokenizer.read_text())["added_tokens"]}
    (folder / "vocab.json").write_text(json.dumps({**model["vocab"], **added}))
    merges = [m if isinstance(m, str) else " ".join(m) for m in model["merges"]]
    (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(merges) + "\n")


def albert_model(folder):
    """As ALBERT's own: lower-case pieces, [CLS] and [SEP] among them."""
    import sentencepiece
    corpus = folder / "corpus.txt"
    corpus.write_text("\n".join(line.decode().lower() for line in texts.real_lines(20000, 3)[0]))
    sentencepiece.SentencePieceTrainer.train(input=str(corpus), model_prefix=str(folder / "spiece"), minloglevel=2, vocab_size=8000, normalization_rule_name="nmt_nfkc",
                                             pad_id=0, unk_id=1, bos_id=-1, eos_id=-1, control_symbols="[CLS],[SEP]", user_defined_symbols="[MASK],12,")
    corpus.unlink()


def cases(kinds):
    """(name, maker of the folder's tokenizer, tokenizer_config.json, other files)"""
    vocab = lambda f: shutil.copy(first_line(kinds, "minilm-vocabulary"), f / "vocab.txt")
    whole = lambda f: shutil.copy(first_line(kinds, "minilm"), f / "tokenizer.json")
    bpe = lambda kind: lambda f: bpe_files(f, first_line(kinds, kind))
    spm = lambda kind, name: lambda f: shutil.copy(kinds / kind / "spiece.model", f / name)
    bert = {"tokenizer_class": "BertTokenizer", "do_lower_case": True}
    decoder = {"added_tokens_decoder": {"30522": ENTITY}}
    yield "vocab", vocab, bert, {}
    yield "vocab-cased", vocab, {**bert, "do_lower_case": False}, {}
    yield "vocab-accents", vocab, {**bert, "strip_accents": False}, {}
    yield "vocab-chinese", vocab, {**bert, "tokenize_chinese_chars": False}, {}
    yield "vocab-ends", vocab, {**bert, "cls_token": "[MASK]", "sep_token": "[PAD]"}, {}
    yield "vocab-map", vocab, bert, {"special_tokens_map.json": {"additional_special_tokens": ["cat", "<ent>"], "cls_token": "[MASK]"}}
    yield "vocab-added", vocab, bert, {"added_tokens.json": {"<ent>": 30522, "<tag>": 30523}}
    yield "vocab-decoder", vocab, {**bert, **decoder}, {}
    yield "vocab-model-type", vocab, None, {"config.json": {"model_type": "distilbert"}}
    yield "json-cased", whole, {**bert, "do_lower_case": False}, {}
    yield "json-accents", whole, {**bert, "strip_accents": False}, {}
    yield "json-decoder", whole, {**bert, **decoder}, {}
    yield "json-map", whole, bert, {"special_tokens_map.json": {"additional_special_tokens": ["<ent>", {**ENTITY, "content": "<tag>"}]}}
    yield "gpt2", bpe("gpt2"), {"tokenizer_class": "GPT2Tokenizer"}, {}
    yield "gpt2-bos", bpe("gpt2"), {"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True, "add_prefix_space": True}, {}
    yield "roberta", bpe("roberta"), {"tokenizer_class": "RobertaTokenizer"}, {}
    yield "roberta-model-type", bpe("roberta"), None, {"config.json": {"model_type": "roberta"}}
    yield "clip", bpe("clip"), {"tokenizer_class": "CLIPTokenizer"}, {}
    yield "xlmr", spm("xlmr", "sentencepiece.bpe.model"), {"tokenizer_class": "XLMRobertaTokenizer"}, {}
    yield "t5", spm("t5", "spiece.model"), {"tokenizer_class": "T5Tokenizer", "extra_ids": 20}, {}
    yield "albert", albert_model, {"tokenizer_class": "AlbertTokenizer"}, {}
    yield "albert-accents", albert_model, {"tokenizer_class": "AlbertTokenizer", "keep_accents": True, "do_lower_case": False}, {}
    yield "llama", lambda f: shutil.copy(first_line(kinds, "mistral-model"), f / "tokenizer.model"), {"tokenizer_class": "LlamaTokenizer", "add_eos_token": True}, {}
    # Keys that change where a space is put before texts.
    llama = lambda f: shutil.copy(first_line(kinds, "mistral-model"), f / "tokenizer.model")
    for name, said in (("new", {"legacy": False}), ("no-space", {"add_prefix_space": False}), ("null-space", {"add_prefix_space": None}), ("null", {"legacy": None}),
                       ("new-no-space", {"legacy": False, "add_prefix_space": False}), ("new-space", {"legacy": False, "add_prefix_space": True})):
        yield "t5-" + name, spm("t5", "spiece.model"), {"tokenizer_class": "T5Tokenizer", "extra_ids": 20, **said}, {}
        yield "llama-" + name, llama, {"tokenizer_class": "LlamaTokenizer", **said}, {}
    yield "xlmr-no-space", spm("xlmr", "sentencepiece.bpe.model"), {"tokenizer_class": "XLMRobertaTokenizer", "add_prefix_space": False, "legacy": False}, {}
    yield "llama-json", lambda f: shutil.copy(first_line(kinds, "mistral"), f / "tokenizer.json"), {"tokenizer_class": "LlamaTokenizer", "add_bos_token": False, "add_eos_token": True}, {}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("edgeconv")
    p.add_argument("kinds", type=pathlib.Path)
    p.add_argument("workdir", type=pathlib.Path)
    p.add_argument("--lines", type=int, default=2000)
    a = p.parse_args()
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
    import random
    import transformers
    transformers.logging.set_verbosity_error()
    real, languages = texts.real_lines(a.lines, 19)
    rng = random.Random(19)
    lines = real + [texts.hostile_line(rng) for _ in range(a.lines // 10)]
    decoded = [line.replace(b"\n", b" ").decode("utf-8", "replace") for line in lines if len(line) < 5000] + EXTRA
    stdin = "\n".join(decoded).encode() + b"\n"
    print(f"{len(decoded)} lines, {languages} languages")
    failed = 0
    for name, make, config, files in cases(a.kinds.resolve()):
        folder = a.workdir / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make(folder)
        if config is not None:
            files = {**files, "tokenizer_config.json": config}
        for file, contents in files.items():
            (folder / file).write_text(json.dumps(contents))
        reference = transformers.AutoTokenizer.from_pretrained(folder)
        wanted = reference(decoded)["input_ids"]
        done = subprocess.run([a.edgeconv, "tokenize", str(folder)], input=stdin, capture_output=True)
        found = [json.loads(line) for line in done.stdout.split(b"\n") if line]
        different = [i for i, ids in enumerate(wanted) if i >= len(found) or found[i] != ids]
        print(f"{name:20} {len(different)} different" + (f", exit {done.returncode}: {done.stderr.decode()[:200]}" if done.returncode else ""))
        for i in different[:2]:
            print(f"    {decoded[i]!r}\n    edgeconv     {found[i] if i < len(found) else None}\n    transformers {wanted[i]}")
        failed |= bool(different) or len(found) != len(decoded)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
