"""Sphinx settings: Markdown pages, and the reference from docstrings; warnings are errors (``scripts/docs``)."""

import wgtensor

project = "wgtensor"
author = "The wgtensor developers"
version = release = wgtensor.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = f"wgtensor {version}"

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc's parameter lists name the types
numpydoc_show_class_members = False  # pages list what they document
numpydoc_class_members_toctree = False
numpydoc_validation_checks = {
    "all",  # but for these
    "ES01",  # one line often says it all,
    "EX01",  # examples stand where they help,
    "PR01",  # and so do parameters; signatures name them all,
    "PR04",  # with their types,
    "RT01",  # and the first line says what is returned,
    "RT04",  # at times by a name in small letters;
    "SA01",  # pages group what belongs together
}
