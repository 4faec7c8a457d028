"""The HTTP endpoints that recognize strokes and files (docs/server.md has examples).

`POST /v3/strokes` is compatible with Mathpix, so that its clients can switch by changing the base address.
Errors in the ink have status 200 and an `error_info`, as with Mathpix; 401, 503 and the like keep their
status and have the same shape. Only the options that make sense for one handwritten formula are followed.
"""

from collections.abc import Callable
from enum import Enum
from itertools import pairwise
from statistics import fmean
from typing import Annotated, Any
from uuid import uuid4

import numpy as np
from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import JSONResponse
from fastapi.types import DecoratedCallable
from pydantic import BaseModel

from inktex import __version__
from inktex.ink import Ink, InkError
from inktex.ink.services import read_mathpix
from inktex.latex import LatexError
from inktex.recognizer import Recognition, Recognizer
from inktex.recognizer.answer import all_forms
from inktex.server import schemas
from inktex.server.errors import MATHPIX_PATH, RequestError
from inktex.server.service import Service, unless_gone

_DARK = 6  # of 255: what is less bright is not looked at
_LIFT = 0.75  # below 1, what is looked at a little comes up to where the eye sees it
PROBLEMS = {
    400: "Not HTTP or not JSON",
    401: "The token is missing or wrong",
    403: "A page of another site",
    408: "The request came too slowly",
    413: "Too large",
    415: "Of another content type than this endpoint takes",
    421: "Unknown host name",
    422: "The ink or the options cannot be read",
    500: "A fault of the server",
    503: "Too busy; try again after the seconds in Retry-After",
    504: "No answer in time",
}
Upload = Annotated[UploadFile, File(description="InkML, JSON, Xournal++, Excalidraw, SCGINK, MyScript, …")]


def router(service: Service) -> APIRouter:
    routes = APIRouter()

    def ink_of(strokes: list[list[list[float]]]) -> Ink:
        service.check(strokes)
        # Time and pressure play no part in reading.
        return Ink.from_strokes([[point[:2] for point in stroke] for stroke in strokes])

    def post(
        path: str, summary: str, model: type[BaseModel], description: str, *tags: str | Enum
    ) -> Callable[[DecoratedCallable], DecoratedCallable]:
        problem = model if path == MATHPIX_PATH else schemas.ErrorAnswer
        answers: dict[int | str, dict[str, Any]] = {200: {"model": model, "description": description}}
        answers |= {status: {"model": problem, "description": text} for status, text in PROBLEMS.items()}
        return routes.post(path, tags=list(tags), summary=summary, responses=answers)

    @post("/v1/recognize", "Recognize strokes", schemas.Recognition, "What was read", "recognize")
    async def recognize(request: Request, body: schemas.RecognizeRequest) -> JSONResponse:
        """Read the strokes, one expression per line; the answer says what each symbol was read from."""
        answer = await service.recognize(request, ink_of(body.strokes), **body.options.model_dump())
        return JSONResponse(answer.to_json())

    @post(
        "/v1/symbol",
        "Find the command for a drawn symbol",
        schemas.SymbolAnswer,
        "The likeliest symbols",
        "recognize",
    )
    async def symbol(request: Request, body: schemas.SymbolRequest) -> JSONResponse:
        """Read the strokes as one symbol and give the likeliest commands for it, best first."""
        ink = ink_of(body.strokes)
        found = await service.in_turn(request, lambda _: service.recognizer.symbol(ink, top=body.top))
        guesses = [{"latex": each.latex, "probability": round(each.probability, 6)} for each in found]
        return JSONResponse({"symbols": guesses})

    @post(
        "/v1/recognize/file",
        "Recognize an ink file",
        schemas.FileAnswer,
        "What was read, ink by ink",
        "recognize",
    )
    async def recognize_file(
        request: Request,
        file: Upload,
        top: Annotated[int, Form(ge=1, le=10)] = 5,
        lines: Annotated[bool, Form(description="Find the lines; false: each ink is one expression")] = True,
    ) -> JSONResponse:
        """Read any supported ink file; a notebook gives one result per page, with the lines of the page."""
        found = await service.inks_of_file(request, await file.read(), file.filename)
        results: list[dict[str, Any]] = []
        for source, item in found:
            try:
                if isinstance(item, InkError):
                    raise item
                answer = await service.recognize(request, item, top=top, lines=lines)
                results.append({"source": source, "recognition": answer.to_json()})
            except InkError as error:
                if len(found) == 1:
                    raise
                results.append({"source": source, "error": str(error)})
        return JSONResponse({"results": results})

    @post("/v1/ink", "Read an ink file", schemas.InkAnswer, "Its strokes", "recognize", "ink")
    async def ink(request: Request, file: Upload) -> JSONResponse:
        """Give the strokes of any supported ink file, without recognizing them."""
        found = await service.inks_of_file(request, await file.read(), file.filename)
        return JSONResponse({"inks": [_as_strokes(source, item) for source, item in found]})

    @post(
        "/v1/render",
        "Turn LaTeX into MathML and Typst",
        schemas.Rendering,
        "The other forms",
        "recognize",
        "ink",
    )
    async def render(request: Request, body: schemas.RenderRequest) -> JSONResponse:
        """Give LaTeX in the forms of a recognition; leaves of the MathML carry their token's place."""
        rendered = service.rendering.run(lambda _: rendering(body.latex), seconds=service.limits.seconds)
        return JSONResponse(await unless_gone(request, rendered))

    @post(
        MATHPIX_PATH,
        "Recognize strokes, the way Mathpix does",
        schemas.MathpixAnswer,
        "What was read, or what is wrong with the ink",
        "Mathpix",
    )
    async def strokes(request: Request, body: schemas.MathpixRequest) -> JSONResponse:
        """Take and give what Mathpix's endpoint of this name takes and gives."""
        points = body.strokes.strokes
        service.check(points.x)
        answer = await service.recognize(request, read_mathpix({"x": points.x, "y": points.y}), top=1)
        return JSONResponse(_as_mathpix(answer, body))

    return routes


