"""openwakeword's chain on synthesised speech: samples -> spectra -> embeddings -> score, all by blobs and all by ONNX Runtime."""
import numpy as np

import speech

HEADS = {"alexa": "alexa", "hey_jarvis": "hey jarvis", "hey_mycroft": "hey mycroft", "hey_rhasspy": "hey rhasspy", "hey_marvin": "hey marvin",
         "weather": "what's the weather", "timer": "set a timer for ten minutes"}
# As in the package: 80 ms a step, spectra with 480 samples of the step before, an embedding from 76 spectra every 8.
STEP, BEFORE, WINDOW, HOP = 1280, 480, 76, 8
GOAL = 0.02


def scores(mel, embedding, head, clip, length):
    """One score (or row of scores) for every step from the first full window on."""
    pcm = np.round(np.concatenate([np.zeros(BEFORE), clip]) * 32767).astype(np.float32)
    spectra = [mel(pcm[None, at:at + STEP + BEFORE]).reshape(-1, 32) / 10 + 2 for at in range(0, len(clip) - STEP + 1, STEP)]
    frames = np.concatenate(spectra).astype(np.float32)
    windows = np.stack([frames[at:at + WINDOW] for at in range(0, len(frames) - WINDOW + 1, HOP)])[..., None]
    rows = np.concatenate([embedding(windows[at:at + 16]).reshape(-1, 96) for at in range(0, len(windows), 16)])
    return np.stack([head(rows[None, at:at + length]).reshape(-1) for at in range(len(rows) - length + 1)])


def calls(runner):
    """A function of one array, for a model of one input and one output."""
    name = next(iter(runner.inputs))
    return lambda array: next(iter(runner({name: np.ascontiguousarray(array)}).values()))


def compare_chain(name, references, blobs, folder, length):
    """{"head", "clips", "highest", "largest_difference", "at"}: highest score of ONNX Runtime, and where both differ most."""
    word = HEADS[name]
    clips = speech.calls_of(word, folder, 4, length * 0.08)
    highest, worst = 0.0, (0.0, 0.0, 0.0)
    for clip in clips:
        wanted = scores(*(calls(r) for r in references), clip, length)
        found = scores(*(calls(b) for b in blobs), clip, length)
        highest = max(highest, float(wanted.max()))
        at = np.unravel_index(np.abs(wanted - found).argmax(), wanted.shape)
        worst = max(worst, (float(abs(wanted[at] - found[at])), float(wanted[at]), float(found[at])))
    return {"head": name, "clips": len(clips), "highest": highest, "largest_difference": worst[0], "onnxruntime": worst[1], "blob": worst[2]}
