"""Models by name or path: exported files, folders of them, training runs, and PyTorch weights.

Names are those of the files `NAME.inktex` in the package (the default weights), in the folder named by
`INKTEX_MODELS`, in `~/.local/share/inktex/models`, and in `models/` of the repository when inktex runs from a
checkout.
"""

import json
import os
from collections.abc import Iterator
from functools import partial
from importlib.resources import files
from pathlib import Path

from inktex.decoding import Stepper
from inktex.files import user_folder

from .model import Model, Part
from .modelfile import SUFFIX, ModelError, ModelFile, join_models, read_model

DEFAULT = "wide"
WEIGHTS = ".safetensors"


def open_model(*sources: str | Path | None, threads: int = 1) -> Model:
    """Open a model; several together answer as one ensemble.

    A source is a name, a model file, a folder of model files (an ensemble), a training run, or a
    `.safetensors` file. None, or no source, means the default weights. Runs and
    `.safetensors` files need PyTorch.
    """
    models = [_open(source, threads) for source in sources or (None,)]
    model = models[0] if len(models) == 1 else Model.joined(models, f"ensemble of {len(models)}")
    model.check_partner()
    return model


def _open(source: str | Path | None, threads: int) -> Model:
    path = find_model(source)
    if path.suffix == WEIGHTS or _is_run(path):
        return _open_weights(find_weights(path), threads)
    file, name = (read_folder(path), path.name) if path.is_dir() else (read_model(path), path.stem)
    return Model.of_file(file, name, threads=threads, sources=[str(path.absolute())])


def read_folder(folder: Path) -> ModelFile:
    parts = sorted(folder.glob(f"*{SUFFIX}"))
    if not parts:
        raise ModelError(f"{folder}: no {SUFFIX} files in this folder, and no training run")
    return join_models([read_model(part) for part in parts])


def find_weights(source: Path, which: str | None = None) -> Path:
    """The weights of a training run, or the file itself.

    A run that stops early by its validation means its best weights, any other those of its end, averaged; if
    these are not there yet, the others are taken, unless `which` asks for "best" or "last".
    """
    if source.is_file():
        return source
    order = ("best", "last") if _stops_early(source) else ("last", "best")
    files = [source / f"{name}{WEIGHTS}" for name in (order if which is None else (which,))]
    for file in files:
        if file.is_file():
            return file
    if source.is_dir():
        missing = " or ".join(file.name for file in files)
        raise ModelError(f"{source}: the run has no weights yet (no {missing})")
    raise ModelError(f"{source}: neither a training run nor a {WEIGHTS} file")


def _stops_early(run: Path) -> bool:
    try:
        return bool(json.loads((run / "run.json").read_text(encoding="utf-8"))["training"]["patience"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def short_name(source: str | Path) -> str:
    """What a model is called by people: the run of its weights, or its file without the ending."""
    path = Path(source)
    if path.stem in ("best", "last") and path.parent.name:
        return path.parent.name
    return path.name if path.is_dir() else path.stem or str(source)


def _is_run(path: Path) -> bool:
    weights = any((path / f"{name}{WEIGHTS}").is_file() for name in ("best", "last"))
    return (path / "run.json").is_file() or (weights and not any(path.glob(f"*{SUFFIX}")))


def _open_weights(path: Path, threads: int) -> Model:
    try:
        # Here and not above: recognising with exported models needs no PyTorch.
        from .torch_stepper import load_steppers
    except ImportError as error:
        raise ImportError(f"{path}: needs PyTorch ({error}); pip install 'inktex[train]'") from None
    name = short_name(path.absolute())
    parts = [
        Part.of(f"{name}-{number}" if number > 1 else name, config, partial(_given, stepper))
        for number, (stepper, config) in enumerate(load_steppers(path, threads), 1)
    ]
    return Model(name, parts, sources=[str(path.absolute())])


def _given(stepper: Stepper, part: Part) -> Stepper:
    return stepper


def find_model(source: str | Path | None = None) -> Path:
    """The file (or folder) behind a path or a name."""
    if source is None:
        source = os.environ.get("INKTEX_MODEL") or DEFAULT
    path = Path(source)
    if path.exists():
        return path
    known = dict(known_models())
    if str(source) in known:
        return known[str(source)]
    if path.suffix or len(path.parts) > 1:
        raise ModelError(f"{path}: there is no such file; `inktex models` lists the available models")
    names = ", ".join(known) or "none, so name a file"
    raise ModelError(
        f"no model is called {str(source)!r} (there are: {names}); {where_more_are(str(source))}"
    )


def where_more_are(name: str = "NAME") -> str:
    """Where to get models that did not come with the installation, and where to put them."""
    return (
        f"other models are in the folder models/ of inktex's repository: "
        f"put {name}{SUFFIX} into {_own_folder()} or a folder that INKTEX_MODELS names"
    )


def _own_folder() -> Path:
    return user_folder("XDG_DATA_HOME", ".local/share") / "models"


def known_models() -> Iterator[tuple[str, Path]]:
    """All models that have a name, the default one first."""
    found: dict[str, Path] = {}
    for folder in _folders():
        for path in sorted(folder.glob(f"*{SUFFIX}")):
            found.setdefault(path.stem, path)
    yield from sorted(found.items(), key=lambda item: (item[0] != DEFAULT, item[0]))


def _folders() -> list[Path]:
    package = Path(str(files("inktex")))
    named = os.environ.get("INKTEX_MODELS")
    checkout = package.parent.parent
    return [
        package / "weights",
        *([Path(named)] if named else []),
        _own_folder(),
        *([checkout / "models"] if (checkout / "pyproject.toml").is_file() else []),
    ]
