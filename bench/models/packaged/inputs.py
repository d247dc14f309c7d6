"""Real inputs for every row of the catalog: recorded-like sound, pictures and texts, through the front ends that the packages use."""
import json
import os

import numpy as np

import front_ends
import judges
import languages
import pictures
import speech
import texts
from running import Feeds, Reference


class Sources:
    """Where inputs come from: photographs, vocabularies and front ends that were fetched with the packages."""

    def __init__(self, folder, repository, photographs, files, extracted_file):
        self.folder, self.repository, self.photographs = folder, repository, photographs
        # files: {(package, end of the path): path} of all models; extracted_file(package, ends) takes another file out of a package.
        self.files, self.extracted_file = files, extracted_file
        self.sessions = {}

    def model(self, package, inside):
        path = next(path for (owner, name), path in self.files.items() if owner == package and ("/" + name).endswith(inside))
        if path not in self.sessions:
            self.sessions[path] = Reference(path)
        return self.sessions[path]


def only_input(reference, array):
    return {next(iter(reference.inputs)): array}


def frames(s, reference, input, size, context, states, seconds=4):
    """One stream of speech frame by frame, each with the last samples of the frame before; states from run to run."""
    stream = speech.conversation(s.folder, seconds)
    samples = []
    for at in range(0, len(stream) - size + 1, size):
        before = stream[max(0, at - context):at]
        frame = np.concatenate([np.zeros(context - len(before), np.float32), before, stream[at:at + size]])
        feed = {input: frame[None], **{given: np.zeros(shape, np.float32) for _, given, shape in states}}
        if "sr" in reference.inputs:
            feed["sr"] = np.array(speech.RATE, np.int64)
        samples.append(feed)
    return Feeds(samples, {output: given for output, given, _ in states}, what=f"{len(samples)} frames of speech, states handed on")


def frame_sequences(s, reference, size=512, context=64, steps=60):
    name = next(iter(reference.inputs))
    samples = []
    for clip in speech.clips(s.folder, count=4, seconds=2.0):
        padded = np.concatenate([np.zeros(context, np.float32), clip])
        rows = [padded[at:at + size + context] for at in range(0, len(clip) - size + 1, size)][:steps]
        samples.append({name: np.stack(rows), "h": np.zeros((1, 1, 128), np.float32), "c": np.zeros((1, 1, 128), np.float32)})
    return Feeds(samples, {}, what=f"4 clips of {len(samples[0][name])} frames of speech")


def pcm(s, reference, seconds=2.0):
    """Sixteen-bit samples as floats, as openwakeword gives them."""
    clips = speech.clips(s.folder, seconds=seconds)
    return Feeds([only_input(reference, np.round(clip * 32767)[None].astype(np.float32)) for clip in clips], what="6 clips of speech, 16 bit")


def clips(s, reference, seconds=2.0, sixteen_bit=False):
    """Samples in [-1, 1], or as a sound card gives them, in the shape that the model has with one axis free."""
    axes = len(next(iter(reference.inputs.values())).shape)
    rows = [clip.reshape((1,) * (axes - 1) + (-1,)) for clip in speech.clips(s.folder, seconds=seconds)]
    return Feeds([only_input(reference, np.round(row * 32767).astype(np.int16) if sixteen_bit else row.astype(np.float32)) for row in rows],
                 what="6 clips of speech" + (", 16 bit" if sixteen_bit else ""))


def mel_frames(s, clip):
    """openwakeword's spectrogram of a clip: [frames, 32]."""
    out = s.model("openwakeword", "/melspectrogram.onnx")({"input": np.round(clip * 32767)[None].astype(np.float32)})["output"]
    return (out.reshape(-1, 32) / 10 + 2).astype(np.float32)


def windows_of_mels(frames_of_clip):
    return np.stack([frames_of_clip[at:at + 76] for at in range(0, len(frames_of_clip) - 75, 8)])[..., None]


def mel_windows(s, reference):
    samples = [only_input(reference, windows_of_mels(mel_frames(s, clip))[:8]) for clip in speech.clips(s.folder, seconds=2.5)]
    return Feeds(samples, what=f"{len(samples)} x 8 windows of mel spectra of speech")


def embeddings(s, clip):
    """[windows, 96] of a clip."""
    model = s.model("openwakeword", "/embedding_model.onnx")
    return model({next(iter(model.inputs)): windows_of_mels(mel_frames(s, clip))})[model.outputs[0]].reshape(-1, 96)


