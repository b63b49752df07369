"""What dropping tokens saves: STPrivacy and a recognizer on its output, at the paper's size, as ratios in one run.

The weights are random: speed does not depend on them, only on how many tokens are kept.
"""

from __future__ import annotations

import torch
from timing import best_seconds

from hf_ppar.models.recognizers import TubeletRecognizer, TubeletRecognizerConfig
from hf_ppar.models.stprivacy import STPrivacyAnonymizer, STPrivacyConfig

CLIPS = 4


def measure(dtype: torch.dtype) -> None:
    """Print the ratios for one precision."""
    torch.manual_seed(0)
    anonymizer = STPrivacyAnonymizer(STPrivacyConfig()).eval().to(dtype)
    recognizer = TubeletRecognizer(TubeletRecognizerConfig(num_labels=51)).eval().to(dtype)
    raw = torch.rand(CLIPS, 16, 3, 112, 112).to(dtype)
    released = anonymizer(raw, keep_ratio=0.7)

    def both() -> None:
        output = anonymizer(raw, keep_ratio=0.7)
        recognizer(output.videos, token_mask=output.token_mask)

    best = best_seconds(
        {
            "anonymize, all tokens": lambda: anonymizer(raw, keep_ratio=1.0),
            "anonymize, alpha .7": lambda: anonymizer(raw, keep_ratio=0.7),
            "recognise raw": lambda: recognizer(raw),
            "recognise kept tokens": lambda: recognizer(released.videos, token_mask=released.token_mask),
            "anonymize + recognise": both,
        },
        rounds=5,
    )
    print(f"{dtype}, {CLIPS} clips of 16 x 112 x 112, ViT-S")
    for name, seconds in best.items():
        print(f"  {name}: {1000 * seconds / CLIPS:.0f} ms a clip")
    saved = best["anonymize, alpha .7"] / best["anonymize, all tokens"]
    alone = best["recognise kept tokens"] / best["recognise raw"]
    together = best["anonymize + recognise"] / best["recognise raw"]
    print(f"  anonymize at alpha .7 against 1.0: {saved:.2f} x")
    print(f"  recognise kept tokens against raw clips: {alone:.2f} x (goal: under 0.6 x)")
    print(f"  anonymize and recognise against recognise raw: {together:.2f} x (goal: under 1.5 x)")


def main() -> None:
    """Both precisions."""
    with torch.inference_mode():
        for dtype in (torch.float32, torch.bfloat16):
            measure(dtype)


if __name__ == "__main__":
    main()
