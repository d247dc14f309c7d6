"""The digest tables of ./test.sh --cross: what blobs compute, as one number on every target and ISA level. The language model in all precisions; the same
packed for smmla and for Cortex-M, which must give the same number, whether a level reads the layout or leaves it to the reference; a DS-CNN
(ds_cnn_model.py) in them, and in int8 over 8-bit maps, these also packed for Cortex-M; and an encoder of the size of MiniLM (encoder_model.py) on every target whose memory holds it. The last two
run a ragged batch."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "checks"))
import ds_cnn_model
import encoder_model
import isa_levels

# x86 levels depend on the machine that tests; all others must run.
OPTIONAL = set(isa_levels.of_architecture(pathlib.Path(__file__).parents[2], "x86_64"))
PRECISIONS = ["int8", "w8a16", "w12a13", "fp32"]
# --target of the converter: target, emulator, ISA levels that run its blobs, some that read the layout and some that leave it to the reference.
LAYOUTS = {
    "armv8-i8mm": [("x86-64", "", "ref"), ("aarch64", "qemu-aarch64 -cpu max", "dotprod_inorder i8mm"),
                   ("cortex-m4", "toolchains/run_cortex_m.sh mps2-an386", "dsp")],
    "cortex-m": [("x86-64", "", "ref"), ("aarch64", "qemu-aarch64 -cpu max", "i8mm"), ("cortex-m4", "toolchains/run_cortex_m.sh mps2-an386", "ref dsp"),
                 ("cortex-m7", "toolchains/run_cortex_m.sh mps2-an500", "dsp"), ("cortex-m33", "toolchains/run_cortex_m.sh mps2-an505", "dsp"),
                 ("cortex-m55", "toolchains/run_cortex_m.sh mps3-an547", "mve")],
}
# 5, 11, 6 and 9 ids: run alone and as one padded batch.
RAGGED_TEXTS = "de\tnein\nde\tDanke sehr\nja\tいいえ\nen\tgood day\n"
ENCODER_PRECISIONS = ["int8", "w8a16"]
# Of the emulated boards only AN547 holds the encoder: a blob has 14.2 MB, and beside its arena that is more than the 16 MB of the other boards'
# largest memory, which must say NOMEM. They get its first layers, as many as they hold. Level of each board that holds it: M55's reference
# takes minutes in the emulator.
ENCODER_BOARDS = {"cortex-m55": "mve"}
BOARD_LAYERS = 4


def run(command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


def convert(root, model, blob, *options):
    result = run([root / "build/release/convert/edgeconv", model, "-o", blob, *options])
    if result.returncode != 0:
        sys.exit(f"conversion to {blob.name} failed:\n{result.stderr}")
    return blob


def make_blobs(root, folder, target="portable"):
    """Blobs of the language model in all precisions, made by this host's converter."""
    model = root / "tests/models/langid/langid.onnx"
    return [convert(root, model, folder / f"langid_{p}_{target}.ert", "--precision", p, "--target", target) for p in PRECISIONS]


def digest_of(root, build, emulator, isa, texts, blobs):
    return run(emulator.split() + [root / build / "tests/digest/digest", "--isa", isa, texts] + blobs)


def row(root, builds, texts, blobs, job):
    """(target, emulator, isa, digest or None, remark); None with a remark is a fault."""
    target, emulator, isa, refused = job
    result = digest_of(root, builds[target], emulator, isa, texts, blobs)
    words = result.stdout.split()
    if refused:
        good = result.returncode == 1 and "instruction set" in result.stderr
        return (target, emulator, isa, "", "refused, as it must be") if good else (target, emulator, isa, None, f"was not refused: exit {result.returncode}")
    if result.returncode == 0 and words[1] == isa:
        return target, emulator, isa, words[0], ""
    if isa in OPTIONAL and "instruction set" in result.stderr:
        return target, emulator, isa, "", "not on this machine"
    return target, emulator, isa, None, result.stderr.strip() or f"exit {result.returncode}"


