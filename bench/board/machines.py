"""The machine that is measured: this one, or a board behind ssh. Both run shell lines and are given files."""
import pathlib
import shutil
import subprocess
import tempfile

USAGE, UNSUPPORTED, FILE = 2, 4, 6
FAILED = 1
FOLDER = "edgeconv-board"  # in the home of the board's user
SSH_FAILED = 255


class Trouble(Exception):
    """What went wrong, and the exit code that says so."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Local:
    name = "this machine"

    def __init__(self, root):
        self.folder, self.tree = root / "build/board", root
        self.folder.mkdir(parents=True, exist_ok=True)

    def ask(self, line):
        """The finished shell line, run in the folder; what it says on stderr is seen at once."""
        return subprocess.run(["sh", "-c", line], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)

    def place(self, files):
        """{name: where it is there} of {name: file here}; names are paths below the folder."""
        return {name: pathlib.Path(path).resolve() for name, path in files.items()}

    def farewell(self):
        return None


class Remote:
    def __init__(self, host):
        self.name = host
        for program in ("ssh", "scp"):
            if not shutil.which(program):
                raise Trouble(UNSUPPORTED, f"this machine has no {program}: install openssh-client, or clone the repository on the board and run `bench/board.sh local` there")
        home = self.ssh(f"mkdir -p {FOLDER} && cd {FOLDER} && pwd")
        if home.returncode != 0 or not home.stdout.strip():
            raise Trouble(FAILED, f"{host} cannot be used: ssh ended with {home.returncode}; `ssh {host} true` must work, and its home must be writable")
        self.folder = pathlib.PurePosixPath(home.stdout.strip().splitlines()[-1])
        self.tree = self.folder / "tree"

    def ssh(self, line):
        return subprocess.run(["ssh", self.name, line], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)

    def ask(self, line):
        done = self.ssh(f"cd {FOLDER} && {{ {line}\n}}")
        if done.returncode == SSH_FAILED:
            raise Trouble(FAILED, f"the connection to {self.name} broke while it ran: {line[:100]}")
        return done

    def place(self, files):
        with tempfile.TemporaryDirectory() as stage:
            for name, path in files.items():
                target = pathlib.Path(stage) / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
            if subprocess.run(["scp", "-q", "-r", *sorted(map(str, pathlib.Path(stage).iterdir())), f"{self.name}:{FOLDER}/"], check=False).returncode != 0:
                raise Trouble(FAILED, f"scp to {self.name}:{FOLDER}/ failed: is there room for {sum(pathlib.Path(p).stat().st_size for p in files.values()) / 1e6:.0f} MB?")
        return {name: self.folder / name for name in files}

    def farewell(self):
        return f"Left on {self.name} for the next run: ~/{FOLDER}"
