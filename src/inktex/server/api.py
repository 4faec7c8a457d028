"""The endpoints for programs: strokes or a file in, recognitions out (docs/server.md has examples)."""

from itertools import pairwise
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import JSONResponse

from inktex.ink import Ink, InkError
from inktex.latex import LatexError, join, normalize, to_mathml, to_typst
from inktex.server import schemas
from inktex.server.errors import RequestError
from inktex.server.service import Service, inks_of_file, safe_name

PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": schemas.ErrorAnswer, "description": text}
    for status, text in {
        400: "Not HTTP or not JSON",
        401: "The token is missing or wrong",
        403: "A page of another site",
        408: "The request came too slowly",
        413: "Too large",
        415: "Of another content type than this endpoint takes",
        421: "The server is not known by that name",
        422: "The ink or the options cannot be read",
        500: "A fault of the server",
        503: "Too busy; try again after the seconds in Retry-After",
        504: "No answer in time",
    }.items()
}
Upload = Annotated[UploadFile, File(description="InkML, JSON, Xournal++, Excalidraw, SCGINK, MyScript, …")]


def router(service: Service) -> APIRouter:
    """The routes under /v1 that answer one request with one answer."""
    routes = APIRouter(prefix="/v1", tags=["recognise"])

    @routes.post(
        "/recognize",
        summary="Recognise strokes",
        responses={200: {"model": schemas.Recognition, "description": "What was read"}, **PROBLEMS},
    )
    async def recognize(request: Request, body: schemas.RecognizeRequest) -> JSONResponse:
        """Read the strokes of one expression; the answer says what each sign was read from."""
        service.check(body.strokes)
        options = body.options
        answer = await service.recognize(
            request,
            ink_of(body.strokes),
            top=options.top,
            symbols=options.symbols,
            attention=options.attention,
        )
        return JSONResponse(answer.to_json())

    @routes.post(
        "/recognize/file",
        summary="Recognise an ink file",
        responses={
            200: {"model": schemas.FileAnswer, "description": "What was read, ink by ink"},
            **PROBLEMS,
        },
    )
    async def recognize_file(
        request: Request, file: Upload, top: Annotated[int, Form(ge=1, le=10)] = 5
    ) -> JSONResponse:
        """Read any supported ink file; a notebook gives one result per page."""
        data, name = await file.read(), safe_name(file.filename)
        found = await service.in_turn(request, lambda seconds: inks_of_file(data, name, service))
        results: list[dict[str, Any]] = []
        for source, item in found:
            result: dict[str, Any] = {"source": source}
            if isinstance(item, Ink):
                try:
                    answer = await service.recognize(request, item, top=top)
                    result["recognition"] = answer.to_json()
                except RequestError as error:
                    if len(found) == 1 or error.status != 422:
                        raise
                    result["error"] = error.message
            else:
                result["error"] = item
            results.append(result)
        return JSONResponse({"results": results})

    @routes.post(
        "/ink",
        summary="Read an ink file",
        tags=["ink"],
        responses={200: {"model": schemas.InkAnswer, "description": "Its strokes"}, **PROBLEMS},
    )
    async def ink(request: Request, file: Upload) -> JSONResponse:
        """Give the strokes of any supported ink file, without recognising them."""
        data, name = await file.read(), safe_name(file.filename)
        found = await service.in_turn(request, lambda seconds: inks_of_file(data, name, service))
        return JSONResponse({"inks": [_as_strokes(source, item) for source, item in found]})

    @routes.post(
        "/render",
        summary="Turn LaTeX into MathML and Typst",
        tags=["ink"],
        responses={200: {"model": schemas.Rendering, "description": "The other forms"}, **PROBLEMS},
    )
    async def render(body: schemas.RenderRequest) -> JSONResponse:
        """Give LaTeX in the forms of a recognition; leaves of the MathML carry their token's place."""
        return JSONResponse(rendering(body.latex))

    return routes


def rendering(latex: str) -> dict[str, Any]:
    """LaTeX in all forms; RequestError if it is not a formula."""
    try:
        tokens = normalize(latex)
        if not tokens:
            raise LatexError("there is nothing in it")
        mathml = to_mathml(tokens, ids=True)
        typst = to_typst(tokens)
    except LatexError as error:
        raise RequestError(422, "bad_latex", f"Not a formula yet: {error}") from None
    except RecursionError:
        raise RequestError(422, "bad_latex", "Nested too deeply") from None
    return {"latex": join(tokens), "tokens": list(tokens), "mathml": mathml, "typst": typst}


def ink_of(strokes: list[list[list[float]]]) -> Ink:
    """Ink of strokes as requests have them; time and pressure play no part in reading."""
    try:
        return Ink.from_strokes([[point[:2] for point in stroke] for stroke in strokes])
    except InkError as error:
        raise RequestError(422, "unreadable_ink", str(error)) from None


def _as_strokes(source: str, item: Ink | str) -> dict[str, Any]:
    if isinstance(item, str):
        return {"source": source, "error": item}
    rows = item.points.tolist()
    # The third number of a point is its time, so pressure can only come with it.
    if item.time is not None:
        rows = [[*row, time] for row, time in zip(rows, item.time.tolist(), strict=True)]
        if item.pressure is not None:
            rows = [[*row, force] for row, force in zip(rows, item.pressure.tolist(), strict=True)]
    cuts = item.offsets.tolist()
    strokes = [rows[a:b] for a, b in pairwise(cuts)]
    return {"source": source, "strokes": strokes, "truth": item.truth}
