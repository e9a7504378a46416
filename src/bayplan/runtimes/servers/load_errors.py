"""Why a model is not loaded.

LoadError             it cannot be loaded; the message says why, in words for the model's owner
├── FinalLoadError    it cannot be loaded as it is written: trying again at once would not help
└── ServerGoneError   its server does not answer: nothing is wrong with the model
"""

from __future__ import annotations


class LoadError(Exception):
    """A model cannot be loaded, or not be unloaded."""


class FinalLoadError(LoadError):
    """It cannot be loaded as it is written, such as from a folder that is not there."""


class ServerGoneError(LoadError):
    """The server does not answer; the model waits until it does."""
