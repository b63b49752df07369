import numpy as np
import pytest
from PIL import Image

from hf_ppar.evaluation.gallery import write_gallery

from .conftest import case
from .toys import TubeletConfig, TubeletModel


def rows_of(path):
    with Image.open(path) as picture:
        return round((picture.height - 6) / (96 + 6))


def test_before_and_after(tmp_path):
    write_gallery(case(tmp_path, "blacken"), tmp_path / "gallery.png")
    assert rows_of(tmp_path / "gallery.png") == 6  # three videos, raw and anonymized
    pixels = np.asarray(Image.open(tmp_path / "gallery.png"))[:, -90:-10]
    raw, black = pixels[20:80], pixels[122:182]
    assert raw.std() > 5 and not black.any()


def test_the_mask_has_a_row_of_its_own(tmp_path):
    model = TubeletModel(TubeletConfig()).eval()
    write_gallery(case(tmp_path, model), tmp_path / "gallery.png", videos=2)
    assert rows_of(tmp_path / "gallery.png") == 6


def test_raw_videos_have_no_gallery(tmp_path):
    with pytest.raises(ValueError, match="and the model 'raw' has none"):
        write_gallery(case(tmp_path, "raw"), tmp_path / "gallery.png")
    assert not (tmp_path / "gallery.png").exists()
