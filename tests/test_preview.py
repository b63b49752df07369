import numpy as np
from PIL import Image

from hf_ppar.preview import contact_sheet, write_preview

from .conftest import write_with_av


def test_preview_shows_both_rows(tmp_path, square_mp4, square):
    after = write_with_av(tmp_path / "after.mp4", np.zeros_like(square))
    write_preview(square_mp4, after, tmp_path / "p.png", count=3)
    sheet = np.asarray(Image.open(tmp_path / "p.png")).astype(int)
    top, bottom = sheet[: len(sheet) // 2, 90:], sheet[len(sheet) // 2 :, 90:]
    assert top.mean() > bottom.mean() + 20
    assert (bottom.max(-1) < 10).mean() > 0.8


def test_contact_sheet_holds_the_frames_unchanged(square):
    sheet = np.asarray(contact_sheet({"a": square[:2]}))
    assert any(np.array_equal(sheet[6 : 6 + 48, left : left + 64], square[0]) for left in range(sheet.shape[1] - 64))
