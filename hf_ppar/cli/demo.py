"""`hf-ppar demo`: see what it does, offline, on videos that it renders itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from .errors import FAILED, USAGE, exit_on_error
from .text_table import align

if TYPE_CHECKING:
    from ..demo.page import Page


def demo(
    output: Path = typer.Argument(Path("demo"), help="Folder for the results."),
    debug: bool = typer.Option(False, "--debug", help="Show tracebacks."),
) -> None:
    """Render three videos, name what happens in them raw and anonymized, let attackers try, leave a page of it all."""
    with exit_on_error(USAGE, debug):
        if output.is_file():
            raise ValueError(f"{output} is a file; give a folder for the results")
    with exit_on_error(FAILED, debug):
        output.mkdir(parents=True, exist_ok=True)
        page = make_page(output)
        typer.echo(format_tables(page))
        typer.echo(f"{output / 'index.html'}: the videos, a picture and these tables")


def make_page(output: Path) -> Page:
    """Everything that the demo leaves in its folder, the page last."""
    from transformers.utils.logging import disable_progress_bar

    from ..demo.answers import ask_all
    from ..demo.opponents import stage_classifiers
    from ..demo.page import Page, format_page
    from ..demo.picture import draw_before_after
    from ..demo.samples import anonymize_sample, choose_samples, write_sample
    from ..demo.tables import answer_rows, figure_rows
    from ..whole_file import whole_file

    disable_progress_bar()
    samples, classifiers = choose_samples(output), stage_classifiers()
    typer.echo(f"rendering {len(samples)} test clips of the stage ...")
    for sample in samples:
        write_sample(sample)
    typer.echo("recognizers and attackers look at them, raw and anonymized ...")
    answers = ask_all([sample.video for sample in samples], classifiers)
    typer.echo("writing anonymized videos ...")
    names = [shipped.name for shipped in classifiers]
    receipts = [anonymize_sample(sample, name) for name in names for sample in samples]
    rows = [
        answer_rows(sample, {seen: given[place] for seen, given in answers.items()})
        for place, sample in enumerate(samples)
    ]
    page = Page(samples, rows, figure_rows(classifiers), names)
    with whole_file(output / page.receipt) as path:
        receipts[0].write(path)
    with whole_file(output / page.picture) as path:
        draw_before_after(samples, names[0]).save(path, format="PNG")
    with whole_file(output / "index.html") as path:
        path.write_text(format_page(page), encoding="utf-8")
    return page


def format_tables(page: Page) -> str:
    """The tables of the page for a terminal."""
    from ..demo.tables import ANSWERS_HEAD, FIGURES_HEAD, GUESS_MEANS

    head = ("video", *ANSWERS_HEAD)
    rows = [
        (sample.name if place == 0 else "", *row)
        for sample, several in zip(page.samples, page.answers, strict=True)
        for place, row in enumerate(several)
    ]
    clips = page.samples[0].spec.options.test_clips
    return (
        f"\n{align([head, *rows])}\n\n{GUESS_MEANS}\n"
        f"Few videos say little. The whole test split ({clips} clips), from the reports:\n\n"
        f"{align([FIGURES_HEAD, *page.figures])}\n"
    )