def rows(root, builds, texts, blobs, cpus):
    """Rows of all levels that run and of those that must be refused, in order; as many at once as there are processors."""
    jobs = []
    for target, emulator, runs, refused in cpus:
        if target in builds:
            jobs += [(target, emulator, isa, False) for isa in runs.split()] + [(target, emulator, isa, True) for isa in refused.split()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(lambda job: row(root, builds, texts, blobs, job), jobs)


def one_value(values, faults):
    return len(values) == 1 and not faults


def print_table(root, builds, texts, blobs, cpus, values):
    """Adds the digests of all rows to `values`. True if it has one value then and no row is a fault."""
    faults = 0
    for target, emulator, isa, value, remark in rows(root, builds, texts, blobs, cpus):
        cpu = "this machine" if not emulator else emulator.split()[-1] if " " in emulator else ""
        print(f"  {target:10} {cpu:20} {isa:15} {value or '-':17} {remark}", flush=True)
        faults += value is None
        if value:
            values.add(value)
    good = one_value(values, faults)
    print("  one value" if good else f"  FAILED: {len(values)} values, {faults} faults")
    return good


def blind(root, builds, texts, blobs, values):
    """Canary: a target that computes one blob in another precision must spoil the table. True if it does not."""
    other = digest_of(root, builds["x86-64"], "", "ref", texts, [blobs[0], blobs[0], *blobs[2:]]).stdout.split()
    if other and not one_value(values | {other[0]}, 0):
        return False
    print("  FAILED: the table is blind: a blob in another precision does not spoil it")
    return True


def check_language_model(root, builds, folder, blobs, cpus):
    """True if all levels and all layouts give one number."""
    texts, values = root / "tests/models/langid/texts.tsv", set()
    print(f"\ndigest of the language model ({', '.join(PRECISIONS)}), every text alone and in padded batches")
    good = print_table(root, builds, texts, blobs, cpus, values)
    good &= not blind(root, builds, texts, blobs, values)
    for target, lines in LAYOUTS.items():
        print(f"\nthe same packed with --target {target}: must be the same value")
        good &= print_table(root, builds, texts, make_blobs(root, folder, target), [(*line, "") for line in lines], values)
    return good


def make_ds_cnn(root, folder, target="portable"):
    """(texts, blobs of all precisions) of a DS-CNN, rows and maps whatever the target would choose."""
    model, texts = folder / "ds_cnn.onnx", folder / "ds_cnn.tsv"
    ds_cnn_model.write(model)
    texts.write_text(RAGGED_TEXTS, encoding="utf-8")
    forms = [(p, "none") for p in PRECISIONS] + [("int8", "all")]
    return texts, [convert(root, model, folder / f"ds_cnn_{p}_{maps}_{target}.ert", "--precision", p, "--maps", maps, "--target", target) for p, maps in forms]


def check_ds_cnn(root, builds, folder, cpus):
    """True if a DS-CNN gives one number on all levels."""
    print(f"\ndigest of a DS-CNN ({', '.join(PRECISIONS)}), a ragged batch of 5 to 11 frames and each text alone")
    texts, blobs = make_ds_cnn(root, folder)
    values = set()
    good = print_table(root, builds, texts, blobs, cpus, values)
    good &= not blind(root, builds, texts, blobs, values)
    print("\nthe same packed with --target cortex-m: must be the same value")
    return good & print_table(root, builds, *make_ds_cnn(root, folder, "cortex-m"), [(*line, "") for line in LAYOUTS["cortex-m"]], values)


def refuses_encoder(root, build, target, emulator, texts, blob):
    """True if a board that is too small for the encoder says so."""
    result = digest_of(root, build, emulator, "ref", texts, [blob])
    small = result.returncode == 1 and "NOMEM" in result.stderr
    print(f"  {target:10} {emulator.split()[-1]:20} {'-':15} {'-':17} "
          f"{'too small for it, and says so' if small else f'FAILED: is not too small: exit {result.returncode} {result.stderr.strip()}'}", flush=True)
    return small


def check_board_encoder(root, builds, folder, cpus, texts):
    """True if as many layers of the encoder as the smaller boards hold give one number on them and on the host."""
    print(f"\nthe same with {BOARD_LAYERS} of its {encoder_model.LAYERS} layers, for the boards that do not hold all", flush=True)
    model, values = folder / "board_encoder.onnx", set()
    encoder_model.write(model, BOARD_LAYERS)
    blobs = [convert(root, model, folder / f"board_encoder_{p}.ert", "--precision", p) for p in ENCODER_PRECISIONS]
    # The best level of a board: the last.
    jobs = [(target, emulator, runs.split()[-1] if emulator else "ref", "") for target, emulator, runs, _ in cpus
            if not emulator or target.startswith("cortex-m") and target not in ENCODER_BOARDS]
    good = print_table(root, builds, texts, blobs, jobs, values)
    return good and not blind(root, builds, texts, blobs, values)


def check_encoder(root, builds, folder, cpus):
    """True if an encoder of the size of MiniLM gives one number on all targets that hold it, the others refuse it, and what they hold of it
    gives one number, too."""
    print(f"\ndigest of an encoder of the size of MiniLM-L6 ({', '.join(ENCODER_PRECISIONS)}), a ragged batch of 5 to 11 ids and each text alone")
    model, texts, values = folder / "encoder.onnx", folder / "ragged.tsv", set()
    encoder_model.write(model)
    texts.write_text(RAGGED_TEXTS, encoding="utf-8")
    blobs = [convert(root, model, folder / f"encoder_{p}.ert", "--precision", p) for p in ENCODER_PRECISIONS]
    jobs = [(target, emulator, ENCODER_BOARDS.get(target, runs), "") for target, emulator, runs, _ in cpus
            if not target.startswith("cortex-m") or target in ENCODER_BOARDS]
    good = print_table(root, builds, texts, blobs, jobs, values)
    good &= not blind(root, builds, texts, blobs, values)
    for target, emulator, _, _ in cpus:
        if target in builds and target.startswith("cortex-m") and target not in ENCODER_BOARDS:
            good &= refuses_encoder(root, builds[target], target, emulator, texts, blobs[0])
    return check_board_encoder(root, builds, folder, cpus, texts) and good
