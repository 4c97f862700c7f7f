"""Sphinx settings. ``make docs`` builds with warnings as errors and without a network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from docutils import nodes

import sonmf
from sonmf import kernel_files

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "sonmf"
author = "The sonmf developers"
copyright = author
version = release = sonmf.__version__

extensions = [
    "api_sentences",
    "cli_reference",
    "mathml",
    "matplotlib.sphinxext.plot_directive",
    "myst_parser",
    "numpydoc",
    "record_fields",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = [
    "_build",
    "gallery/**.ipynb",
    "gallery/**.py",
    "reproduction/claims.md",  # this and the following are included by other pages
    "reproduction/*/**.md",
    "*_figures.md",
]
templates_path = ["_templates"]
nitpicky = False
smartquotes_action = "qe"  # quotation marks and ellipses: "--option" must not become a dash

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

autosummary_generate = True
numpydoc_show_class_members = False  # autodoc lists them below the class
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"  # the docstrings say the types
autodoc_preserve_defaults = True  # as the code has them

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "subsection_order": [f"../examples/{name}" for name in ("topics", "trust", "forecast", "scale")],
    "within_subsection_order": "gallery_order.ReadingOrder",
    "download_all_examples": False,
    "image_srcset": ["2x"],
    "remove_config_comments": True,
    "show_memory": False,
    "thumbnail_size": (800, 560),
    "write_computation_times": False,
}

plot_include_source = True  # the directive `plot` runs the code that a page shows, and draws its picture
plot_formats = [("png", 160)]
plot_html_show_formats = False
plot_html_show_source_link = False

html_theme = "pydata_sphinx_theme"
html_title = "sonmf"
html_static_path = ["_static"]
html_css_files = ["sonmf.css"]
html_show_sourcelink = False
html_context = {"default_mode": "auto"}  # left empty, the theme's script reports an invalid mode
WIDE = (
    "index",
    "install",
    "gallery/index",
    "promises",
    "scoreboard",
    "reproduction/index",
    "reproduction/triage",
    "benchmarks",
)  # tables that need the whole width
html_sidebars = {
    page: [] for page in ("index", "install", "cli", "gallery/**", "benchmarks", "scoreboard", "reproduction/*", "promises")
}
html_theme_options = {
    "show_prev_next": False,
    "show_toc_level": 2,
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"]} | {page: [] for page in WIDE},
}


INHERITED = {"fit_transform", "get_feature_names_out"}  # from scikit-learn, and worth showing


def leave_out(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> bool:
    """Members of other packages (the rest of scikit-learn, tuples, structs), and fields, which ``record_fields`` shows."""
    function = getattr(member, "fget", None) or getattr(member, "func", member)
    ours = str(getattr(function, "__module__", "")).startswith("sonmf") and hasattr(function, "__qualname__")
    return skip or (what == "class" and not ours and name not in INHERITED)


def cut_blank_end(app: Any, doctree: nodes.document) -> None:
    """Code that a page includes ends with its last line, even where doctest needs a blank one after it."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext().rstrip()
        if block.rawsource.rstrip() == text and len(block) == 1:
            block.rawsource, block[0] = text, nodes.Text(text)


def close_doctests(app: Any, name: str, source: list[str]) -> None:
    """Doctest needs a blank line after the last output of a snippet; the page does not."""
    source[0] = source[0].replace("\n\n```\n", "\n```\n")


def setup(app: Any) -> None:
    kernel_files.say = lambda line: None  # a page shows what its example prints, and not that kernels were compiled
    app.connect("doctree-read", cut_blank_end)
    app.connect("source-read", close_doctests)
    app.connect("autodoc-skip-member", leave_out)
