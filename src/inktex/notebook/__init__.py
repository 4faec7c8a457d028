"""A canvas to write on in Jupyter that gives Python the LaTeX. Needs `inktex[notebook]`.

from inktex.notebook import InkCanvas
canvas = InkCanvas()
canvas            # write
canvas.latex      # read
"""

try:
    from inktex.notebook.canvas import InkCanvas
except ImportError as error:
    raise ImportError(
        f"the notebook canvas needs anywidget ({error}); pip install 'inktex[notebook]'"
    ) from None

__all__ = ["InkCanvas"]
