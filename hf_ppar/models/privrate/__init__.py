"""PrivRate: privacy by rate. Every bit about the clip that is not about the action has a price."""

from .configuration_privrate import PrivRateConfig
from .modeling_privrate import PrivRateAnonymizer

__all__ = ["PrivRateAnonymizer", "PrivRateConfig"]
