"""The programs that the package carries: `edgeconv` and `ert-bench`."""
import os
import pathlib
import sys
from typing import Dict, Optional

_FOLDER = pathlib.Path(__file__).parent / "bin"


def program(name: str) -> Optional[pathlib.Path]:
    """Its path, or None in a package that was built to run blobs only."""
    path = _FOLDER / name
    return path if path.exists() else None


def environment() -> Dict[str, str]:
    """OpenBLAS, the reference of validation, would start a thread for each core before it is asked for anything."""
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1"}


def _become(name: str) -> None:
    path = program(name)
    if path is None:
        sys.exit(f"{name}: this package was built to run blobs only; install the one for x86-64, or build {name} from a checkout")
    os.execve(path, [name, *sys.argv[1:]], environment())


def edgeconv() -> None:
    _become("edgeconv")


def ert_bench() -> None:
    _become("ert-bench")
