"""A live stereo viewer: disparity, edges and matches by implementations that agree to the bit."""

from wheatstone import viewer

__version__ = viewer.VERSION
