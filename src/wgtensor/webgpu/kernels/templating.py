"""WGSL templates: jinja2 with delimiters that leave WGSL's braces alone.

Statements are written ``{$ if x $}``, values ``{{ x }}``, comments ``{# ... #}``. An undefined name is an error.
Templates are addressed by family and file, in Python (``render("reduction/reduce.wgsl", ...)``) as in an include.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import jinja2

__all__ = ["declarations", "render"]


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("wgtensor.webgpu", "kernels"),
        undefined=jinja2.StrictUndefined,
        block_start_string="{$",
        block_end_string="$}",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # the output is WGSL, not HTML
    )


def render(template: str, **values: Any) -> str:
    """Return the WGSL of ``template`` with ``values`` filled in.

    Raises
    ------
    jinja2.UndefinedError
        The template names a value that was not given.
    """
    return _environment().get_template(template).render(values)


def declarations(reads: Sequence[str], writes: Sequence[str]) -> list[str]:
    """Return the bindings of a kernel in the engine's order: arrays read, arrays written, the uniform ``params``.

    Examples
    --------
    >>> for line in declarations(["a: array<u32>"], ["b: array<f32>"]):
    ...     print(line)
    @group(0) @binding(0) var<storage, read> a: array<u32>;
    @group(0) @binding(1) var<storage, read_write> b: array<f32>;
    @group(0) @binding(2) var<uniform> params: Params;
    """
    lines = [f"var<storage, read> {text};" for text in reads]
    lines += [f"var<storage, read_write> {text};" for text in writes]
    lines.append("var<uniform> params: Params;")
    return [f"@group(0) @binding({number}) {line}" for number, line in enumerate(lines)]
