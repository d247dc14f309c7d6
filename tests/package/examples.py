"""The examples of rt/example, each built alone in a clean folder. They tell the language of the same texts, and must say what `edgeconv run` says."""
import pathlib
import shutil

from machine import NotHere

TEXTS = ("Guten Morgen, wie geht es Ihnen?", "Où est la gare ?", "Where is the station?")


def languages(machine):
    """Label and score of each text, a line each, as the examples print them."""
    lines = []
    for text in TEXTS:
        score, label = machine.run(machine.edgeconv, "run", machine.text_blob, "--text", text, "--top", "1").splitlines()[-1].split(maxsplit=1)
        lines.append(f"{label} {score}\n")
    assert [line[:2] for line in lines] == ["de", "fr", "en"], lines
    return "".join(lines)


def copied(machine, folder, name):
    """The example without the checkout around it."""
    return shutil.copytree(machine.source / "rt/example" / name, folder / name)


def example_c(machine, folder):
    """The examples in C against the installed library: minimal, langid, similarity, custom_op."""
    for name in ("minimal", "langid", "similarity", "custom_op"):
        source = copied(machine, folder, name)
        machine.run("cmake", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={machine.prefix}", "-DCMAKE_BUILD_TYPE=Release")
        machine.run("cmake", "--build", source / "build")
    assert machine.run(folder / "minimal/build/minimal", machine.text_blob) == machine.answer
    said = machine.run(folder / "langid/build/langid", machine.text_blob, *TEXTS)
    names = [line.split()[0] for line in said.splitlines()]
    assert names == ["German", "French", "English"], said
    said = machine.run(folder / "similarity/build/similarity", machine.text_blob, *TEXTS[:2], fails=True)
    assert "no vectors" in said, said


def example_cpp(machine, folder):
    source = copied(machine, folder, "raii")
    machine.run("cmake", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={machine.prefix}",
                "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all")
    machine.run("cmake", "--build", source / "build")
    said = machine.run(source / "build/raii", machine.text_blob, *TEXTS)
    assert said == languages(machine), said
    refused = machine.run(source / "build/raii", machine.blob, *TEXTS, fails=True)
    assert "tokenizer: UNSUPPORTED" in refused, refused


def example_rust(machine, folder):
    """cargo without a registry, against the installed archive."""
    machine.need("cargo", "rustc", "pkg-config")
    source = copied(machine, folder, "rust")
    env = {"PKG_CONFIG_PATH": str(machine.prefix / "lib/pkgconfig"), "CARGO_HOME": str(folder / "home"), "RUSTFLAGS": "-D warnings"}
    cargo = "/usr/bin/cargo" if pathlib.Path("/usr/bin/cargo").exists() else "cargo"  # Debian's, the oldest that is promised
    machine.run(cargo, "build", "--offline", "--release", "--locked", cwd=source, env=env)
    said = machine.run(source / "target/release/langid", machine.text_blob, *TEXTS)
    assert said == languages(machine), said
    refused = machine.run(source / "target/release/langid", machine.blob, *TEXTS, fails=True)
    assert "tokenizer: UNSUPPORTED" in refused, refused
    return machine.run(cargo, "--version").strip()


def example_bare_metal(machine, folder):
    """make alone: the one file and the exported model for a Cortex-M4, and what it says on the emulated board."""
    machine.need("make", "flatc", "arm-none-eabi-g++")
    source = machine.source / "rt/example/bare_metal"
    words = ["make", "-s", "-C", source, f"ROOT={machine.source}", f"B={folder}/build", f"EDGECONV={machine.edgeconv}"]
    machine.run(*words)
    if shutil.which("qemu-system-arm") is None:
        raise NotHere("built, but no qemu-system-arm to run it")
    said = machine.run(*words, "run")
    assert [line[:2] for line in said.splitlines()] == ["en", "de", "fr"], said
    text, _, bss = machine.run("arm-none-eabi-size", folder / "build/langid.elf").splitlines()[1].split()[:3]
    return f"{int(text) // 1000} kB of flash with the model, {int(bss) // 1000} kB of RAM"


EXAMPLES = (example_c, example_cpp, example_rust, example_bare_metal)
