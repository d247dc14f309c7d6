"""The version of the installed package: that of the converter and of the runtime in it."""
from importlib.metadata import version

__version__: str = version("edgeconv")
