#!/usr/bin/env python3
"""conv.py WORKDIR NETS [--nets ds_cnn,resnet8] [--levels neon_inorder,dotprod] [--bench ERT_BENCH]: convolutional nets beside LiteRT int8 on 64-bit ARM, as run.py does
with transformers. WORKDIR was made by setup.sh; NETS is the folder of `bench/compare/conv.py NETS --litert PYTHON`: NAME.ert, NAME.int8.ert and NAME.int8.tflite.

Modelled, not measured: see run.py."""
import argparse
import pathlib

from run import HERE, LEVELS, Guest
from trace_model import Runs

# Steps from trace to trace, in those of run.py: some 500 traces a run.
STEPS = {"ds_cnn": 2, "resnet8": 6, "mobilenet025": 6, "mobilenetv2": 200}
FORMS = ("auto", "int8")


def options():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("workdir", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--nets", default="ds_cnn,resnet8", type=lambda text: text.split(","))
    parser.add_argument("--levels", default="neon_inorder,dotprod", type=lambda text: text.split(","))
    parser.add_argument("--bench", type=pathlib.Path)
    o = parser.parse_args()
    for given, known in ((o.nets, STEPS), (o.levels, LEVELS)):
        unknown = [name for name in given if name not in known]
        if unknown:
            parser.error(f"unknown: {unknown[0]}; known: {', '.join(known)}")
    absent = [name for net in o.nets for name in (f"{net}.ert", f"{net}.int8.ert", f"{net}.int8.tflite") if not (o.folder / name).is_file()]
    if absent:
        parser.error(f"{o.folder} has no {absent[0]}: `bench/compare/conv.py {o.folder} --litert PYTHON` makes it")
    return o


def count(guest, folder, level, net):
    """{side: name of the run}"""
    names = {form: f"conv_{net}_{form}_{level}" for form in FORMS}
    for form, name in names.items():
        blob = folder / (f"{net}.ert" if form == "auto" else f"{net}.{form}.ert")
        guest.run(name, level, STEPS[net], guest.ert_run, guest.work / "ert-bench", blob, "--warmup", "0", "--runs", "2", "--isa", level)
    names["LiteRT"] = f"conv_{net}_litert_{LEVELS[level][1]}"
    guest.peer(names["LiteRT"], level, STEPS[net], "litert_net", folder / f"{net}.int8.tflite")
    return names


def line(net, level, core, kcycles):
    """A row of the table; kcycles: {side: thousands of cycles}."""
    cells = [net, level, core, *(f"{kcycles[side]:,.0f}" for side in (*FORMS, "LiteRT")), *(f"{kcycles['LiteRT'] / kcycles[form]:.2f}" for form in FORMS)]
    return "| " + " | ".join(cells) + " |"


def main():
    o = options()
    guest, folder, lines = Guest(o), o.folder.resolve(), []
    runs = Runs(guest.work)
    for level in o.levels:
        for net in o.nets:
            modelled = {side: runs.model(name, LEVELS[level][2].values()) for side, name in count(guest, folder, level, net).items()}
            for core, model in LEVELS[level][2].items():
                for side, (instructions, cores) in modelled.items():
                    r = cores[model]
                    print(f"{core:18} {net:12} {side:7} {instructions / 1e3:9,.0f} k instructions {1000 * r['mcycles']:9,.0f} k cycles +-{100 * r['error']:.1f} %", flush=True)
                lines.append(line(net, level, core, {side: 1000 * cores[model]["mcycles"] for side, (_, cores) in modelled.items()}))
    print("\n| network | level | core | auto | int8 | LiteRT int8 | LiteRT / auto | LiteRT / int8 |\n" + "|" + "---|" * 8)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
