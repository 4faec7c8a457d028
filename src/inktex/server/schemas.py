"""Requests and answers as OpenAPI documents them; invalid requests are refused with an explanation."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field, JsonValue, model_validator

# Of wrong values the first is reported. To list them all takes the event loop most of a second per request.
_MOST_FIELDS = 50  # of an object

# JSON has no NaN, but Python's parser takes it; a text or a truth value is no coordinate.
Coordinate = Annotated[float, Field(allow_inf_nan=False, strict=True)]
Coordinates = Annotated[list[Annotated[list[Coordinate], FailFast()]], FailFast()]
Point = Annotated[
    list[Coordinate],
    FailFast(),
    Field(min_length=2, max_length=4, description="x, y (pointing down), and if known time and pressure"),
]
Stroke = Annotated[
    list[Point], FailFast(), Field(min_length=1, description="One line of the pen, point by point")
]
Share = Annotated[float, Field(ge=0, le=1)]
Latex = Annotated[str, Field(min_length=1, max_length=4000)]

# x squared, in as few points as it takes.
EXAMPLE_STROKES: list[JsonValue] = [
    [[0, 12], [6, 16], [12, 22], [20, 28]],
    [[20, 12], [12, 20], [6, 24], [0, 28]],
    [[29, 4], [33, 0], [38, 2], [38, 7], [28, 17], [39, 17]],
]
MATHPIX_EXAMPLE: JsonValue = {
    "x": [[0, 9, 12, 22], [21, 2], [29, 33, 38, 38, 28, 39]],
    "y": [[12, 12, 28, 28], [12, 28], [4, 0, 2, 7, 17, 17]],
}


def _example(extra: Literal["allow", "forbid"] = "forbid", **request: JsonValue) -> ConfigDict:
    return ConfigDict(extra=extra, json_schema_extra={"examples": [request]})


class Strict(BaseModel):
    """A request: what it does not know it does not take."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _has_few_fields(cls, given: Any) -> Any:
        if isinstance(given, dict) and len(given) > _MOST_FIELDS:
            raise ValueError(f"{len(given)} fields, more than there are names for")
        return given


class RecognizeOptions(Strict):
    """What is wanted beyond the best reading."""

    top: int = Field(default=5, ge=1, le=10, strict=True, description="Readings, the best included")
    symbols: list[Annotated[str, Field(min_length=1, max_length=40)]] | None = Field(
        default=None,
        max_length=500,
        description="LaTeX words that the answer may use, or groups such as `digits`, `greek`, `all`; "
        "a minus in front takes away (`-greek`)",
    )
    attention: bool = Field(
        default=False, strict=True, description="Also give where the network looked: per token, per stroke"
    )
    lines: bool = Field(
        default=True, strict=True, description="Find the lines; false: all strokes are one expression"
    )


class RecognizeRequest(Strict):
    """The strokes of an expression, or of several lines."""

    model_config = _example(strokes=EXAMPLE_STROKES, options={"top": 3})
    strokes: Annotated[list[Stroke], FailFast()] = Field(
        min_length=1,
        description="In the order of writing; a stroke is a list of points `[x, y]`, y pointing down",
    )
    options: RecognizeOptions = Field(default_factory=RecognizeOptions)


class Token(BaseModel):
    """One LaTeX word of the answer."""

    text: str
    confidence: Share
    strokes: list[int] = Field(description="Places of the strokes it was read from")


class RecognizedSymbol(BaseModel):
    """One written symbol."""

    latex: str
    strokes: list[int]
    confidence: Share
    token: int = Field(description="Its place among the tokens")
    known: bool = Field(True, description="False where the ink looks like no symbol that the model knows")


class Alternative(BaseModel):
    """Another reading."""

    latex: str
    score: Share


