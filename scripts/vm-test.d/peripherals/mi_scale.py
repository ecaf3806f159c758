"""A scale that nobody connects to: Xiaomi's body composition scale says in its advertisement what it weighs.

The layout is that of openScale, ble_monitor and theengs/decoder: unit, state, date, impedance, weight.
"""

import datetime
import struct

from bumble.core import AdvertisingData, UUID

from formats import date_time
from peripheral import Peripheral

STABLE, HAS_IMPEDANCE, OFF = 0x20, 0x02, 0x80
# The layout's state byte has this bit in every capture.
ALWAYS = 0x04
# Kilograms, in steps of 0.005.
KILOGRAM = 0x02


class MiScale(Peripheral):
    name, catalogue_id = "MIBFS", 10211

    def __init__(self, **options):
        super().__init__(**options)
        self.payload = self.encode(0, 0)

    @staticmethod
    def encode(weight, state, impedance=0, moment=datetime.datetime(2026, 3, 2, 7, 30)):
        return (bytes([KILOGRAM, ALWAYS | state]) + date_time(moment)
                + struct.pack("<HH", impedance, round(weight / 0.005)))

    def show(self, *arguments, **named):
        """What it says from now on, at the same address."""
        self.payload = self.encode(*arguments, **named)
        if self.controller:
            self.controller.le_legacy_advertiser.advertising_data = self.advertising_data()

    def advertising_data(self):
        return bytes(AdvertisingData([
            (AdvertisingData.FLAGS, bytes([0x06])),
            (AdvertisingData.SERVICE_DATA_16_BIT_UUID, bytes(UUID("181B")) + self.payload),
            (AdvertisingData.COMPLETE_LOCAL_NAME, self.name.encode()),
        ]))
