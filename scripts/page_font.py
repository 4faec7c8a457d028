"""Cut STIX Two Math down to what the page needs: the whole font in, `stix-two-math.woff2` out (about 40 KB).

    npm pack @fontsource/stix-two-math && tar xzf fontsource-stix-two-math-*.tgz
    pip install fonttools brotli
    python scripts/page_font.py package/files/stix-two-math-latin-400-normal.woff2

The font is under the SIL Open Font License, which comes with it (`OFL.txt`). Letters, digits, Greek, the
operators that recognitions contain, and all their sizes and stretched forms stay.
"""

import sys
from pathlib import Path

from fontTools import subset

from inktex.latex import symbols

TARGET = Path(__file__).parents[1] / "src/inktex/server/static/fonts/stix-two-math.woff2"
RANGES = ((0x20, 0x7F), (0xA0, 0x100), (0x391, 0x3CA), (0x1D434, 0x1D468), (0x1D6E2, 0x1D71C))
MORE = (
    "ℎϕϵϑϱϖ‾→←↔⏞⏟˙¨ˇ´`˚^~¯_√∛∜′″‴…⋯⋮⋱∂∇∞∅∀∃¬−×÷±∓⋅∗∘∙⟨⟩⌈⌉⌊⌋∥∣∑∏∫∬∭∮⋃⋂⋁⋀ℝℕℤℚℂℓℏ℘ℑℜℵ□■△∠⊥∈∉∋⊂⊃⊆⊇∪∩∧∨⇒⇐⇔⟹⟸⟺↦↑↓⇑⇓"
    "≤≥≠≈≡∼≃≅∝≪≫⊕⊗⊖⊙\u2061\u2062\u2063\u2009\u200a\u2003"
)


def main() -> None:
    """Write the font."""
    characters = set(MORE) | {
        character for token in symbols.WIDE for character in symbols.symbol(token).character
    }
    characters |= {chr(code) for start, end in RANGES for code in range(start, end)}
    options = subset.Options()
    options.flavor = "woff2"
    options.layout_features = ["*"]
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.hinting = False
    font = subset.load_font(sys.argv[1], options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(characters))
    subsetter.subset(font)
    subset.save_font(font, str(TARGET), options)
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
