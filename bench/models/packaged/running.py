"""A blob and ONNX Runtime on the same inputs: single calls, and chains of calls that hand their states on."""
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field

import numpy as np


class RunFailed(Exception):
    pass


@dataclass
class Feeds:
    """What a model is run on. samples: {input: array}, each one call; with states, each is one step and `states` says which output is
    which input of the next; `resets` are the steps that start from zero states."""
    samples: list
    states: dict = field(default_factory=dict)
    resets: tuple = (0,)
    what: str = ""
    made_up: bool = False


def session(path, threads=1):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


class Reference:
    """ONNX Runtime with the file itself."""

    def __init__(self, path):
        self.session = session(path)
        self.inputs = {i.name: i for i in self.session.get_inputs()}
        self.outputs = [o.name for o in self.session.get_outputs()]

    def __call__(self, feed):
        return dict(zip(self.outputs, self.session.run(None, feed)))


class Blob:
    """`edgeconv run`; inputs and outputs go through files in a temporary folder."""

    def __init__(self, edgeconv, path):
        self.edgeconv, self.path = edgeconv, path
        self.folder = tempfile.mkdtemp(prefix="edgeconv-packages-")
        shown = subprocess.run([edgeconv, "inspect", path, "--json"], capture_output=True, text=True, check=True)
        self.description = json.loads(shown.stdout)
        self.inputs = [row["name"] for row in self.description["inputs"]]

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def __call__(self, feed):
        """Inputs that were pinned by --const are no inputs of the blob and left out."""
        command = [self.edgeconv, "run", self.path, "--out", os.path.join(self.folder, "out")]
        for i, name in enumerate(self.inputs):
            file = os.path.join(self.folder, f"in{i}.npy")
            np.save(file, feed[name])
            command += ["--input", f"{name}={file}"]
        # A result of the call before must never be taken for one of this call.
        shutil.rmtree(os.path.join(self.folder, "out"), ignore_errors=True)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RunFailed(f"run: exit {done.returncode}: {((done.stderr + done.stdout).strip().splitlines() or ['no output'])[0][:300]}")
        return self.written()

    def written(self):
        """What is no file name in an output's name is a _ in that of its file."""
        out = os.path.join(self.folder, "out")
        files = {row["name"]: os.path.join(out, re.sub(r"[/\\:\x00-\x1f]", "_", row["name"]) + ".npy") for row in self.description["outputs"]}
        missing = [name for name, file in files.items() if not os.path.exists(file)]
        if missing:
            raise RunFailed(f"run wrote no {missing[0]}.npy, but {sorted(os.listdir(out))}")
        return {name: np.load(file) for name, file in files.items()}


def run_all(call, feeds):
    """{output: [array of each sample]}; a chain's states are those that `call` itself gave."""
    results = {}
    states = {}
    for step, sample in enumerate(feeds.samples):
        feed = dict(sample)
        if feeds.states:
            if step in feeds.resets:
                states = {name: np.zeros_like(sample[name]) for name in feeds.states.values()}
            feed.update(states)
        outputs = call(feed)
        for name, array in outputs.items():
            results.setdefault(name, []).append(array)
        states = {given: np.asarray(outputs[output], sample[given].dtype).reshape(sample[given].shape) for output, given in feeds.states.items()}
    return results
