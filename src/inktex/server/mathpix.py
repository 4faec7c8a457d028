"""`POST /v3/strokes`, compatible with Mathpix, so that its clients can switch by changing the base address.

Errors in the ink have status 200 and an `error_info`, as with Mathpix; 401, 503 and the like keep their
status and have the same shape. Only the options that make sense for one handwritten formula are followed;
the others are accepted and ignored.
"""

from statistics import fmean
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from inktex import __version__
from inktex.ink import InkError
from inktex.ink.services import read_mathpix
from inktex.recognizer import Recognition
from inktex.server.api import PROBLEMS
from inktex.server.errors import MATHPIX_PATH, RequestError, mathpix_problem
from inktex.server.schemas import MathpixAnswer, MathpixRequest
from inktex.server.service import Service


def router(service: Service) -> APIRouter:
    """The one route."""
    routes = APIRouter(tags=["Mathpix"])
    problems = {status: {**problem, "model": MathpixAnswer} for status, problem in PROBLEMS.items()}

    @routes.post(
        MATHPIX_PATH,
        summary="Recognise strokes, the way Mathpix does",
        responses={
            **problems,
            200: {"model": MathpixAnswer, "description": "What was read, or what is wrong with the ink"},
        },
    )
    async def strokes(request: Request, body: MathpixRequest) -> JSONResponse:
        """Take and give what Mathpix's endpoint of this name takes and gives."""
        try:
            points = body.strokes.strokes
            service.check(points.x)
            ink = read_mathpix({"x": points.x, "y": points.y})
            answer = await service.recognize(request, ink, top=1)
        except InkError as error:
            return mathpix_problem("strokes_syntax_error", str(error))
        except RequestError as error:
            if error.status in (413, 422):
                return mathpix_problem("strokes_syntax_error", error.message)
            raise
        return JSONResponse(_answer(answer, body))

    return routes


def _answer(answer: Recognition, body: MathpixRequest) -> dict[str, Any]:
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
