"""The page of the demo: one HTML file that needs nothing but the files beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from .opponents import RAW
from .samples import SIDE, Sample
from .tables import ANSWERS_HEAD, FIGURES_HEAD, GUESS_MEANS, Row

_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1, h2 { line-height: 1.2; }
.videos { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem; }
figure { margin: 0; max-width: 24rem; }
figure.wide { max-width: none; }
video, img { display: block; width: 100%; height: auto; border-radius: 4px; }
figcaption, caption { font-size: .9rem; padding: .3rem 0; text-align: left; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; font-size: .95rem; }
@media (max-width: 30rem) { table { font-size: .8rem; } }
th, td { padding: .3rem .6rem .3rem 0; text-align: left; border-bottom: 1px solid #8886; }
"""


@dataclass(frozen=True)
class Page:
    """What the page shows.

    Args:
        answers: the rows about each sample, in the order of `samples`.
        figures: the rows of the reports.
        models: the anonymizers; each left a video of every sample.
        picture, receipt: names of files in the folder of the page.
    """

    samples: Sequence[Sample]
    answers: Sequence[list[Row]]
    figures: list[Row]
    models: Sequence[str]
    picture: str = "before_after.png"
    receipt: str = "receipt.json"


def format_page(page: Page) -> str:
    """The page as HTML; it makes no request beyond its own folder."""
    sections = "\n".join(_section(page, *both) for both in zip(page.samples, page.answers, strict=True))
    picture = f"{len(page.samples)} rows, one a video: frames as rendered, then the same frames after {page.models[0]}"
    options = page.samples[0].spec.options
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hf_ppar: what happens, not who it is</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<h1>What happens, not who it is</h1>
<p>These are the first {len(page.samples)} test clips of the stage that show different actions and persons. The people
are rendered; none is real. A recognizer names the action. An attacker, trained on other clips of the same
{options.persons} persons, raw or anonymized in the same way, tries to name the person and five private attributes.
In the tables, {escape(GUESS_MEANS, quote=False)}</p>
<figure class="wide"><a href="{page.picture}"><img src="{page.picture}" alt="{escape(picture)}"></a>
<figcaption>Frames before and after {escape(page.models[0])}.</figcaption></figure>
{sections}
<section>
<h2>The whole test split</h2>
<p>Few videos say little, and some anonymizers draw fresh noise for every run. These are the figures of the reports
over {options.test_clips} clips; the strongest of several attackers counts. The model cards have the intervals.</p>
{_table("Utility (higher is better) and attacks (close to chance is better)", FIGURES_HEAD, page.figures)}
<p>They hold for the people and actions of the stage; on other footage nothing has been measured. An anonymized video
may still identify people. The <a href="{page.receipt}">receipt</a> says what was done to the first video.</p>
</section>
</main>
</body>
</html>
"""


def _section(page: Page, sample: Sample, rows: list[Row]) -> str:
    """The videos of a sample and what was said about them."""
    shows = ", ".join(name for name, value in sample.spec.attributes.items() if value)
    films = {RAW: sample.video} | {model: sample.anonymized(model) for model in page.models}
    videos = "\n".join(_video(sample, seen, film) for seen, film in films.items())
    return f"""<section>
<h2>{sample.number}. {escape(sample.spec.text.capitalize())}</h2>
<div class="videos">
{videos}
</div>
{_table(f"True: {sample.spec.action}, {sample.person}, with {shows}", ANSWERS_HEAD, rows)}
</section>"""


def _video(sample: Sample, seen: str, film: Path) -> str:
    label = escape(f"{sample.spec.text}, {seen}")
    return (
        f'<figure><video src="{escape(film.name)}" aria-label="{label}" width="{SIDE}" height="{SIDE}" controls loop '
        "muted playsinline></video>"
        f"<figcaption>{escape(seen)}</figcaption></figure>"
    )


def _table(caption: str, head: Row, rows: list[Row]) -> str:
    first = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    rest = "\n".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return f"""<div class="scroll" role="region" aria-label="{escape(caption)}" tabindex="0"><table>
<caption>{escape(caption)}</caption>
<thead><tr>{first}</tr></thead>
<tbody>
{rest}
</tbody>
</table></div>"""
