"""Format lengths with their unit and as many digits as are significant."""

import math

SMALL = 0.1  # metres below which a length is told in millimetres


def length(value: float, unit: str) -> str:
    """Format a length with its unit and three digits; short ones in metres as millimetres."""
    if unit == "m" and abs(value) < SMALL:
        value, unit = value * 1000, "mm"
    return f"{three_digits(value)} {unit}"


def three_digits(value: float) -> str:
    """Format a number with three significant digits, or all digits before the point if more."""
    return f"{value:.{_decimals(value, 3)}f}"


def with_deviation(value: float, deviation: float, unit: str) -> str:
    """Format a length and its deviation; the deviation has two significant digits."""
    digits = _decimals(deviation, 2)
    return f"{value:.{digits}f} \N{PLUS-MINUS SIGN} {deviation:.{digits}f} {unit}"


def _decimals(value: float, count: int) -> int:
    """Count the decimals, 0 to 6, that give a number so many significant digits."""
    if not value or not math.isfinite(value):
        return count
    return min(max(count - 1 - math.floor(math.log10(abs(value))), 0), 6)
