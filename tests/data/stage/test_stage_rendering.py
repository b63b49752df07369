"""Rendered clips: determinism, sizes, agreement of the outputs, and that every label shows in the picture."""

import os
import subprocess
import sys
import zlib
from itertools import pairwise

import numpy as np
import pytest

from hf_ppar.data.stage import (
    ACTIONS,
    COMPOUNDS,
    DOMAINS,
    JOINT_NAMES,
    StageOptions,
    clip_specs,
    render_clip,
    sample_spec,
    spec_from_uri,
)
from hf_ppar.data.stage.figure import build_figure
from hf_ppar.data.stage.people import draw_person
from hf_ppar.data.stage.shapes import linear
from hf_ppar.data.stage.wardrobe import dress

SMALL = {"height": 48, "width": 48}
URIS = ("stage://normal/train/3", "stage://dark/test/5?seed=2", "stage://camera/probe/4?persons=4")


def checksum(clip):
    parts = (clip.rgb, clip.depth, clip.silhouette, clip.joints)
    return [zlib.crc32(np.ascontiguousarray(part).tobytes()) for part in parts]


def shrink(frames, factor):
    count, height, width = frames.shape[:3]
    blocks = frames.reshape(count, height // factor, factor, width // factor, factor, -1)
    return blocks.astype(float).mean((2, 4))


def test_shapes_types_and_ranges():
    clip = render_clip(sample_spec("walk", relationship=1), height=40, width=56, frames=5, fps=10)
    assert clip.rgb.shape == (5, 40, 56, 3) and clip.rgb.dtype == np.uint8
    assert clip.depth.shape == (5, 40, 56) and clip.depth.dtype == np.float32
    assert clip.silhouette.shape == (5, 40, 56) and clip.silhouette.dtype == bool
    assert clip.joints.shape == (5, 2, len(JOINT_NAMES), 2) and clip.joints.dtype == np.float32
    assert clip.fps == 10.0
    assert 20 < clip.rgb.mean() < 235 and np.isfinite(clip.joints).all()


def test_same_pixels_in_any_order_and_any_process():
    here = [checksum(render_clip(spec_from_uri(uri))) for uri in URIS]
    assert [checksum(render_clip(spec_from_uri(uri))) for uri in reversed(URIS)] == here[::-1]
    program = (
        "import zlib, numpy as np\n"
        "from hf_ppar.data.stage import render_clip, spec_from_uri\n"
        f"for uri in {URIS!r}:\n"
        "    clip = render_clip(spec_from_uri(uri))\n"
        "    parts = (clip.rgb, clip.depth, clip.silhouette, clip.joints)\n"
        "    print([zlib.crc32(np.ascontiguousarray(part).tobytes()) for part in parts])\n"
    )
    env = {**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [str(sums) for sums in here]


def test_seeds_and_clips_differ():
    sums = {tuple(checksum(render_clip(spec, **SMALL, frames=2))) for spec in clip_specs(StageOptions(), "train")[:6]}
    sums |= {tuple(checksum(render_clip(sample_spec("kick", seed=seed), **SMALL, frames=2))) for seed in range(4)}
    assert len(sums) == 10


@pytest.mark.parametrize("domain", ["normal", "backgrounds", "drone"])
def test_two_sizes_show_the_same(domain):
    spec = sample_spec("throw", 4, seed=3, options=StageOptions(domain=domain), relationship=1)
    large = render_clip(spec, height=128, width=128, frames=4)
    small = render_clip(spec, height=64, width=64, frames=4)
    assert np.abs(shrink(large.rgb, 2) - small.rgb).mean() < 3.0
    assert np.mean((shrink(large.silhouette, 2)[..., 0] >= 0.5) != small.silhouette) < 0.01
    assert np.allclose(large.joints, 2 * small.joints, atol=1e-2)


def test_batches_of_frames_do_not_show(monkeypatch):
    spec = sample_spec("run", 1, seed=3)
    whole = render_clip(spec, **SMALL)
    monkeypatch.setattr("hf_ppar.data.stage.rendering._PIXELS_PER_BATCH", 3 * 96 * 96)
    parts = render_clip(spec, **SMALL)
    assert checksum(whole) == checksum(parts)


@pytest.mark.parametrize("domain", DOMAINS)
def test_silhouette_depth_and_joints_agree(domain):
    for action in ("walk", "bend", "wave_both_hands"):
        spec = sample_spec(action, 2, seed=1, options=StageOptions(domain=domain), relationship=1)
        clip = render_clip(spec, height=64, width=64)
        assert np.isfinite(clip.depth[clip.silhouette]).all()
        assert clip.depth[clip.silhouette].max() < 12 and clip.depth.min() > 1
        grown = clip.silhouette.copy()
        for axis, step in ((1, 1), (1, -1), (2, 1), (2, -1)):
            grown |= np.roll(clip.silhouette, step, axis)
        column, row = np.floor(clip.joints[..., 0]).astype(int), np.floor(clip.joints[..., 1]).astype(int)
        inside = (column >= 0) & (column < 64) & (row >= 0) & (row < 64)
        frame = np.broadcast_to(np.arange(16)[:, None, None], column.shape)
        assert inside.mean() > 0.93
        assert grown[frame[inside], row[inside], column[inside]].mean() > 0.97


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_action_is_in_frame_and_moves(domain):
    options = StageOptions(domain=domain)
    for number, action in enumerate(ACTIONS + COMPOUNDS):
        spec = sample_spec(action, number % 20, seed=number, view=(number * 37) % 100 - 50, options=options)
        clip = render_clip(spec, **SMALL, frames=8, fps=6.25)
        share = clip.silhouette.mean((1, 2))
        assert share.min() > 0.02 and share.max() < 0.5, action
        inside = (clip.joints >= -1) & (clip.joints <= 49)
        assert inside.all(-1).mean() > 0.85, action
        changed = np.mean([np.mean(a != b) for a, b in pairwise(clip.silhouette)])
        assert changed > 0.002, action


def head_box(clip, size):
    column, row = clip.joints[0, 0, 0].astype(int)
    return np.s_[:, max(row - size, 0) : row + size, max(column - size, 0) : column + size]


def difference(first, second):
    return np.abs(first.rgb.astype(int) - second.rgb).max(-1)


@pytest.mark.parametrize("person", [0, 1, 4, 7])
def test_each_attribute_changes_the_picture_where_it_should(person):
    def picture(**flags):
        return render_clip(sample_spec("clap", person, seed=2, **flags), height=96, width=96, frames=1)

    plain = picture()
    face = difference(plain, picture(face=0))
    box = head_box(plain, 9)
    assert (face[box] > 20).sum() > 15
    face[box] = 0
    assert (face > 20).sum() == 0
    for flags, least in (({"skin": 0}, 60), ({"gender": 0}, 30), ({"nudity": 1}, 60), ({"relationship": 1}, 400)):
        assert (difference(plain, picture(**flags)) > 20).sum() > least, flags


@pytest.mark.parametrize("number", range(6))
def test_covered_figures_have_no_skin_and_concealed_ones_no_hair(number):
    person = draw_person(0, number)
    plain = {"face": 1, "skin": 1, "gender": 1, "nudity": 0, "relationship": 0}

    def colours(**flags):
        return build_figure(dress(person, plain | flags, np.random.default_rng(0))).palette[:, 0]

    def uses(palette, colour):
        return bool(np.isclose(palette, linear(colour)).all(1).any())

    assert uses(colours(), person.skin)
    assert not uses(colours(face=0, skin=0), person.skin)
    assert not uses(colours(gender=0), person.hair)


def test_relationship_adds_a_second_person_and_leaves_the_room():
    alone, together = (
        render_clip(sample_spec("point", seed=4, relationship=flag), **SMALL, frames=2) for flag in (0, 1)
    )
    assert alone.joints.shape[1] == 1 and together.joints.shape[1] == 2
    empty = ~(alone.silhouette | together.silhouette)
    quiet = np.abs(alone.rgb.astype(int) - together.rgb).max(-1)[empty] < 8
    assert quiet.mean() > 0.75
    assert together.silhouette.sum() > 1.5 * alone.silhouette.sum()


def test_conditions_change_the_silhouette():
    specs = [sample_spec("walk", seed=1, view=90, condition=name) for name in ("normal", "coat", "bag")]
    normal, coat, bag = (render_clip(spec, frames=4) for spec in specs)
    assert coat.silhouette.sum() > 1.1 * normal.silhouette.sum()
    assert bag.silhouette.sum() > 1.03 * normal.silhouette.sum()


def test_domains_differ_as_named():
    def mean(domain):
        return render_clip(sample_spec("clap", seed=1, options=StageOptions(domain=domain)), **SMALL, frames=4)

    normal, dark, moving = mean("normal"), mean("dark"), mean("camera")
    assert dark.rgb.mean() < 0.55 * normal.rgb.mean()

    def corner(clip):
        return np.abs(np.diff(clip.rgb[:, :12, :12].astype(int), axis=0)).mean()

    assert corner(normal) == 0 and corner(moving) > 0


def test_longer_and_faster_clips():
    spec = sample_spec("kick", 3, seed=2)
    clip = render_clip(spec, height=36, width=48, frames=75, fps=25)
    assert clip.rgb.shape == (75, 36, 48, 3) and clip.fps == 25
    moves = np.array([np.mean(a != b) for a, b in pairwise(clip.silhouette)])
    assert moves.max() > 0.01 and np.median(moves) < moves.max() / 3
    assert np.array_equal(render_clip(spec, **SMALL, frames=1).rgb.shape, (1, 48, 48, 3))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"height": 0}, "height=0 must be a whole number of at least 16."),
        ({"frames": 0}, "frames=0 must be a whole number of at least 1."),
        ({"fps": -1}, "fps=-1 must be a number, positive and finite."),
    ],
)
def test_render_errors(change, message):
    with pytest.raises(ValueError) as error:
        render_clip(sample_spec("walk"), **change)
    assert str(error.value) == message


def test_identity_shows_in_the_colours_of_the_figure():
    """A nearest-centroid rule on the mean colours of three bands of the silhouette beats chance many times over."""

    def features(spec):
        clip = render_clip(spec, frames=1)
        rows, columns = np.nonzero(clip.silhouette[0])
        order = np.argsort(rows)
        bands = np.array_split(clip.rgb[0][rows[order], columns[order]].astype(float), 4)
        return np.concatenate([band.mean(0) for band in bands])

    def clip_features(seeds):
        return np.array([[features(sample_spec("wave_one_hand", p, seed=s)) for p in range(20)] for s in seeds])

    centres = clip_features(range(5)).mean(0)
    probes = clip_features(range(100, 103)).reshape(-1, centres.shape[1])
    guess = np.argmin(((probes[:, None] - centres) ** 2).sum(-1), axis=1)
    assert np.mean(guess == np.tile(np.arange(20), 3)) > 0.3
