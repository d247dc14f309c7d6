"""Conversion, by the program that the package carries: a process of its own, so that it takes no lock and no memory of this one."""
import json
import os
import subprocess
import warnings
from typing import Any, Dict, List, Mapping, Optional, Union

from . import _commands
from ._error import Error

_NAMES = {1: "INTERNAL", 2: "USAGE", 3: "MALFORMED", 4: "UNSUPPORTED", 5: "LIMIT", 6: "IO", 7: "ACCURACY", 8: "CHECKSUM", 130: "INTERRUPTED"}
_OWN = {"o": "out", "output": "out", "json": None, "quiet": None, "q": None, "progress": None}


class ConversionWarning(UserWarning):
    """What a conversion warns of."""


def _words(option: str, value: Any) -> List[str]:
    """The option as it is typed; one that may be repeated takes a list, NAME=VALUE a dict."""
    if value is None or value is False:
        return []
    if value is True:
        return [option]
    if isinstance(value, Mapping):
        value = [f"{name}={one}" for name, one in value.items()]
    if isinstance(value, (list, tuple)):
        return [word for one in value for word in (option, os.fspath(one) if isinstance(one, os.PathLike) else str(one))]
    return [option, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]


def convert(path: Union[str, "os.PathLike[str]"], out: Optional[Union[str, "os.PathLike[str]"]] = None, **options: Any) -> Dict[str, Any]:
    """Converts an ONNX model to a blob and gives the summary that `edgeconv --json` prints.

    path: the model. out: the blob; MODEL.ert in the current folder by default; it is replaced.
    options: as on the command line, `-` as `_`: dim={"sequence": 128}, precision="int8", tokenizer="folder", task="embed", calib="inputs.npz",
    force=True, ... A flag takes True, an option that may be repeated a list, NAME=VALUE a dict. `edgeconv --help` lists them.
    Warnings come as ConversionWarning. Raises Error; nothing is written then.
    """
    binary = _commands.program("edgeconv")
    if binary is None:
        raise Error("this package was built to run blobs only: convert with the package for x86-64, and bring the .ert file here", 4, "UNSUPPORTED")
    model = os.fspath(path)
    if os.path.dirname(model) == "":  # a file named like a verb, `run`, is a file
        model = os.path.join(os.curdir, model)
    command = [os.fspath(binary), model, "--json"]
    if out is not None:
        command += ["-o", os.fspath(out)]
    for name, value in options.items():
        if name in _OWN:
            raise TypeError(f"convert() takes no option '{name}'" + (f": use {_OWN[name]}=" if _OWN[name] else ": the summary is what it returns"))
        command += _words("--" + name.replace("_", "-"), value)
    done = subprocess.run(command, env=_commands.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode != 0:
        text = "\n".join(line[7:] if line.startswith("error: ") else line for line in said.splitlines())
        raise Error(text or f"edgeconv ended with {done.returncode}", done.returncode, _NAMES.get(done.returncode, "INTERNAL"))
    for line in said.splitlines():
        if line.startswith("warning: "):
            warnings.warn(line[9:], ConversionWarning, stacklevel=2)
    return json.loads(done.stdout)
