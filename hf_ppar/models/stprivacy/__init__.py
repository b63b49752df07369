"""STPrivacy: sparsify a clip's tubelets, anonymize those that remain."""

from .configuration_stprivacy import STPrivacyConfig
from .modeling_stprivacy import STPrivacyAnonymizer, STPrivacyOutput

__all__ = ["STPrivacyAnonymizer", "STPrivacyConfig", "STPrivacyOutput"]
