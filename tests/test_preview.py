import numpy as np
import torch
from PIL import Image

from hf_ppar import load_anonymizer
from hf_ppar.models.stprivacy import STPrivacyAnonymizer, STPrivacyConfig
from hf_ppar.preview import contact_sheet, kept_parts, write_preview
from hf_ppar.processing import to_clip
from hf_ppar.video import even_indices, read_frames

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


def test_preview_shows_what_a_model_kept(tmp_path, square_mp4, square):
    torch.manual_seed(0)
    model = STPrivacyAnonymizer(STPrivacyConfig.tiny(num_frames=4, image_size=(32, 32))).eval()
    after = write_with_av(tmp_path / "after.mp4", np.zeros_like(square))
    write_preview(square_mp4, after, tmp_path / "p.png", 3, model, strength=0.3)
    write_preview(square_mp4, after, tmp_path / "plain.png", 3)
    assert Image.open(tmp_path / "p.png").height > 1.4 * Image.open(tmp_path / "plain.png").height
    mask = kept_parts(square_mp4, 3, model, 0.3)
    streamed = []
    with torch.inference_mode():
        for start in range(0, len(square) - 3, 4):
            clip = to_clip(read_frames(square_mp4, range(start, start + 4), (32, 32)))[None]
            streamed.append(model(clip, strength=0.3).mask[0, :, 0])
    shown = even_indices(len(square), 3)
    for frame, drawn in zip(shown, mask, strict=True):
        if frame < 4 * len(streamed):
            assert np.array_equal(drawn[..., 0], torch.cat(streamed)[frame].mul(255).byte().numpy())
    assert kept_parts(square_mp4, 3, load_anonymizer("blur-strong"), None) is None
