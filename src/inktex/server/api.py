"""The HTTP endpoints that recognize strokes and files (docs/server.md has examples)."""

from itertools import pairwise
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import JSONResponse

from inktex.ink import Ink, InkError
from inktex.latex import LatexError, normalize, print_latex, to_mathml, to_typst
from inktex.server import schemas
from inktex.server.errors import RequestError
from inktex.server.service import Service, unless_gone

PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": schemas.ErrorAnswer, "description": text}
    for status, text in {
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
        """Read the strokes, one expression per line; the answer says what each symbol was read from."""
        service.check(body.strokes)
        options = body.options
        answer = await service.recognize(
            request,
            ink_of(body.strokes),
            top=options.top,
            symbols=options.symbols,
            attention=options.attention,
            lines=options.lines,
        )
        return JSONResponse(answer.to_json())

    @routes.post(
        "/symbol",
        summary="Find the command for a drawn symbol",
        responses={200: {"model": schemas.SymbolAnswer, "description": "The likeliest symbols"}, **PROBLEMS},
    )
    async def symbol(request: Request, body: schemas.SymbolRequest) -> JSONResponse:
        """Read the strokes as one symbol and give the likeliest commands for it, best first."""
        service.check(body.strokes)
        found = await service.symbol(request, ink_of(body.strokes), top=body.top)
        guesses = [{"latex": each.latex, "probability": round(each.probability, 6)} for each in found]
        return JSONResponse({"symbols": guesses})

    @routes.post(
        "/recognize/file",
        summary="Recognise an ink file",
        responses={
            200: {"model": schemas.FileAnswer, "description": "What was read, ink by ink"},
            **PROBLEMS,
        },
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
            result: dict[str, Any] = {"source": source}
            if isinstance(item, Ink):
                try:
                    answer = await service.recognize(request, item, top=top, lines=lines)
                    result["recognition"] = answer.to_json()
                except RequestError as error:
                    if len(found) == 1 or error.status != 422:
                        raise
                    result["error"] = error.message
            else:
                result["error"] = str(item)
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
        found = await service.inks_of_file(request, await file.read(), file.filename)
        return JSONResponse({"inks": [_as_strokes(source, item) for source, item in found]})

    @routes.post(
        "/render",
        summary="Turn LaTeX into MathML and Typst",
        tags=["ink"],
        responses={200: {"model": schemas.Rendering, "description": "The other forms"}, **PROBLEMS},
    )
    async def render(request: Request, body: schemas.RenderRequest) -> JSONResponse:
        """Give LaTeX in the forms of a recognition; leaves of the MathML carry their token's place."""

        def work(seconds: float) -> dict[str, Any]:
            del seconds
            return rendering(body.latex)

        rendered = service.rendering.run(work, seconds=service.limits.seconds)
        return JSONResponse(await unless_gone(request, rendered))

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
    return {"latex": print_latex(tokens), "tokens": list(tokens), "mathml": mathml, "typst": typst}


def ink_of(strokes: list[list[list[float]]]) -> Ink:
    """Ink of strokes as requests have them; time and pressure play no part in reading."""
    try:
        return Ink.from_strokes([[point[:2] for point in stroke] for stroke in strokes])
    except InkError as error:
        raise RequestError(422, "unreadable_ink", str(error)) from None


def _as_strokes(source: str, item: Ink | InkError) -> dict[str, Any]:
    if isinstance(item, InkError):
        return {"source": source, "error": str(item)}
    rows = item.points.tolist()
    # The third number of a point is its time, so pressure can only come with it.
    if item.time is not None:
        rows = [[*row, time] for row, time in zip(rows, item.time.tolist(), strict=True)]
        if item.pressure is not None:
            rows = [[*row, force] for row, force in zip(rows, item.pressure.tolist(), strict=True)]
    cuts = item.offsets.tolist()
    strokes = [rows[a:b] for a, b in pairwise(cuts)]
    return {"source": source, "strokes": strokes, "truth": item.truth}
