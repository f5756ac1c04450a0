"""Build static/runtime.js: vega, vega-lite and vega-embed in one file that asks no other host.

``python -m netdesign.app.transport.build_runtime`` needs the extra ``test`` (vl-convert-python).
The licences of what goes into the file are in THIRD_PARTY_NOTICES.txt beside it.
"""

from __future__ import annotations

import sys
from pathlib import Path

VEGALITE = "6.4"
RUNTIME = Path(__file__).parent / "static" / "runtime.js"
BANNER = (
    "/*! vega {vega}, vega-lite {vegalite}, vega-embed {embed} and what they depend on;"
    " licences: THIRD_PARTY_NOTICES.txt */\n"
)
HANDOVER = """
const shared = (globalThis.__netdesign = globalThis.__netdesign || {});
shared.embed = vegaEmbed;
(shared.waiting || []).splice(0).forEach((resolve) => resolve(vegaEmbed));
"""


def build() -> str:
    """The text of runtime.js."""
    import vl_convert

    banner = BANNER.format(
        vega=vl_convert.get_vega_version(),
        vegalite=VEGALITE,
        embed=vl_convert.get_vega_embed_version(),
    )
    bundle: str = vl_convert.javascript_bundle(HANDOVER, vl_version=VEGALITE)
    return banner + bundle.rstrip() + "\n"


def main() -> int:
    text = build()
    RUNTIME.write_text(text, encoding="utf-8")
    print(f"{RUNTIME.name}: {len(text.encode()) / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
