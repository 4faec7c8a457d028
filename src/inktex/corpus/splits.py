"""Guesses from its path which split a file of a CROHME package belongs to.

A path like `CROHME2013_data/TestINKMLGT.zip/TestINKMLGT/x.inkml`, with archives written as folders, gives
the name of a split: `train`, `test2013`, `valid2019`, `symbols-test2014`, … The packages of 2011 to 2023
agree on hardly anything but the words train, test and valid and a year somewhere in the path.
"""

import re

# 2013 and 2014 trained on the same files, and most people call them just "the training set".
_TRAINING_YEARS = {None, "2013", "2014"}
# The 2013 test set carries no year in its own name.
_YEAR_OF_FOLDER = {"testinkmlgt": "2013", "testinkml": "2013"}
# Tasks other than whole expressions come in the same packages and must not be mixed with them.
_TASKS = (
    ("symbol", "symbols"),
    ("isolated", "symbols"),
    ("junk", "symbols"),
    ("matri", "matrices"),
    ("structure", "structure"),
)


def split_of(path: str) -> str:
    """Name the split of a file by its path, `other` where the path does not say.

    The innermost folder that speaks of training, validation or test wins: the 2023 package keeps
    `CROHME2014_test` inside `val`.
    """
    folders = [part for part in path.replace("\\", "/").split("/") if part][:-1]
    role = None
    for depth in range(len(folders) - 1, -1, -1):
        role = _role(folders[depth])
        if role is not None:
            break
    if role is None:
        return "other"
    year = _year(folders[depth])
    for folder in reversed(folders[:depth]):
        year = year or _year(folder)
    year = year or _YEAR_OF_FOLDER.get(folders[depth].lower().removesuffix(".zip"))
    task = next((name for word, name in _TASKS if any(word in folder.lower() for folder in folders)), None)
    split = "train" if role == "train" and year in _TRAINING_YEARS else role + (year or "")
    return f"{task}-{split}" if task else split


def _role(folder: str) -> str | None:
    for word in _words(folder):
        if word.startswith("train"):
            return "train"
        if word.startswith("test"):
            return "test"
        if word.startswith("valid") or word == "val":
            return "valid"
    return None


def _words(folder: str) -> list[str]:
    """Split `TestEM2014GT` into `test em 2014 gt` and `trainData_2012` into `train data 2012`."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", " ", folder)
    return re.findall(r"[a-z]+|\d+", spaced.lower())


def _year(folder: str) -> str | None:
    full = re.search(r"(?<!\d)20[12]\d(?!\d)", folder)
    short = re.search(r"crohme[_-]?([12]\d)(?!\d)", folder.lower())  # the 2023 package is named CROHME23
    return full[0] if full else f"20{short[1]}" if short else None
