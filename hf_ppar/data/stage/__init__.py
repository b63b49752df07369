"""The stage: a rendered world of people in action, with every label that privacy experiments need.

Example:
    >>> from hf_ppar.data.stage import StageOptions, clip_specs, render_clip
    >>> spec = clip_specs(StageOptions(train_clips=8), "train")[0]
    >>> clip = render_clip(spec)  # clip.rgb is (16, 64, 64, 3) uint8
"""

from .actions import ACTIONS, COMPOUND_PARTS, COMPOUNDS, describe_action
from .clips import ClipSpec, clip_specs, sample_spec, spec_from_uri
from .options import ATTRIBUTES, CONDITIONS, DOMAINS, GAIT_SPLITS, SPLITS, VIEWS, StageOptions
from .rendering import StageClip, render_clip
from .skeleton import JOINT_NAMES

__all__ = [
    "ACTIONS",
    "ATTRIBUTES",
    "COMPOUNDS",
    "COMPOUND_PARTS",
    "CONDITIONS",
    "DOMAINS",
    "GAIT_SPLITS",
    "JOINT_NAMES",
    "SPLITS",
    "VIEWS",
    "ClipSpec",
    "StageClip",
    "StageOptions",
    "clip_specs",
    "describe_action",
    "render_clip",
    "sample_spec",
    "spec_from_uri",
]
