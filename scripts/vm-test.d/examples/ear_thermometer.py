"""A peripheral of one's own: scripts/vm-test --peripheral scripts/vm-test.d/examples/ear_thermometer.py

`peripherals` returns what is to be on the air: one or several.
"""

from bumble.gatt import Characteristic, Service

from formats import medfloat32
from peripheral import INDICATE, Peripheral


class EarThermometer(Peripheral):
    name, manufacturer, model, advertised = "My Thermometer", "Me", "Prototype 2", ("1809",)

    def services(self):
        self.measurement = Characteristic("2A1C", INDICATE, Characteristic.READABLE, b"")
        return [Service("1809", [self.measurement])]

    async def subscribed(self, connection, characteristic):
        # Temperature Measurement: Celsius, type ear.
        await self.indicate(self.measurement, bytes([0x04]) + medfloat32(372, -1) + bytes([3]))


def peripherals():
    return EarThermometer(address="F0:F1:F2:F3:F4:77")
