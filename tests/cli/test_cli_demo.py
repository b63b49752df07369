import json
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from PIL import Image
from typer.testing import CliRunner

from hf_ppar import list_checkpoints
from hf_ppar.cli.main import app
from hf_ppar.models.privacy_classifier.loading import DEFAULT_CHECKPOINT
from hf_ppar.shipped import CLASSIFIER, list_shipped
from hf_ppar.video import probe

NAMES = ["1-squat", "2-point", "3-walk_and_clap"]
MODELS = [name for name in list_checkpoints() if name.startswith("stage-")]
TARGETS = ("action", "person", "attributes")
LINKS = ("src", "href", "poster", "srcset", "action", "data")


class Page(HTMLParser):
    """Files that a page names, and its tags with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.files, self.tags = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        self.files |= {attributes[name] for name in LINKS if name in attributes}

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("work") / "demo"


@pytest.fixture(scope="module")
def printed(folder):
    """What a run of the demo prints; it replaces a file of an earlier one and leaves others alone."""
    folder.mkdir()
    (folder / "index.html").write_text("old")
    (folder / "notes.txt").write_text("mine")
    result = CliRunner().invoke(app, ["demo", str(folder)])
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def html(folder, printed):
    return (folder / "index.html").read_text(encoding="utf-8")


def table(printed, head, count):
    """Rows of a printed table, cut at its headings."""
    lines = printed.splitlines()
    start = next(i for i, line in enumerate(lines) if line.split() == " ".join(head).split())
    edges = [lines[start].index(title) for title in head] + [None]
    return [
        [line[left:right].strip() for left, right in pairwise(edges)] for line in lines[start + 1 : start + 1 + count]
    ]


@pytest.fixture(scope="module")
def rows(printed):
    head = ["video", "seen as", "action right?", "person named?", "attributes guessed"]
    return table(printed, head, 3 * (len(MODELS) + 2))


def test_every_video_is_seen_raw_through_each_model_and_not_at_all(rows):
    assert [row[0] for row in rows if row[0]] == NAMES
    for start in range(0, len(rows), len(MODELS) + 2):
        assert {row[1] for row in rows[start : start + len(MODELS) + 2]} == {"raw", *MODELS, "guess"}


def test_raw_gives_the_action_and_the_person_away(rows):
    raw = [row for row in rows if row[1] == "raw"]
    assert sum(row[2] == "yes" for row in raw) >= 2 and sum(row[3] == "yes" for row in raw) >= 2
    assert all(int(row[4].split(" of ")[0]) >= 4 for row in raw)


def test_guessing_knows_the_common_attributes(rows):
    # face, skin and gender show, nudity and relationship do not: one attribute of each sample is otherwise
    assert [row[2:] for row in rows if row[1] == "guess"] == [["1 in 28", "1 in 20", "4 of 5"]] * 3


def test_figures_of_the_reports(printed):
    rows = table(printed, ["seen as", "action (top-1)", "person (top-1)", "attributes (cMAP)"], len(MODELS) + 2)
    by_name = {row[0]: row[1:] for row in rows}
    for shipped in list_shipped(CLASSIFIER):
        if shipped.name in MODELS:
            assert by_name.pop(shipped.name) == [f"{shipped.figures[target]['value']:.3f}" for target in TARGETS]
    default = next(shipped for shipped in list_shipped(CLASSIFIER) if shipped.name == DEFAULT_CHECKPOINT)
    assert by_name == {
        row: [f"{default.figures[target][kind]:.3f}" for target in TARGETS]
        for row, kind in (("raw", "raw"), ("chance", "chance"))
    }


def test_files(folder, printed):
    videos = {f"{name}{end}.mp4" for name in NAMES for end in ("", *(f"-{model}" for model in MODELS))}
    left = {"index.html", "before_after.png", "receipt.json", "notes.txt"}
    assert {path.name for path in folder.iterdir()} == videos | left
    assert (folder / "notes.txt").read_text() == "mine"
    infos = [probe(folder / video) for video in videos]
    assert {(info.frames, info.height, info.width) for info in infos} == {(16, 320, 320)}
    assert json.loads((folder / "receipt.json").read_text())["model"] == DEFAULT_CHECKPOINT
    assert Image.open(folder / "before_after.png").width > 1000


def test_the_page_names_every_file_and_asks_for_nothing_else(folder, html):
    files = {path.name for path in folder.iterdir()} - {"index.html", "notes.txt"}
    assert Page(html).files == files
    assert "//" not in html and "url(" not in html and "@import" not in html and "<script" not in html


def test_the_page_is_for_everyone(html):
    page = Page(html)
    assert page.all("html") == [{"lang": "en"}] and page.all("title")
    assert all(image["alt"] for image in page.all("img")) and page.all("img")
    assert all(video["aria-label"] and "controls" in video for video in page.all("video"))
    assert page.all("th") and all(cell["scope"] in ("row", "col") for cell in page.all("th"))
    assert "width=device-width" in html and "color-scheme: light dark" in html


def test_the_page_holds_the_table(html, rows):
    for _, seen, *cells in rows:
        assert f'<th scope="row">{seen}</th>' + "".join(f"<td>{cell}</td>" for cell in cells) in html


def test_interrupted_it_leaves_nothing_unfinished(tmp_path, monkeypatch):
    def stop(*arguments, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr("hf_ppar.demo.samples.render_clip", stop)
    result = CliRunner().invoke(app, ["demo", str(tmp_path / "demo")])
    assert result.exit_code == 130 and list((tmp_path / "demo").iterdir()) == []


def test_a_file_is_not_a_folder(tmp_path):
    (tmp_path / "demo").write_text("a file")
    result = CliRunner().invoke(app, ["demo", str(tmp_path / "demo")])
    assert result.exit_code == 2 and "is a file; give a folder" in result.stderr