def rendering(latex: str) -> dict[str, Any]:
    """LaTeX in all forms; RequestError if it is not a formula."""
    try:
        forms = all_forms(latex)
    except LatexError as error:
        raise RequestError(422, "bad_latex", f"Not a formula yet: {error}") from None
    except RecursionError:
        raise RequestError(422, "bad_latex", "Nested too deeply") from None
    if not forms["tokens"]:
        raise RequestError(422, "bad_latex", "Not a formula yet: there is nothing in it")
    return forms


def _as_strokes(source: str, item: Ink | InkError) -> dict[str, Any]:
    if isinstance(item, InkError):
        return {"source": source, "error": str(item)}
    # The third number of a point is its time, so pressure can only come with it.
    more = [] if item.time is None else [item.time] if item.pressure is None else [item.time, item.pressure]
    rows = np.column_stack([item.points, *more]).tolist()
    strokes = [rows[a:b] for a, b in pairwise(item.offsets.tolist())]
    return {"source": source, "strokes": strokes, "truth": item.truth}


def _as_mathpix(answer: Recognition, body: schemas.MathpixRequest) -> dict[str, Any]:
    latex = answer.latex
    opening, closing = body.math_inline_delimiters or (r"\(", r"\)")
    formats = set(body.formats or ("text", "latex_styled"))
    wanted = body.data_options or {}
    data: dict[str, Any] = {
        "request_id": uuid4().hex,
        "version": f"inktex-{__version__}",
        "is_printed": False,
        "is_handwritten": True,
        "auto_rotate_confidence": 0.0,
        "auto_rotate_degrees": 0,
        "confidence": answer.score,
        "confidence_rate": fmean(token.confidence for token in answer.tokens) if answer.tokens else 0.0,
        "latex_styled": latex,
        "text": f"{opening} {latex} {closing}",
    }
    if "html" in formats:
        data["html"] = f'<div><span class="math-inline">{answer.mathml}</span></div>\n'
    if "data" in formats or wanted:
        kinds = {"latex": latex, "mathml": answer.mathml}
        chosen = [kind for kind in kinds if wanted.get(f"include_{kind}")] or ["latex"]
        data["data"] = [{"type": kind, "value": kinds[kind]} for kind in chosen]
    return data


def explanation(recognizer: Recognizer, ink: Ink, seconds: float) -> dict[str, Any]:
    """Tokens as the network reads them by itself, and its attention for each on the points of the strokes.

    Each token's row is scaled to its own brightest point and written as numbers from 0 to 255; dark strokes
    are left out. A picture needs no more, and the message stays small.
    """
    reading = recognizer.explain(ink, timeout=seconds)[0]
    tokens = reading.tokens
    weights = reading.intensity(np.arange(len(ink.points), dtype=np.float64))[: len(tokens)]
    brightest = np.maximum(weights.max(axis=1, keepdims=True), 1e-9)
    levels = np.round(255 * (weights / brightest) ** _LIFT).astype(int)
    cuts = list(pairwise(ink.offsets.tolist()))
    return {
        "tokens": list(tokens),
        "attention": [
            {str(place): row[a:b].tolist() for place, (a, b) in enumerate(cuts) if (row[a:b] > _DARK).any()}
            for row in levels
        ],
    }
