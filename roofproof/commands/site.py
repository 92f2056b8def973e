"""`roofproof site`: writes the atlas as a static site, with roofproof running in the browser."""

from __future__ import annotations

import argparse
from pathlib import Path

from roofproof.commands.shared import show, whole_option, with_progress


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.export.site.live_pages import live_pages
    from roofproof.export.site.service_pages import service_pages
    from roofproof.export.site.site import check_arguments, write_site
    from roofproof.hardware import chip_names
    from roofproof.ops import entries
    from roofproof.parallel import processors

    ops, chips = arguments.op or sorted(entries()), arguments.chip or list(chip_names())
    check_arguments(arguments.dir, ops, chips)
    live = not arguments.without_engine
    more: dict[str, bytes | Path] = {}
    pages = [*live_pages(live), *service_pages(live)]
    if live:
        from roofproof.export.site.packing import engine_files

        more |= {f"engine/{name}": content for name, content in engine_files().items()}
    size = write_site(
        arguments.dir,
        ops,
        chips,
        more,
        pages,
        workers=whole_option("--workers", arguments.workers) if arguments.workers else processors(),
        progress=lambda studies, total: with_progress(studies, "operations", total=total),
    )
    show(f"wrote {size / 1e6:.1f} MB to {arguments.dir}; to read it, run python3 -m http.server -d {arguments.dir}")
    return 0
