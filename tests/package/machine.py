"""What the consumers of tests/package share: commands, the blob, the installed prefix; each is made once, when first asked for."""
import functools
import os
import shutil
import subprocess


class NotHere(Exception):
    """This machine cannot run the consumer; the text says what it lacks."""


class Machine:
    def __init__(self, source, build, root):
        self.source, self.build, self.root = source, build, root
        self.edgeconv = build / "convert/edgeconv"

    def run(self, *command, cwd=None, env=None, fails=False):
        """Its standard output; a command that fails, or with `fails` one that does not, ends the consumer."""
        words = [str(word) for word in command]
        done = subprocess.run(words, cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, text=True)
        if fails:
            assert done.returncode != 0, f"{' '.join(words)} must fail"
            return done.stdout + done.stderr
        if done.returncode != 0:
            raise subprocess.CalledProcessError(done.returncode, " ".join(words), done.stdout, done.stderr)
        return done.stdout

    def need(self, *programs):
        for program in programs:
            if shutil.which(program) is None:
                raise NotHere(f"no {program}")

    @functools.cached_property
    def blob(self):
        path = self.root / "langid.ert"
        self.run(self.edgeconv, self.source / "tests/models/langid/langid.onnx", "-o", path, "--quiet")
        return path

    @functools.cached_property
    def text_blob(self):
        """The same model with its tokenizer: text in, language out."""
        model, path = self.source / "tests/models/langid", self.root / "text.ert"
        self.run(self.edgeconv, model / "langid.onnx", "--tokenizer", model, "-o", path, "--quiet")
        return path

    @functools.cached_property
    def op_list(self):
        path = self.root / "ops.inc"
        self.run(self.edgeconv, "export", self.blob, "--format", "bin", "-o", self.root / "langid.bin", "--ops", path)
        return path

    @functools.cached_property
    def answer(self):
        """What rt/example/minimal prints for the blob, from the installed static library: what every other way must print."""
        folder = self.root / "answer"
        self.run("cmake", "-S", self.source / "rt/example/minimal", "-B", folder, f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_BUILD_TYPE=Release")
        self.run("cmake", "--build", folder)
        said = self.run(folder / "minimal", self.blob)
        assert "first value" in said, said
        return said

    @functools.cached_property
    def prefix(self):
        """The runtime installed, moved once: what is installed must not know where it was."""
        build, first, moved = self.root / "prefix-build", self.root / "prefix-first", self.root / "prefix"
        self.run("cmake", "-S", self.source, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DERT_DEVELOPER=OFF", "-DERT_BUILD_CONVERTER=OFF",
                 "-DERT_BUILD_TOOLS=OFF", "-DERT_SHARED=ON", f"-DCMAKE_INSTALL_PREFIX={first}")
        self.run("cmake", "--build", build, "-j2")
        for component in ("runtime", "development"):
            self.run("cmake", "--install", build, "--component", component)
        first.rename(moved)
        return moved
