"""A blob that runs."""
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _runtime
from ._error import Error

_TASKS = ("none", "embed", "classify", "tokens", "qa", "zero-shot")
_ARG, _INPUT, _UNSUPPORTED = 1, 5, 27  # ert_status


def _bytes(text: str) -> bytes:
    """UTF-8; surrogates become what is no UTF-8, which the tokenizer takes for U+FFFD."""
    return text.encode("utf-8", "surrogatepass")


class Tensor(NamedTuple):
    """An input or output. shape: sizes, and names of dims for those that vary; None for sizes that are computed of them."""

    name: str
    dtype: str
    shape: Tuple[Union[int, str, None], ...]
    state: bool  # kept between runs; need not be given


class Model:
    """A blob, opened and verified; it stays mapped and is never written.

    path: the .ert file. threads: of each run. isa: an instruction set of isa_available() instead of the best one; the bits are the same.
    Each Python thread that calls has a context of its own, whose memory is that of its largest run; the interpreter's lock is free meanwhile.
    Of models with states each thread has its own stream. Raises Error, or OSError for the file.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], threads: int = 1, isa: Optional[str] = None):
        self._path = os.fspath(path)
        if self._path.endswith(".onnx"):
            raise Error(f"{self._path} is an ONNX model: edgeconv.convert({self._path!r}) makes the .ert file that runs", 21, "MAGIC")
        self._model = _runtime.Model(self._path, threads, isa)
        self._inputs = [Tensor(name, dtype, tuple(shape), state) for name, dtype, shape, state in self._model.inputs]
        self._outputs = [Tensor(name, dtype, tuple(shape), state) for name, dtype, shape, state in self._model.outputs]

    def __repr__(self) -> str:
        return f"<edgeconv.Model {self._path!r}: {', '.join(i.name for i in self._inputs)} -> {', '.join(o.name for o in self._outputs)}>"

    @property
    def inputs(self) -> List[Tensor]:
        return list(self._inputs)

    @property
    def outputs(self) -> List[Tensor]:
        return list(self._outputs)

    @property
    def dims(self) -> Dict[str, Tuple[int, int]]:
        """Smallest and largest size of each named dim."""
        return dict(self._model.dims)

    @property
    def task(self) -> str:
        """What the blob answers of texts: embed, classify, tokens, qa, zero-shot; none."""
        return _TASKS[self._model.task]

    @property
    def labels(self) -> List[str]:
        """Names of the classes, where the blob has them."""
        return list(self._model.labels)

    @property
    def isa(self) -> str:
        """The instruction set that runs take."""
        return self._model.isa

    def run(self, inputs: Mapping[str, Any]) -> Dict[str, np.ndarray]:
        """Runs the model once. inputs: {name: array}, anything with the buffer protocol or DLPack in the CPU's memory, or nested lists.

        Arrays whose elements lie in order are read where they are; integers may be int32 or int64 whatever the model declares. Outputs are new arrays.
        Raises Error: an input that is missing, unknown or of another dtype, a dim outside of `dims`, an id that the model has not.
        """
        unknown = [name for name in inputs if name not in {i.name for i in self._inputs}]
        if unknown:
            raise Error(f"the model has no input '{unknown[0]}'; it has {self._named(self._inputs)}", _INPUT, "INPUT")
        given = [self._array(i, inputs[i.name]) if i.name in inputs else None for i in self._inputs]
        missing = [i.name for i, array in zip(self._inputs, given) if array is None and not i.state]
        if missing:
            raise Error(f"input '{missing[0]}' is not given; the model needs {self._named([i for i in self._inputs if not i.state])}", _INPUT, "INPUT")
        return dict(zip((o.name for o in self._outputs), self._model.run(given)))

    def reset_states(self) -> None:
        """Makes the states of this thread's stream zero again: call it where a new recording begins."""
        self._model.reset_states()

    def ids(self, text: str, pair: Optional[str] = None, special_tokens: bool = True) -> List[int]:
        """Ids of a text, or of a text and its pair, cut to what the model takes, without padding."""
        self._needs_text()
        return list(self._model.ids(_bytes(text), None if pair is None else _bytes(pair), special_tokens))

    def encode(self, texts: Union[str, Sequence[str]]) -> np.ndarray:
        """Embeddings [texts, elements], float32; of a single str [elements]. Of blobs with task embed."""
        self._needs_task("embed", "encode")
        if isinstance(texts, str):
            return self._model.answer(_bytes(texts), None, [], 0)["vector"]
        rows = [self._model.answer(_bytes(text), None, [], 0)["vector"] for text in texts]
        return np.stack(rows) if rows else np.empty((0, 0), np.float32)

    def answer(self, text: str, pair: Optional[str] = None, labels: Optional[Sequence[str]] = None, top: int = 0) -> Dict[str, Any]:
        """The answer of the blob's task, as `edgeconv run --text --json` prints it: {"task", "truncated"} and

        embed: "vector" (array). classify, zero-shot: "labels", a list of {"label", "score"}, best first. tokens: "entities", of {"label", "score",
        "start", "end", "text"}. qa: "answers", of {"text", "score", "start", "end"}; text is the question, pair the context. start and end are bytes of the
        text (qa: of the context) in UTF-8. labels: those of zero-shot. top: at most so many; 0: all, of qa one.
        """
        self._needs_text()
        task = self.task
        if task == "none":
            raise Error("the blob has a tokenizer, but no task: convert the model with task='embed', 'classify', 'tokens', 'qa' or 'zero-shot'", _UNSUPPORTED, "UNSUPPORTED")
        if task == "zero-shot" and not labels:
            raise Error("the blob's task is zero-shot: give the labels that texts are judged by, labels=[...]", _ARG, "ARG")
        if task != "zero-shot" and labels:
            raise Error(f"the blob's task is {task}; only zero-shot takes labels: leave them out", _ARG, "ARG")
        if task == "qa" and top > 16:
            raise Error(f"top is {top}: a blob that answers questions gives 16 answers at most", _ARG, "ARG")
        if task == "qa" and pair is None:
            raise Error("the blob's task is qa: give the context of the question, pair=...", _ARG, "ARG")
        if task in ("tokens", "zero-shot") and pair is not None:
            raise Error(f"the blob's task is {task}, which takes no pair: leave it out", _ARG, "ARG")
        data, other = _bytes(text), None if pair is None else _bytes(pair)
        said = self._model.answer(data, other, list(labels or []), top)
        out: Dict[str, Any] = {"task": task, "truncated": said["truncated"]}
        if task == "embed":
            out["vector"] = said["vector"]
            return out
        source = other if task == "qa" and other is not None else data
        rows = said["scored"][:top] if top and task in ("classify", "zero-shot") else said["scored"]
        part = lambda start, end: source[start:end].decode("utf-8", "replace")  # noqa: E731
        if task == "qa":
            out["answers"] = [{"text": part(start, end), "score": score, "start": start, "end": end} for _, score, start, end in rows]
        elif task == "tokens":
            out["entities"] = [{"label": label, "score": score, "start": start, "end": end, "text": part(start, end)} for label, score, start, end in rows]
        else:
            out["labels"] = [{"label": label, "score": score} for label, score, _, _ in rows]
        return out

    @staticmethod
    def _named(tensors: Sequence[Tensor]) -> str:
        return ", ".join(f"'{t.name}'" for t in tensors)

    @staticmethod
    def _array(wanted: Tensor, value: Any) -> Any:
        """The array as it is; of lists and numbers one of the model's dtype."""
        if not isinstance(value, np.ndarray):
            value = Model._as_array(wanted, value)
        if isinstance(value, np.ndarray):
            if 0 in value.shape:
                raise Error(f"input '{wanted.name}' has no elements: its shape is {list(value.shape)}", _INPUT, "INPUT")
            if not value.dtype.isnative:
                value = value.astype(value.dtype.newbyteorder("="))
            integers = wanted.dtype in ("int32", "int64") and value.dtype in (np.int32, np.int64)
            bools = wanted.dtype == "bool" and value.dtype == np.uint8
            if value.dtype != wanted.dtype and not integers and not bools:
                raise Error(f"input '{wanted.name}' is {value.dtype}, the model takes {wanted.dtype}: use .astype(numpy.{wanted.dtype})", _INPUT, "INPUT")
            return np.ascontiguousarray(value) if value.ndim else value
        return value

    @staticmethod
    def _as_array(wanted: Tensor, value: Any) -> Any:
        """A view of what has DLPack or a buffer; a new array of lists and numbers, whose values stay what they are."""
        try:
            if hasattr(value, "__dlpack__"):
                return np.from_dlpack(value) if hasattr(np, "from_dlpack") else value  # NumPy 1.22 has it not
            array = np.asarray(value)
            if not isinstance(value, (list, tuple, bool, int, float, np.generic)) or array.dtype.kind not in "biuf":
                return array
            if array.dtype.kind == "f" and wanted.dtype != "float32":
                return array
            cast = array.astype(wanted.dtype)
            if wanted.dtype != "float32" and not np.array_equal(cast, array):
                raise Error(f"input '{wanted.name}' has numbers that {wanted.dtype} does not have", _INPUT, "INPUT")
            return cast
        except (BufferError, TypeError, ValueError, OverflowError) as error:
            raise Error(f"input '{wanted.name}' is no array in the CPU's memory: {error}", _INPUT, "INPUT") from error

    def _needs_text(self) -> None:
        if not self._model.has_text:
            raise Error("the blob has no tokenizer: convert the model with tokenizer=FILE or tokenizer=FOLDER", _UNSUPPORTED, "UNSUPPORTED")

    def _needs_task(self, task: str, who: str) -> None:
        self._needs_text()
        if self.task != task:
            raise Error(f"{who}() is for blobs with task {task}, this one has {self.task}: use answer(), or ids()", _UNSUPPORTED, "UNSUPPORTED")