def wake_windows(s, reference, word):
    """Windows of embeddings that slide over the wake word in several voices, and over other speech."""
    name, info = next(iter(reference.inputs.items()))
    length = info.shape[1]
    clips = speech.calls_of(word, s.folder, 6, length * 0.08) + speech.clips(s.folder, count=2, seconds=length * 0.08 + 2.0)
    samples = []
    for clip in clips:
        rows = embeddings(s, clip)
        samples += [{name: rows[at:at + length][None]} for at in range(0, len(rows) - length + 1, 2)]
    return Feeds(samples, what=f"{len(samples)} windows over '{word}' and other speech")


def waveforms(s, reference, rate=speech.RATE, seconds=3.0):
    """Pairs of clips, the second shorter than its row."""
    clips = [speech.resampled(clip.astype(np.float64), speech.RATE, rate).astype(np.float32) for clip in speech.clips(s.folder, seconds=seconds)]
    samples = []
    for first, second in zip(clips[::2], clips[1::2]):
        rows = np.stack([first, second])
        length = rows.shape[1] * 3 // 4
        rows[1, length:] = 0
        samples.append({"waveforms": rows, "waveforms_lens": np.array([rows.shape[1], length], np.int64)})
    return Feeds(samples, what=f"3 x 2 clips of speech, {rate} Hz")


def music(s, reference, rate=22050, length=43844):
    sounds = [speech.melody(length / rate + 0.1, rate, seed)[:length] for seed in range(3)]
    spoken = speech.resampled(speech.clips(s.folder, seconds=2.1, count=1)[0].astype(np.float64), speech.RATE, rate)[:length].astype(np.float32)
    return Feeds([only_input(reference, sound[None, :, None]) for sound in [*sounds, spoken]], what="3 melodies and speech, 22050 Hz")


def turns(s, reference, seconds=8, frames=800):
    """What pipecat asks about: the last eight seconds, of a conversation or of one sentence after silence, brought to mean 0 and variance 1, through
    the whisper front end that onnx-asr ships."""
    front = s.model("onnx-asr", "/whisper80.onnx")
    length = seconds * speech.RATE
    heard = [speech.conversation(s.folder, seconds, speech.SENTENCES[i:] + speech.SENTENCES[:i]) for i in range(4)]
    heard += [np.concatenate([np.zeros(length, np.float32), clip])[-length:] for clip in speech.clips(s.folder, count=4)]
    samples = []
    for clip in heard:
        even = ((clip - clip.mean()) / np.sqrt(clip.var() + 1e-7)).astype(np.float32)
        features = front({"waveforms": even[None], "waveforms_lens": np.array([length], np.int64)})["features"]
        samples.append(only_input(reference, features[:, :, :frames].astype(np.float32)))
    return Feeds(samples, what="log-mel spectra of 8 s: 4 of a conversation, 4 of a sentence")


def file_bytes(s, reference):
    contents = texts.file_contents([s.repository], 40, (".cc", ".py", ".md", ".json", ".onnx", ".sh", ".txt", ".html", ".xml"))
    contents += texts.file_contents([os.path.join(s.folder, "download")], 6, (".whl",))
    contents += [open(path, "rb").read() for path in s.photographs]
    samples = [only_input(reference, np.stack([texts.begin_and_end(c) for c in contents[at:at + 8]])) for at in range(0, len(contents), 8)]
    return Feeds(samples, what=f"{len(contents)} files of 11 kinds")


def captcha_gray(s, reference, height=64):
    samples = [only_input(reference, (pictures.gray(image) / 255)[None, None].astype(np.float32)) for image in pictures.captchas(6, height, 160)]
    return Feeds(samples, what="6 captchas")


def captcha_color(s, reference):
    images = [pictures.planes(image, 1.0, bgr=True) for image in pictures.captchas(6, 60, 160)]
    return Feeds([only_input(reference, np.concatenate(images[at:at + 2])) for at in (0, 2, 4)], what="6 captchas")


def detection_pictures(s, reference, size=416, scale=1.0):
    images = pictures.photographs(s.photographs, size, size)[:6] + pictures.captchas(2, size, size)
    return Feeds([only_input(reference, pictures.planes(image, scale, bgr=scale == 1.0)) for image in images], what="6 photographs, 2 captchas")


def ocr_pages(s, reference, height=320, width=256):
    images = pictures.pages(3, height, width, s.photographs)
    return Feeds([only_input(reference, pictures.planes(image, mean=0.5, std=0.5, bgr=True)) for image in images], what="3 pages of text and pictures")


def ocr_lines(s, reference, width, height=48):
    images = [pictures.planes(image, mean=0.5, std=0.5, bgr=True) for image in pictures.lines_of_text(6, height, width)]
    return Feeds([only_input(reference, np.concatenate(images[at:at + 2])) for at in (0, 2, 4)], what="6 lines of text")


