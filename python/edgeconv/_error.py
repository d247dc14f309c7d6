"""What every refusal is."""


class Error(RuntimeError):
    """A conversion or a run that was refused. The text says what, where, why and what to do.

    status: of a run the ert_status of rt/include/ert.h, of a conversion the exit code of `edgeconv` (2 usage, 3 malformed, 4 unsupported, 5 limit,
    6 file system, 7 accuracy, 8 checksum).
    name: its name in capitals, as "DIMS" or "MALFORMED".
    """

    def __init__(self, message: str, status: int = 0, name: str = ""):
        super().__init__(message)
        self.status = status
        self.name = name
