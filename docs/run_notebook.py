"""An example of the gallery as the notebook that a reader downloads, cell by cell: ``python docs/run_notebook.py EXAMPLE.py``.

sphinx-gallery turns the example into a notebook, as it does for the download. Its code cells run in order in one namespace, in
an empty folder, since a reader has nothing but the notebook. A cell that fails, or warns, ends the run with exit code 1.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

import matplotlib as mpl
from sphinx_gallery.gen_gallery import DEFAULT_GALLERY_CONF
from sphinx_gallery.notebook import jupyter_notebook, save_notebook
from sphinx_gallery.py_source_parser import split_code_and_text_blocks


def code_cells(example: Path, folder: Path) -> list[str]:
    """Those of the notebook, read from the file that would be downloaded."""
    _, blocks = split_code_and_text_blocks(str(example))
    notebook = folder / "notebook.ipynb"
    save_notebook(jupyter_notebook(blocks, DEFAULT_GALLERY_CONF, str(folder)), notebook)
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def main(example: Path) -> int:
    mpl.use("Agg")
    mpl.rcParams["figure.max_open_warning"] = 0  # a notebook closes its figures after each cell
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")  # plt.show() where there is no screen
    namespace = {"__name__": "__main__"}
    example, began = example.resolve(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        cells = code_cells(example, Path(folder))
        for number, cell in enumerate(cells, 1):
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(cell, f"{example.name}, code cell {number}", "exec"), namespace)
            except Exception:
                traceback.print_exc()
                print(f"{example.name}: code cell {number} of {len(cells)} does not run as a notebook", file=sys.stderr)
                return 1
        os.chdir(example.parent)
    print(f"{example.stem}: {len(cells)} code cells in {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