def layout_pages(s, reference, height=800, width=608):
    images = pictures.pages(2, height, width, s.photographs)
    return Feeds([only_input(reference, pictures.planes(image, **pictures.IMAGENET)) for image in images], what="2 pages of text and pictures")


def turned_pages(s, reference, size=224, imagenet=True):
    images = [np.ascontiguousarray(np.rot90(image, i)) for i, image in enumerate(pictures.pages(4, size, size, s.photographs))]
    units = pictures.IMAGENET if imagenet else {}
    return Feeds([only_input(reference, pictures.planes(image, **units)) for image in images], what="4 pages, turned")


def photographs_last(s, reference):
    images = pictures.photographs(s.photographs, 224, 224)
    rows = [image[:, :, ::-1].astype(np.float32) - np.array([104, 117, 123], np.float32) for image in images]
    return Feeds([only_input(reference, row[None]) for row in rows], what=f"{len(rows)} photographs")


def pictures_last(s, reference, height, width, middle, unit):
    """Channels last, in units of the model's own."""
    images = pictures.photographs(s.photographs, height, width)[:5] + pictures.captchas(3, height, width)
    return Feeds([only_input(reference, ((image.astype(np.float32) - middle) / unit)[None].astype(np.float32)) for image in images],
                 what="5 photographs, 3 captchas")


def bytes_of_pictures(s, reference, height, width):
    """Channels last, a byte each."""
    images = pictures.photographs(s.photographs, height, width)
    return Feeds([only_input(reference, image[None]) for image in images], what=f"{len(images)} photographs")


def marked_frames(s, reference, marked=False, height=256, width=256):
    """Frames of a film, and the 32 bits that are to be hidden in each; or what the package's own encoder made of both, in 8 bits a colour."""
    frames = [image.astype(np.float32).transpose(2, 0, 1)[None, :, None] / 127.5 - 1 for image in pictures.photographs(s.photographs, height, width)]
    bits = np.random.default_rng(2).integers(0, 2, (len(frames), 1, 32)).astype(np.float32)
    samples = [{"frame": frame, "data": row} for frame, row in zip(frames, bits)]
    if marked:
        encoder = s.model("invisible-watermark", "/rivagan_encoder.onnx")
        seen = [((np.clip(encoder(sample)["output"], -1, 1) + 1) * 127.5).astype(np.uint8) for sample in samples]
        samples = [{"frame": frame.astype(np.float32) / 127.5 - 1} for frame in seen]
    return Feeds(samples, what=f"{len(samples)} photographs" + (", marked" if marked else " and 32 bits for each"))


def characters(text, table, unknown=1):
    return np.array([[table.get(c, unknown) for c in text]], np.int64)


def arabic_bilstm(s, reference):
    """The letters and signs of the package's tokenizer, in its order from 4 on."""
    letters = "ءآأؤإئابةتثجحخدذرزسشصضطظعغـفقكلمنهوي .,،؛:؟!()-\"'\n"
    table = {c: 4 + i for i, c in enumerate(letters)}
    return Feeds([only_input(reference, characters(text, table)) for text in texts.ARABIC], what=f"{len(texts.ARABIC)} Arabic sentences")


def arabic_rawi(s, reference):
    import unicodedata
    with open(s.extracted_file("text2tashkeel", "/rawi.vocab.json"), encoding="utf-8") as file:
        table = json.load(file)["char_to_idx"]
    bare = ["".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn") for text in texts.ARABIC]
    return Feeds([only_input(reference, characters(text, table)) for text in bare], what=f"{len(bare)} Arabic sentences")


def reactions(s, reference):
    return Feeds([texts.reaction(sides) for sides in texts.REACTIONS], what=f"{len(texts.REACTIONS)} reactions")


def molecules(s, reference):
    names = list(texts.MOLECULES)
    return Feeds([texts.molecule_graph(names[at:at + 4]) for at in (0, 2, 4)], what="3 x 4 molecules")


FEEDS = {function.__name__: function for function in (
    frames, frame_sequences, pcm, clips, mel_windows, wake_windows, waveforms, music, turns, file_bytes, captcha_gray, captcha_color, detection_pictures,
    ocr_pages, ocr_lines, layout_pages, turned_pages, photographs_last, pictures_last, bytes_of_pictures, marked_frames, arabic_bilstm, arabic_rawi, reactions, molecules, *languages.FEEDS, *front_ends.FEEDS,
    *judges.FEEDS)}


def feeds_of(sources, model, reference):
    return FEEDS[model.feeds](sources, reference, **dict(model.settings))
