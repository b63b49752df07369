"""Recognizers and attackers: models that name the action, the private attributes or the identity in a clip."""

from .configuration_feature import FeatureRecognizerConfig
from .configuration_frame_resnet import FrameResNetRecognizerConfig
from .configuration_r2plus1d import R2Plus1DRecognizerConfig
from .configuration_recognizer import Head, RecognizerConfig
from .configuration_resnet3d import ResNet3DRecognizerConfig
from .configuration_tubelet import TubeletRecognizerConfig
from .configuration_video_classifier import VideoClassifierRecognizerConfig
from .configuration_xclip import XCLIPRecognizerConfig
from .heads import classification_loss, recognition_loss, split_logits
from .loading import load_recognizer
from .modeling_feature import FeatureRecognizer
from .modeling_frame_resnet import FrameResNetRecognizer
from .modeling_r2plus1d import R2Plus1DRecognizer
from .modeling_recognizer import RecognizerModel, RecognizerOutput
from .modeling_resnet3d import ResNet3DRecognizer
from .modeling_tubelet import TubeletRecognizer
from .modeling_video_classifier import VideoClassifierRecognizer
from .modeling_xclip import XCLIPRecognizer

RECOGNIZERS: dict[type[RecognizerConfig], type[RecognizerModel]] = {
    TubeletRecognizerConfig: TubeletRecognizer,
    R2Plus1DRecognizerConfig: R2Plus1DRecognizer,
    ResNet3DRecognizerConfig: ResNet3DRecognizer,
    FrameResNetRecognizerConfig: FrameResNetRecognizer,
    FeatureRecognizerConfig: FeatureRecognizer,
    VideoClassifierRecognizerConfig: VideoClassifierRecognizer,
    XCLIPRecognizerConfig: XCLIPRecognizer,
}

__all__ = [
    "RECOGNIZERS",
    "FeatureRecognizer",
    "FeatureRecognizerConfig",
    "FrameResNetRecognizer",
    "FrameResNetRecognizerConfig",
    "Head",
    "R2Plus1DRecognizer",
    "R2Plus1DRecognizerConfig",
    "RecognizerConfig",
    "RecognizerModel",
    "RecognizerOutput",
    "ResNet3DRecognizer",
    "ResNet3DRecognizerConfig",
    "TubeletRecognizer",
    "TubeletRecognizerConfig",
    "VideoClassifierRecognizer",
    "VideoClassifierRecognizerConfig",
    "XCLIPRecognizer",
    "XCLIPRecognizerConfig",
    "classification_loss",
    "load_recognizer",
    "recognition_loss",
    "split_logits",
]
