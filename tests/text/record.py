"""record.py FOLDER: small tokenizers of every kind, and what the references make of lines with them: what text_test compares with, without Python. Run in
the environment of requirements.txt after something on purpose changed; the files are committed."""
import json
import pathlib
import sys

import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

import compare
import kinds
import texts

MODELS = pathlib.Path(__file__).parents[1] / "models"
sys.path.insert(0, str(MODELS / "langid"))
import features  # noqa: E402


def wordpiece(folder, lines):
    t = Tokenizer.from_file(str(kinds.bert_cased(folder, lines, 600)))
    t.normalizer = normalizers.BertNormalizer()
    t.enable_truncation(12, stride=2, strategy="only_second")
    t.enable_padding(length=16)
    return t


def roberta(folder, lines):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    t.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=420, initial_alphabet=list(kinds.letters().values()), special_tokens=["<s>", "</s>"], show_progress=False))
    t.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0))
    t.decoder = decoders.ByteLevel()
    t.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    return t


def clip(folder, lines):
    t = Tokenizer(models.BPE(end_of_word_suffix="</w>", unk_token="<unk>"))
    t.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(kinds.CLIP), "removed", invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    t.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=900, end_of_word_suffix="</w>", initial_alphabet=list(kinds.letters().values()), special_tokens=["<unk>"], show_progress=False))
    t.decoder = decoders.ByteLevel()
    return t


def llama(folder, lines):
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    special = ["<unk>", "<s>"] + [f"<0x{b:02X}>" for b in range(256)]
    t.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=700, limit_alphabet=80, special_tokens=special, show_progress=False))
    whole = json.loads(t.to_str())
    whole["added_tokens"] = whole["added_tokens"][:2]
    t = Tokenizer.from_str(json.dumps(whole))
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    t.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A $B:1", special_tokens=[("<s>", 1)])
    return t


def o200k(folder, lines):
    t = Tokenizer(models.BPE(ignore_merges=True))
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(kinds.O200K), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    t.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=400, initial_alphabet=list(kinds.letters().values()), show_progress=False))
    t.decoder = decoders.ByteLevel()
    return t


def small_spm(folder, lines, **options):
    rules = folder / "rules.tsv"
    rules.write_text("FB01\t66 69\nFB00\t66 66\n41\t61\nFDFA\t635 644 649\n2460\t31\n65 301\tE9\nA0\t20\n9\t20\n3\t\n")
    return kinds.trained_spm(folder, lines, "spiece", normalization_rule_tsv=str(rules), hard_vocab_limit=False, character_coverage=0.98, **options)


def unigram(folder, lines):
    model = small_spm(folder, lines, vocab_size=500, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    t = Tokenizer(models.Unigram(kinds.pieces_of(model), unk_id=2))
    t.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), normalizers.Precompiled(kinds.charsmap(model)), normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")])
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    t.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)])
    t.decoder = decoders.Metaspace()
    t.add_special_tokens(["</s>"])
    return t


def wordlevel(folder, lines):
    t = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    t.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase(), normalizers.Strip(left=True, right=False)])
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Digits(), pre_tokenizers.Punctuation("contiguous")])
    t.train_from_iterator(lines, trainers.WordLevelTrainer(vocab_size=300, special_tokens=["[UNK]"], show_progress=False))
    t.add_tokens([AddedToken("the", single_word=True, normalized=True), AddedToken("FILE", lstrip=True, rstrip=True, normalized=False)])
    return t


def spm_unigram(folder, lines):
    return small_spm(folder, lines, vocab_size=500, user_defined_symbols=["<sep>", "the"])


def spm_bpe(folder, lines):
    return small_spm(folder, lines, vocab_size=700, model_type="bpe", byte_fallback=True, remove_extra_whitespaces=False)


RECORDED = [wordpiece, roberta, clip, llama, o200k, unigram, wordlevel, spm_unigram, spm_bpe]


def record_ngrams(folder, lines):
    """Hashed n-grams, by their definition in Python (tests/models/langid/features.py)."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_bytes((MODELS / "langid/tokenizer.json").read_bytes())
    rows = [{"text": line.hex(), "pair": None, "ids": features.ngrams(line, 1 << 20)} for line in lines]
    (folder / "expected.jsonl").write_text("".join(json.dumps(r, separators=(",", ":")) + "\n" for r in rows))


def row(line, pair, e):
    r = compare.reference_json(e, [line] if pair is None else [line, pair])
    return {"text": line.hex(), "pair": None if pair is None else pair.hex(), **{k: r[k] for k in r if k != "attention_mask"}}


def main():
    out = pathlib.Path(sys.argv[1])
    training = [t.decode() for t in texts.real_lines(3000, 77)[0]]
    english = [t.decode() for t in texts.real_lines(40000, 5)[0] if t.isascii()][:2000]
    lines = texts.real_lines(24, 9)[0] + [h for h in texts.hostile_lines(60, 9) if len(h) < 90] + [b""]
    record_ngrams(out / "ngram", lines)
    for make in RECORDED:
        name = make.__name__
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        made = make(folder, english + training[:300])
        rows = []
        if isinstance(made, pathlib.Path):
            p = sentencepiece.SentencePieceProcessor(model_file=str(made))
            for line in lines:
                rows.append({"text": line.hex(), "pair": None, "ids": p.encode(line), "decoded": p.decode(p.encode(line))})
        else:
            made.save(str(folder / "tokenizer.json"), pretty=False)
            made.no_truncation()
            made.no_padding()
            for i, line in enumerate(lines):
                e = made.encode(line.decode("utf-8", "replace"))
                rows.append({**row(line, None, e), "decoded": made.decode(e.ids)})
                if i % 5 == 0:
                    rows.append(row(line, lines[i - 1], made.encode(line.decode("utf-8", "replace"), lines[i - 1].decode("utf-8", "replace"))))
        for rest in [*folder.glob("*.vocab"), *folder.glob("rules.tsv"), *(folder.glob("spiece.model") if not isinstance(made, pathlib.Path) else [])]:
            rest.unlink()
        (folder / "expected.jsonl").write_text("".join(json.dumps(r, separators=(",", ":")) + "\n" for r in rows))


if __name__ == "__main__":
    main()
