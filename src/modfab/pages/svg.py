# SPDX-License-Identifier: Apache-2.0
"""What the drawn diagrams share: legend, frame of the picture."""

from __future__ import annotations

from collections.abc import Iterable

PAIR = (
    ("#9ec5f0", "lane 0"),
    ("#f5c58c", "lane 1"),
    ("#b8ddb0", "the next product, whose operands are both results"),
)
"""Fill and meaning of what is drawn of a pair of products and the product after it."""


def legend(entries: Iterable[tuple[str, str]], left: int, step: int, y: int = 6) -> list[str]:
    """A row of coloured squares with their meaning.

    Args:
        entries: Colour and text of each.
        left, step, y: Place of the first, distance to the next, top; in pixels.
    """
    body = []
    for i, (fill, text) in enumerate(entries):
        x = left + step * i
        body.append(f'<rect x="{x}" y="{y}" width="14" height="14" fill="{fill}"/>')
        body.append(f'<text x="{x + 20}" y="{y + 11}" style="text-anchor:start">{text}</text>')
    return body


CELLS = "text{font:10px monospace;fill:#333;text-anchor:middle}"
"""Style of a diagram of cells with text in them."""


def picture(
    width: float, height: float, body: Iterable[str], maker: str, style: str = CELLS
) -> str:
    """The whole SVG, on white, so that it is readable on a dark page.

    Args:
        width, height: In pixels.
        body: Its elements.
        maker: Module that draws it.
        style: CSS of its elements.
    """
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">\n'
        f"<!-- SPDX-License-Identifier: Apache-2.0; made by modfab.pages.{maker} -->\n"
        f"<style>{style}</style>\n"
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n' + "\n".join(body) + "\n</svg>\n"
    )