class Recognition(BaseModel):
    """What was read (schema `inktex.recognition/1`)."""

    schema_: str = Field(alias="schema", examples=["inktex.recognition/1"])
    latex: str = Field(examples=["x ^ { 2 }"])
    score: Share = Field(description="How often such an answer is right as a whole")
    tokens: list[Token]
    symbols: list[RecognizedSymbol]
    alternatives: list[Alternative]
    mathml: str
    typst: str
    unread: list[int] = Field(description="Strokes that no symbol was read from")
    reread: list[int] = Field(description="Strokes that several symbols were read from")
    complete: bool = Field(description="False where the time limit forced an early end")
    model: str
    elapsed: float = Field(description="Seconds of recognizing")
    attention: list[list[float]] | None = Field(None, description="Per token and per stroke")
    lines: list["RecognizedLine"] | None = Field(
        None, description="Each line by itself, where there are several; the other fields are of all together"
    )


class RecognizedLine(BaseModel):
    """One of several lines."""

    strokes: list[int] = Field(description="Its strokes; strokes in its recognition are places in this list")
    recognition: Recognition


class SymbolRequest(Strict):
    """The strokes of a single symbol."""

    model_config = _example(strokes=EXAMPLE_STROKES[:2], top=5)
    strokes: Annotated[list[Stroke], FailFast()] = Field(min_length=1)
    top: int = Field(10, ge=1, le=50, strict=True, description="How many symbols to give")


class SymbolGuess(BaseModel):
    """A symbol that the drawing could be."""

    latex: str
    probability: Share = Field(description="Among all symbols of the model")


class SymbolAnswer(BaseModel):
    """The likeliest symbols, best first."""

    symbols: list[SymbolGuess]


class FileResult(BaseModel):
    """One ink of a file: what was read, or why not."""

    source: str
    recognition: Recognition | None = None
    error: str | None = None


class FileAnswer(BaseModel):
    """All inks of a file."""

    results: list[FileResult]


class InkOfFile(BaseModel):
    """One ink of a file as strokes, or why it could not be read."""

    source: str
    strokes: list[list[list[float]]] | None = None
    truth: str | None = None
    error: str | None = None


class InkAnswer(BaseModel):
    """All inks of a file."""

    inks: list[InkOfFile]


class RenderRequest(Strict):
    """LaTeX to show."""

    model_config = _example(latex=r"\frac{1}{x^2}")
    latex: Latex


class Rendering(BaseModel):
    """LaTeX in the other forms."""

    latex: str
    tokens: list[str]
    mathml: str
    typst: str


class ErrorDetail(BaseModel):
    """What is wrong."""

    code: str = Field(examples=["too_many_points"])
    message: str


class ErrorAnswer(BaseModel):
    """Every answer that is not the one asked for."""

    error: ErrorDetail


class MathpixPoints(BaseModel):
    """Coordinates, one list per stroke."""

    x: Coordinates
    y: Coordinates


class MathpixStrokes(BaseModel):
    """The inner object."""

    strokes: MathpixPoints


class MathpixRequest(BaseModel):
    """A request as Mathpix takes it; options that make no sense for single formulas are ignored."""

    model_config = _example("allow", strokes={"strokes": MATHPIX_EXAMPLE}, formats=["text", "latex_styled"])
    strokes: MathpixStrokes
    formats: list[str] | None = Field(None, max_length=100)
    data_options: dict[str, Any] | None = None
    math_inline_delimiters: list[str] | None = Field(None, min_length=2, max_length=2)


class MathpixErrorInfo(BaseModel):
    """What is wrong, for programs."""

    id: str
    message: str


class MathpixAnswer(BaseModel):
    """An answer as Mathpix gives it; in place of the text an error, where there is one."""

    request_id: str
    version: str | None = None
    is_printed: bool | None = None
    is_handwritten: bool | None = None
    auto_rotate_confidence: float | None = None
    auto_rotate_degrees: int | None = None
    confidence: float | None = None
    confidence_rate: float | None = None
    latex_styled: str | None = None
    text: str | None = None
    html: str | None = None
    data: list[dict[str, str]] | None = None
    error: str | None = None
    error_info: MathpixErrorInfo | None = None
