"""What the scripts of this folder import, looked for before a traceback says it."""
import importlib.util
import sys


def packages(*names, requirements="bench/models/exporters/requirements.txt"):
    """Ends the script with the command that makes an environment, where the interpreter lacks one of these packages."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        sys.exit(f"{sys.argv[0]}: {sys.executable} has no {', '.join(missing)}. `bench/models/make_venv.sh VENV {requirements}` makes an environment: run it by VENV/bin/python")
