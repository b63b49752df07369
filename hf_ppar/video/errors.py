"""The one exception of reading and writing videos."""


class VideoError(ValueError):
    """A video cannot be read or written; the message says what, which value and what to do."""
