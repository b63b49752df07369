import json

import pytest
from typer.testing import CliRunner

from hf_ppar.cli.main import app
from hf_ppar.video import probe

from ..classifiers import ACTIONS, make_classifier, make_recognizer
from ..conftest import moving_square, write_with_av
from ..vlms import save_xclip

runner = CliRunner()


def run(*arguments):
    return runner.invoke(app, ["classify", *(str(argument) for argument in arguments)])


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Directories of a recognizer, an X-CLIP and a privacy classifier."""
    folder = tmp_path_factory.mktemp("models")
    make_recognizer().save_pretrained(folder / "recognizer")
    make_classifier("pixelate").save_pretrained(folder / "both")
    save_xclip(folder / "xclip")
    return folder


def test_a_table_for_people(models, square_mp4):
    result = run(square_mp4, "--model", models / "both")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == str(square_mp4) and len(lines) == 4
    assert sorted(line.split()[1] for line in lines[1:]) == sorted(ACTIONS) and lines[1].split()[0].endswith("%")
    assert "ppar_pixelate + ppar_tubelet_recognizer on cpu; chooses from walk, wave, sit; for others" in result.stderr


def test_json_for_programs(models, tmp_path, square_mp4):
    (tmp_path / "bad.mp4").write_text("not a video")
    parts = ("--anonymizer", "blur-weak", "--recognizer", models / "recognizer")
    result = run(square_mp4, tmp_path / "bad.mp4", *parts, "--json", "--top-k", "2")
    assert result.exit_code == 1
    good, bad = json.loads(result.stdout)
    assert good["video"] == str(square_mp4) and len(good["labels"]) == 2
    assert set(good["labels"][0]) == {"label", "score"} and "is not a video" in bad["error"]
    assert result.stderr.count("error:") == 1 and "bad.mp4" in result.stderr


def test_own_labels(models, square_mp4):
    parts = ("--anonymizer", "blur-weak", "--recognizer", models / "xclip", "--template", "a {}")
    result = run(square_mp4, *parts, "--labels", "person walks, clapping ,waving", "--json")
    assert result.exit_code == 0, result.stderr
    names = {row["label"] for row in json.loads(result.stdout)[0]["labels"]}
    assert names == {"person walks", "clapping", "waving"} and "for others" not in result.stderr


def test_a_timeline_and_what_the_recognizer_saw(models, tmp_path):
    source = write_with_av(tmp_path / "long.mp4", moving_square(65))
    arguments = ("--model", models / "both", "--timeline", "--window", "1", "--strength", "0.9")
    result = run(source, *arguments, "--save-anonymized", tmp_path / "safe")
    assert result.exit_code == 0, result.stderr
    assert "     0.0 -      1.0 s" in result.stdout and "     2.0 -      2.6 s" in result.stdout
    assert probe(tmp_path / "safe" / "long_anonymized.mp4").frames == 12
    rows = json.loads(run(source, *arguments, "--json").stdout)[0]["timeline"]
    assert [row["start"] for row in rows] == [0, 1, 2]
    again = run(source, *arguments, "--save-anonymized", tmp_path / "safe")
    assert again.exit_code == 1 and "it exists already" in again.stderr
    assert run(source, *arguments, "--save-anonymized", tmp_path / "safe", "--overwrite").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["none.mp4", "--model", "BOTH"], 1, "there is no such file"),
        (["IN", "--model", "nothing"], 2, "unknown model 'nothing'"),
        (["IN", "--model", "RECOGNIZER"], 2, "raw frames are never classified"),
        (["IN", "--recognizer", "RECOGNIZER"], 2, "raw frames are never classified; add anonymizer="),
        (["IN", "--anonymizer", "blur-weak"], 2, "anonymizer= is given without recognizer="),
        (["IN", "--model", "BOTH", "--labels", "a, b"], 2, "candidate_labels are for a zero-shot recognizer"),
        (["IN", "--anonymizer", "blur-weak", "--recognizer", "XCLIP"], 2, "give candidate_labels"),
        (["IN", "--anonymizer", "blur-weak", "--recognizer", "XCLIP", "--labels", "a"], 2, "at least two labels"),
        (["IN", "--anonymizer", "blur-weak", "--recognizer", "XCLIP", "--labels", "a,a"], 2, "a is there twice"),
        (["IN", "--model", "BOTH", "--strength", "2"], 2, "strength must be between 0"),
        (["IN", "--model", "BOTH", "--top-k", "0"], 2, "top_k must be a whole number of at least 1"),
        (["IN", "--model", "BOTH", "--timeline", "--window", "0"], 2, "window must be a number of seconds above 0"),
        (["IN", "--model", "BOTH", "--device", "abacus"], 2, "--device abacus cannot be used here"),
    ],
)
def test_bad_input_is_one_clear_line(models, square_mp4, arguments, code, message):
    names = {"IN": square_mp4} | {name.upper(): models / name for name in ("both", "recognizer", "xclip")}
    result = run(*(names.get(argument, argument) for argument in arguments))
    assert result.exit_code == code, result.stderr
    errors = [line for line in result.stderr.splitlines() if line.startswith("error:")]
    assert len(errors) == 1 and message in errors[0] and "Traceback" not in result.stderr
