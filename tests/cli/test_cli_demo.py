import pytest
from PIL import Image
from typer.testing import CliRunner

from hf_ppar.cli.main import app
from hf_ppar.video import probe


@pytest.mark.slow
def test_demo_leaves_videos_and_a_picture(tmp_path):
    result = CliRunner().invoke(app, ["demo", str(tmp_path / "demo")])
    assert result.exit_code == 0, result.stderr
    assert sorted(path.name for path in (tmp_path / "demo").iterdir()) == [
        "before_after.png",
        "sample.mp4",
        "sample_anonymized.mp4",
    ]
    assert probe(tmp_path / "demo" / "sample_anonymized.mp4").frames == 75
    assert Image.open(tmp_path / "demo" / "before_after.png").width > 1000
