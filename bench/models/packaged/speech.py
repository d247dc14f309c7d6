"""Speech of espeak-ng, with noise, at any sample rate. The same text, voice and seed give the same samples."""
import io
import os
import shutil
import subprocess
import wave

import numpy as np

RATE = 16000
# Voice, words a minute, pitch: formant synthesis has no more kinds of speakers than these.
VOICES = (("en-us", 165, 50), ("en-gb-scotland", 140, 30), ("en-us+f3", 180, 70), ("de", 150, 45), ("en-us+m3", 200, 20), ("fr-fr+f2", 160, 60))
SENTENCES = (
    "The quick brown fox jumps over the lazy dog.",
    "Turn on the kitchen lights, please.",
    "What is the weather like in Berlin tomorrow?",
    "Set a timer for ten minutes.",
    "Seven ships sailed slowly past the harbour wall.",
    "Could you repeat that? I did not hear you.",
)
# Those that the wake words of openwakeword answer to, which were trained on other synthesised speech.
WAKE_VOICES = (("en-gb", 150, 50), ("en-gb-scotland+f4", 150, 50), ("en-us+m7", 180, 50), ("en-us+f2", 180, 50), ("en-gb", 180, 50), ("en-us", 150, 50))
# Signal to noise in dB; None is without noise.
NOISE_DB = (None, 30, 10)


def available():
    return shutil.which("espeak-ng") is not None


def resampled(samples, rate, wanted):
    """By a windowed sinc, which keeps the band below both Nyquist frequencies."""
    if rate == wanted:
        return samples
    count = int(len(samples) * wanted / rate)
    cutoff = min(1.0, wanted / rate)
    half = 16
    width = int(np.ceil(half / cutoff))
    centers = np.arange(count) * (rate / wanted)
    first = np.floor(centers).astype(np.int64) - width + 1
    positions = first[:, None] + np.arange(2 * width)
    distance = (positions - centers[:, None]) * cutoff
    kernel = cutoff * np.sinc(distance) * np.cos(np.pi * np.clip(distance / half, -1, 1) / 2) ** 2
    padded = np.concatenate([np.zeros(width), samples, np.zeros(2 * width)])
    return np.sum(padded[np.clip(positions + width, 0, len(padded) - 1)] * kernel, 1)


def spoken(text, voice, folder):
    """Samples in [-1, 1] at 16 kHz."""
    name, speed, pitch = voice
    path = os.path.join(folder, "speech", f"{name}_{speed}_{pitch}_{abs(hash_text(text))}.npy")
    if os.path.exists(path):
        return np.load(path)
    sound = subprocess.run(["espeak-ng", "-v", name, "-s", str(speed), "-p", str(pitch), "--stdout", text], capture_output=True, check=True).stdout
    with wave.open(io.BytesIO(sound)) as file:
        rate = file.getframerate()
        samples = np.frombuffer(file.readframes(file.getnframes()), np.int16) / 32768.0
    samples = resampled(samples, rate, RATE)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    np.save(path, samples)
    return samples


def hash_text(text):
    value = 0
    for byte in text.encode():
        value = (value * 131 + byte) % (1 << 48)
    return value


def noisy(samples, db, seed, level=1.0):
    """With pink noise at a signal-to-noise ratio; `level` scales both."""
    if db is None:
        return samples * level
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(len(samples)))
    spectrum /= np.sqrt(np.maximum(np.arange(len(spectrum)), 1))
    noise = np.fft.irfft(spectrum, len(samples))
    power = float(np.mean(samples ** 2)) / 10 ** (db / 10)
    return level * (samples + noise * np.sqrt(power / max(float(np.mean(noise ** 2)), 1e-12)))


def clips(folder, texts=SENTENCES, count=6, seconds=None):
    """float32 clips of several voices, texts, noises and levels; cut or padded with silence to `seconds`."""
    made = []
    for i in range(count):
        voice = VOICES[i % len(VOICES)]
        samples = noisy(spoken(texts[i % len(texts)], voice, folder), NOISE_DB[i % 3], i, (1.0, 0.5, 0.1)[(i // 2) % 3])
        if seconds is not None:
            wanted = int(seconds * RATE)
            # Half a second of silence before, as a microphone hears it.
            samples = np.concatenate([np.zeros(RATE // 2), samples, np.zeros(wanted)])[:wanted]
        made.append(samples.astype(np.float32))
    return made


def calls_of(word, folder, count, before):
    """A wake word in several voices after `before` seconds of (nearly) nothing, 0.75 s after it; some quieter, some with noise."""
    made = []
    for i in range(count):
        samples = spoken(word, WAKE_VOICES[i % len(WAKE_VOICES)], folder)
        samples = np.concatenate([np.zeros(int(before * RATE)), samples, np.zeros(RATE * 3 // 4)])
        made.append(noisy(samples, (None, 40, 25)[i // 2 % 3], i, (1.0, 0.5)[i % 2]).astype(np.float32))
    return made


def conversation(folder, seconds, texts=SENTENCES):
    """One stream: sentences of several voices with pauses, noise over all of it."""
    parts, length = [], 0
    for i in range(100):
        part = np.concatenate([spoken(texts[i % len(texts)], VOICES[i % len(VOICES)], folder) * (1.0, 0.3)[i % 2], np.zeros(RATE // 2)])
        parts.append(part)
        length += len(part)
        if length >= seconds * RATE:
            break
    return noisy(np.concatenate(parts)[:int(seconds * RATE)], 25, 7).astype(np.float32)


def melody(seconds, rate, seed=3):
    """Notes with harmonics, attack and decay, some at the same time."""
    rng = np.random.default_rng(seed)
    t = np.arange(int(seconds * rate)) / rate
    sound = np.zeros(len(t))
    for start in np.arange(0, seconds, 0.22):
        for note in rng.choice(np.arange(40, 84), rng.integers(1, 4), replace=False):
            passed = t - start - rng.uniform(0, 0.1)
            envelope = np.where(passed > 0, np.minimum(passed / 0.01, 1) * np.exp(-np.clip(passed, 0, None) * rng.uniform(2, 7)), 0)
            frequency = 440 * 2 ** ((note - 69) / 12)
            for harmonic in range(1, 7):
                if harmonic * frequency < rate / 2:
                    sound += rng.uniform(0.3, 1) / harmonic ** 1.2 * envelope * np.sin(2 * np.pi * harmonic * frequency * t)
    return (0.5 * sound / np.abs(sound).max()).astype(np.float32)
