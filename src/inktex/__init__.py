"""inktex: pen strokes of a mathematical expression in, LaTeX out."""

__version__ = "0.1.0"
