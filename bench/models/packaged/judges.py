"""Front ends of packages that judge sound: speechmos' scores of noise, lost packets and echo, and SwiftF0's pitch. Written as those of librosa are."""
import numpy as np

import speech
from front_ends import power_frames
from running import Feeds

# Of librosa.filters.mel: as far as here a mel is as wide as in Hz, above it in their logarithm.
KNEE_HZ, HZ_A_MEL, LOG_STEP = 1000.0, 200 / 3, np.log(6.4) / 27
LEAST_POWER, RANGE_DB = 1e-10, 80.0


def slaney_filters(rate, size, bands):
    """[bins, bands]: librosa's triangles, of one area."""
    def hz(mel):
        knee = KNEE_HZ / HZ_A_MEL
        return np.where(mel < knee, mel * HZ_A_MEL, KNEE_HZ * np.exp(LOG_STEP * (mel - knee)))
    highest = KNEE_HZ / HZ_A_MEL + np.log(rate / 2 / KNEE_HZ) / LOG_STEP
    points = hz(np.linspace(0, highest, bands + 2))
    bins = np.arange(size // 2 + 1) * rate / size
    up = (bins[:, None] - points[None, :-2]) / np.diff(points)[None, :-1]
    down = (points[None, 2:] - bins[:, None]) / np.diff(points)[None, 1:]
    return np.maximum(0, np.minimum(up, down)) * 2 / (points[2:] - points[:-2])


def centered_powers(clip, size, hop):
    """[frames, bins]: a periodic Hann window about every hop, zeros beyond the ends."""
    padded = np.pad(clip.astype(np.float64), size // 2)
    return power_frames(padded, size, hop, np.hanning(size + 1)[:-1], size)


def mel_decibels(clip, rate, size, hop, bands):
    """80 dB below the loudest, about the middle of them."""
    mels = np.maximum(centered_powers(clip, size, hop) @ slaney_filters(rate, size, bands), LEAST_POWER)
    db = 10 * np.log10(mels / mels.max())
    return (np.maximum(db, -RANGE_DB) + 40) / 40


def said_again(clip, length):
    """The clip after itself until it is long enough."""
    while len(clip) < length:
        clip = np.append(clip, clip)
    return clip[:length]


def scored_clips(s):
    """Clean, noisy, quiet, and nothing but noise."""
    clips = speech.clips(s.folder)
    noise = np.random.default_rng(5).standard_normal(speech.RATE).astype(np.float32) * 0.02
    clipped = np.clip(clips[0] * 8, -0.5, 0.5)
    return [*clips, clipped, noise]


def scored_waveforms(s, reference, length=144160):
    rows = [said_again(clip, length)[None].astype(np.float32) for clip in scored_clips(s)]
    return Feeds([{"input_1": row} for row in rows], what=f"{len(rows)} clips of 9.01 s: speech, clean, noisy, quiet, distorted; noise")


def scored_mels(s, reference, length=144000, bands=120):
    rows = [mel_decibels(said_again(clip, length), speech.RATE, 321, 160, bands)[None].astype(np.float32) for clip in scored_clips(s)]
    return Feeds([{"input_1": row} for row in rows], what=f"mel spectra of {len(rows)} clips of 9 s: speech, clean, noisy, quiet, distorted; noise")


def scored_powers(s, reference, length=144000):
    """For the two files that the package's code does not use, as Microsoft's DNS challenge fed them."""
    rows = [np.log10(np.maximum(centered_powers(said_again(clip, length), 320, 160), 1e-12))[None].astype(np.float32) for clip in scored_clips(s)]
    return Feeds([{"input_1": row} for row in rows], what=f"power spectra of {len(rows)} clips of 9 s: speech, clean, noisy, quiet, distorted; noise")


def lost_packets(s, reference, size=512):
    """Speech of which packets of 20 ms are missing, none to a third of them, in logarithms of amplitudes."""
    rng, samples = np.random.default_rng(11), []
    window = np.hamming(size + 1)[:-1]
    for i, clip in enumerate(speech.clips(s.folder)):
        packets = clip[:len(clip) // 320 * 320].reshape(-1, 320).copy()
        packets[rng.random(len(packets)) < i * 0.07] = 0
        sound = packets.reshape(-1).astype(np.float64)
        # The first frame ends with the first hop, the last one holds the last sample.
        padded = np.concatenate([np.zeros(size // 2), sound, np.zeros(size - 1)])
        count = -(-(len(sound) + size // 2) // (size // 2))
        power = np.sqrt(power_frames(padded, size, size // 2, window, size)[:count]) ** 2
        logs = np.where(power > 0, np.log(np.where(power > 0, power, 1)), np.log(power[power > 0].min()) - 120 / 10 * np.log(10))
        samples.append({"degraded_audio": (logs / 20)[None, None].astype(np.float32), "rater_embed": rng.standard_normal((1, 64)).astype(np.float32)})
    return Feeds(samples, what=f"{len(samples)} clips of speech, up to a third of their packets lost, each heard by one made-up rater")


def echoed(s, i, seconds):
    """Who talks (dt: both, st: only the far end, nst: only the near one); what the loudspeaker plays, what the microphone hears, and what a canceller
    makes of it, a good one in the first three talks."""
    far = speech.conversation(s.folder, seconds, speech.SENTENCES[i:] + speech.SENTENCES[:i]).astype(np.float64)
    near = speech.conversation(s.folder, seconds, speech.SENTENCES[i + 3:] + speech.SENTENCES[:i + 3]).astype(np.float64)
    talk = ("dt", "st", "nst")[i % 3]
    far, near = far * (talk != "nst"), near * (talk != "st")
    room = np.exp(-np.arange(1600) / 300) * np.random.default_rng(i).standard_normal(1600) * 0.1
    echo = np.convolve(np.concatenate([np.zeros(800), far]), room)[:len(near)]
    noise = 0.001 * np.random.default_rng(20 + i).standard_normal(len(near))
    left = 0.02 if i < 3 else 0.3
    return talk, [np.clip(sound, -1, 1) for sound in (far, near + echo + noise, near + left * echo + 0.1 * noise)]


def echoes(s, reference, rate=speech.RATE, size=512, marker=True, seconds=8):
    """Mel spectra of the three sounds, with twenty frames that say who talks and twenty that say nothing where the model wants them."""
    hidden, samples = reference.inputs["h0"].shape, []
    for i in range(6):
        talk, sounds = echoed(s, i, seconds)
        rows = [mel_decibels(speech.resampled(sound, speech.RATE, rate), rate, size + 1, size // 2, 160) for sound in sounds]
        if marker:
            said = (talk != "nst", talk != "st", True)
            rows = [np.concatenate([row, np.full((20, 160), float(one)), np.zeros((20, 160))]) for row, one in zip(rows, said)]
        samples.append({"input": np.stack(rows)[None].astype(np.float32), "h0": np.zeros(hidden, np.float32)})
    return Feeds(samples, what=f"6 talks of {seconds} s over a loudspeaker: both, only from far, only near; echo cancelled well and badly")


def pitches(s, reference):
    """Speech and melodies, all with a little noise: where a spectrum is nothing but rounding, the pitch is what rounding makes of it."""
    sounds = [speech.conversation(s.folder, 3, speech.SENTENCES[i:] + speech.SENTENCES[:i]) for i in range(4)]
    sounds += [speech.noisy(speech.melody(3, speech.RATE, i).astype(np.float64), 40, i) for i in range(2)]
    constants = {"fmin": np.array(46.875, np.float32), "fmax": np.array(2093.75, np.float32)}
    return Feeds([{"audio": sound[None].astype(np.float32), **constants} for sound in sounds], what="4 x 3 s of speech, 2 melodies, with noise")


FEEDS = (scored_waveforms, scored_mels, scored_powers, lost_packets, echoes, pitches)
