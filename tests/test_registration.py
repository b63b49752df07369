import subprocess
import sys

import pytest

ORDERS = {
    "transformers first": "from transformers import pipeline\nimport hf_ppar\n",
    "hf_ppar first": "import hf_ppar\nfrom transformers import pipeline\n",
}


@pytest.mark.parametrize("order", ORDERS)
def test_names_work_whatever_was_imported_first(order):
    code = ORDERS[order] + (
        "anonymizer = pipeline('video-anonymization', model='motion-mask')\nprint(type(anonymizer.model).__name__)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "MotionModel"


def test_torchvision_is_not_imported():
    code = "import sys, hf_ppar\nprint('torchvision' in sys.modules or 'timm' in sys.modules)\n"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_public_names():
    import hf_ppar

    assert all(getattr(hf_ppar, name) is not None for name in hf_ppar.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = hf_ppar.nothing
