"""Movement: feet on the floor, falls that end there, repetition, personal gait."""

import numpy as np
import pytest

from hf_ppar.data.stage import ACTIONS, COMPOUNDS
from hf_ppar.data.stage.motion import Style, interpolate_keys, perform
from hf_ppar.data.stage.people import draw_person
from hf_ppar.data.stage.skeleton import SEGMENT_INDEX, contact_points

AIRBORNE = ("jump", "run", "jumping_jack", "jump_and_punch", "run_and_wave_both_hands")
SECONDS = np.arange(0, 3.0, 1 / 25)


def lowest(body, skeleton):
    points = [skeleton.point(segment, offset)[:, 1] - radius for segment, offset, radius in contact_points(body)]
    return np.min(points, axis=0)


@pytest.mark.parametrize("action", ACTIONS + COMPOUNDS)
def test_body_touches_the_floor_and_moves(action):
    person = draw_person(0, 3)
    skeleton = perform(person.body, action, SECONDS, Style(phase=0.3, facing=20), person.gait)
    height = lowest(person.body, skeleton)
    assert height.min() > -1e-6
    if action not in AIRBORNE:
        assert height.max() < 1e-6
    assert np.ptp(skeleton.position, axis=0).max() > 0.15


def test_jump_leaves_the_floor_and_lands():
    person = draw_person(0, 3)
    height = lowest(person.body, perform(person.body, "jump", SECONDS, Style(), person.gait))
    assert height.max() > 0.2 and height[0] < 1e-6 and height[-1] < 0.2


def test_fall_ends_lying_down():
    person = draw_person(0, 3)
    skeleton = perform(person.body, "fall", np.arange(0, 1.28, 0.08), Style(), person.gait)
    head = skeleton.position[:, SEGMENT_INDEX["head"], 1]
    assert head[0] > 1.3 and head[-1] < 0.45


def test_walking_feet_do_not_slide():
    person = draw_person(0, 2)
    seconds = np.arange(0, 2, 1 / 60)
    skeleton = perform(person.body, "walk", seconds, Style(), person.gait)
    travelled = np.ptp(skeleton.position[:, 0, 2])
    assert travelled > 1.0
    slides = []
    for side in ("l", "r"):
        toe = skeleton.point(f"foot_{side}", (0.0, -person.body.ankle, 0.3 * person.body.foot))
        still = (toe[1:, 1] < 0.01) & (toe[:-1, 1] < 0.01)
        slides.append(np.abs(np.diff(toe[:, 2]))[still].sum())
    assert sum(slides) < 0.2 * travelled


def test_curves_pass_through_their_keys():
    keys = (0.0, 3.0, -1.0, 2.0)
    assert np.allclose(interpolate_keys(keys, np.arange(4) / 4, cyclic=True), keys)
    assert np.allclose(interpolate_keys(keys, np.linspace(0, 1, 4), cyclic=False), keys)
    assert np.allclose(interpolate_keys(keys, np.array([-1.0, 2.0]), cyclic=False), (0.0, 2.0))


def test_long_clips_repeat_the_action():
    person = draw_person(0, 1)
    seconds = np.arange(0, 12, 1 / 25)
    for action, least in (("kick", 5), ("sit_down", 2), ("squat", 6)):
        skeleton = perform(person.body, action, seconds, Style(), person.gait)
        signal = skeleton.position[:, SEGMENT_INDEX["foot_r" if action == "kick" else "pelvis"], 1]
        high = signal > 0.5 * (signal.min() + signal.max())
        assert np.count_nonzero(np.diff(high.astype(int)) == (1 if action == "kick" else -1)) >= least


def test_gait_is_personal_and_consistent():
    persons = [draw_person(0, number) for number in range(6)]
    body = persons[0].body
    walks = [perform(body, "walk", SECONDS, Style(), person.gait).position for person in persons]
    again = perform(body, "walk", SECONDS, Style(), draw_person(0, 0).gait).position
    assert np.array_equal(walks[0], again)
    assert min(np.abs(walks[0] - other).max() for other in walks[1:]) > 0.03
