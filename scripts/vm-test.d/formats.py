"""Numbers and times as health devices write them (Bluetooth GATT Specification Supplement, IEEE 11073-20601)."""

import datetime
import struct

SFLOAT_NAN = 0x07FF


def sfloat(mantissa, exponent):
    """A medfloat16: four bits of exponent, twelve of mantissa, each with its sign."""
    if not -2045 <= mantissa <= 2045 or not -8 <= exponent <= 7:
        raise ValueError(f"{mantissa}e{exponent} is no SFLOAT")
    return struct.pack("<H", (exponent & 0xF) << 12 | mantissa & 0xFFF)


def medfloat32(mantissa, exponent):
    """A medfloat32: one byte of exponent, three of mantissa."""
    return struct.pack("<i", mantissa)[:3] + struct.pack("<b", exponent)


def date_time(moment):
    """Date Time (2A08): year, month, day, hour, minute, second."""
    return struct.pack("<H5B", moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second)


def minutes(count, start=datetime.datetime(2026, 3, 2, 7, 30)):
    """A minute for each of so many records, oldest first."""
    return [start + datetime.timedelta(minutes=17 * number) for number in range(count)]
