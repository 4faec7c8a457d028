"""Messages of a live session: parses and checks the JSON that a client sends; see docs/server.md."""

import json
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from inktex.server.errors import RequestError, in_words
from inktex.server.schemas import Latex, Strict, Stroke

Id = Annotated[str, Field(min_length=1, max_length=64)]
Ids = Annotated[list[Id], Field(min_length=1, max_length=20_000)]
LineNumber = Annotated[int, Field(ge=1, le=2**53, strict=True)]
Revision = Annotated[int, Field(ge=0, le=2**53, strict=True)]


class Message(Strict):
    """Common to all: the client's number for its ink after this change, and whether more comes at once."""

    revision: Revision | None = None
    more: bool = False


class Put(Message):
    """A new stroke, after all others; or one that was moved or redrawn."""

    type: Literal["add", "replace"]
    id: Id
    points: Stroke


class Remove(Message):
    """Strokes were erased."""

    type: Literal["remove"]
    ids: Ids


class Clear(Message):
    """All strokes were erased."""

    type: Literal["clear"]


class Pin(Message):
    """A person decided what some strokes say."""

    type: Literal["pin"]
    ids: Ids
    latex: Latex


class Choose(Message):
    """A person decided what a line says: another reading, or LaTeX they edited."""

    type: Literal["choose"]
    latex: Latex
    line: LineNumber | None = None


class Explain(Message):
    """Where did the network look?"""

    type: Literal["explain"]
    line: LineNumber | None = None


class Render(Message):
    """How does this LaTeX look?"""

    type: Literal["render"]
    latex: Annotated[str, Field(max_length=4000)]


class Options(Message):
    """How many readings are wanted, and whether lines are told apart."""

    type: Literal["options"]
    top: Annotated[int, Field(ge=1, le=10, strict=True)] | None = None
    lines: Annotated[bool, Field(strict=True)] | None = None


Change = Put | Remove | Clear | Pin
AnyMessage = Change | Choose | Explain | Render | Options
_READER: TypeAdapter[AnyMessage] = TypeAdapter(Annotated[AnyMessage, Field(discriminator="type")])


def parse(text: str) -> AnyMessage:
    """Read one message; RequestError says what is wrong with it, without repeating it."""
    try:
        return _READER.validate_python(json.loads(text))
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False, include_context=False)
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        message = in_words(faults[0]["msg"], faults[0]["loc"]) + more
        raise RequestError(422, "bad_message", message) from None
    except (ValueError, RecursionError):
        raise RequestError(400, "bad_message", "a message is one JSON object") from None
