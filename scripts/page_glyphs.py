"""Write the glyphs that the page draws formulas with as pictures: static/glyphs.json, out of the page's font.

    python scripts/page_glyphs.py

Needs fontTools and brotli. Outlines are SVG path data in units of the font, y pointing up.
"""

import json
from pathlib import Path
from typing import Any

from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.ttLib import TTFont

STATIC = Path(__file__).parent.parent / "src" / "inktex" / "server" / "static"
FONT = STATIC / "fonts" / "stix-two-math.woff2"
CONSTANTS = [
    "AxisHeight",
    "FractionRuleThickness",
    "FractionNumeratorShiftUp",
    "FractionNumeratorDisplayStyleShiftUp",
    "FractionDenominatorShiftDown",
    "FractionDenominatorDisplayStyleShiftDown",
    "FractionNumeratorGapMin",
    "FractionNumDisplayStyleGapMin",
    "FractionDenominatorGapMin",
    "FractionDenomDisplayStyleGapMin",
    "RadicalVerticalGap",
    "RadicalDisplayStyleVerticalGap",
    "RadicalRuleThickness",
    "RadicalExtraAscender",
    "RadicalKernBeforeDegree",
    "RadicalKernAfterDegree",
    "SuperscriptShiftUp",
    "SuperscriptBottomMin",
    "SuperscriptBaselineDropMax",
    "SubscriptShiftDown",
    "SubscriptTopMax",
    "SubscriptBaselineDropMin",
    "SubSuperscriptGapMin",
    "SpaceAfterScript",
    "UpperLimitGapMin",
    "UpperLimitBaselineRiseMin",
    "LowerLimitGapMin",
    "LowerLimitBaselineDropMin",
    "OverbarRuleThickness",
]
PERCENTAGES = [
    "ScriptPercentScaleDown",
    "ScriptScriptPercentScaleDown",
    "DisplayOperatorMinHeight",
    "RadicalDegreeBottomRaisePercent",
]


def main() -> None:
    """Write the file."""
    font = TTFont(FONT)
    table, shapes, widths = font["MATH"].table, font.getGlyphSet(), font["hmtx"]
    corrections = table.MathGlyphInfo.MathItalicsCorrectionInfo
    italics = dict(
        zip(corrections.Coverage.glyphs, [c.Value for c in corrections.ItalicsCorrection], strict=True)
    )

    def drawn(name: str) -> list[Any]:
        path, bounds = SVGPathPen(shapes, ntos=lambda value: f"{value:g}"), BoundsPen(shapes)
        shapes[name].draw(path)
        shapes[name].draw(bounds)
        _, low, _, high = bounds.bounds or (0, 0, 0, 0)
        return [widths[name][0], high, -low, italics.get(name, 0), path.getCommands()]

    characters = {name: chr(code) for code, name in sorted(font.getBestCmap().items(), reverse=True)}
    glyphs = {chr(code): drawn(name) for code, name in font.getBestCmap().items()}
    taller: dict[str, list[str]] = {}
    wider: dict[str, list[str]] = {}
    pieces: dict[str, list[list[Any]]] = {}
    variants = table.MathVariants
    overlap = variants.MinConnectorOverlap
    for kept, coverage, constructions in (
        (taller, variants.VertGlyphCoverage, variants.VertGlyphConstruction),
        (wider, variants.HorizGlyphCoverage, variants.HorizGlyphConstruction),
    ):
        for name, construction in zip(coverage.glyphs, constructions, strict=True):
            forms = [r.VariantGlyph for r in construction.MathGlyphVariantRecord if r.VariantGlyph != name]
            kept[characters[name]] = forms
            parts = construction.GlyphAssembly.PartRecords if construction.GlyphAssembly else []
            if kept is taller and parts:
                pieces[characters[name]] = [
                    [part.glyph, part.PartFlags & 1, part.FullAdvance, overlap] for part in parts
                ]
            for each in [*forms, *([part.glyph for part in parts] if kept is taller else [])]:
                glyphs.setdefault(each, drawn(each))
    constants = {name: getattr(table.MathConstants, name).Value for name in CONSTANTS}
    constants |= {name: getattr(table.MathConstants, name) for name in PERCENTAGES}
    content = {
        "em": font["head"].unitsPerEm,
        "constants": constants,
        "taller": taller,
        "wider": wider,
        "pieces": pieces,
        "glyphs": glyphs,
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    (STATIC / "glyphs.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
