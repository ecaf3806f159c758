"""Meters that send by themselves what they have, as soon as somebody subscribes."""

import asyncio
import dataclasses
import datetime
import struct

from bumble.gatt import Characteristic, Service

from formats import date_time, medfloat32, minutes, sfloat
from peripheral import INDICATE, NOTIFY, READ, Peripheral


@dataclasses.dataclass(frozen=True)
class Record:
    """A measurement as it is sent, and what a reader has to make of it."""

    value: bytes
    moment: datetime.datetime | None
    metric: str
    number: float
    others: tuple = ()

    @property
    def key(self):
        return (self.moment.isoformat() if self.moment else None, self.metric, self.number)


class Memory(Peripheral):
    """A meter that indicates its stored records when its measurement is subscribed, one after each confirmation, and hangs up."""

    catalogue_id, measurement_uuid, service_uuid, feature = 0, "", "", None

    def __init__(self, records=None, hangs_up=True, forgets=False, **options):
        super().__init__(**options)
        self.records = self.memory() if records is None else list(records)
        self.hangs_up, self.forgets = hangs_up, forgets

    def services(self):
        self.measurement = Characteristic(self.measurement_uuid, INDICATE, Characteristic.READABLE, b"")
        features = [] if self.feature is None else [
            Characteristic(self.feature[0], READ, Characteristic.READABLE, self.feature[1])]
        return [Service(self.service_uuid, [self.measurement, *self.further(), *features])]

    def further(self):
        return []

    async def subscribed(self, connection, characteristic):
        if characteristic is not self.measurement:
            return
        # A meter looks at its subscriptions when it is done with the request that makes them.
        await asyncio.sleep(0.1)
        for record in list(self.records):
            await self.indicate(self.measurement, record.value, record)
            if self.forgets:
                self.records.remove(record)
        self.note("all sent")
        if self.hangs_up:
            # A little later than the last confirmation, as meters do.
            await asyncio.sleep(0.2)
            await self.hang_up()


class BloodPressure(Memory):
    name, model, advertised = "VM Pressure", "BP-10", ("1810",)
    catalogue_id, measurement_uuid, service_uuid, feature = 3000, "2A35", "1810", ("2A49", bytes(2))

    @staticmethod
    def memory():
        records = []
        for number, moment in enumerate(minutes(4)):
            systolic, diastolic, pulse = 118 + number * 9, 74 + number * 4, 61 + number * 5
            mean = (systolic + 2 * diastolic) // 3
            # Blood Pressure Measurement: mmHg, time stamp, pulse rate, measurement status.
            value = (bytes([0x16]) + sfloat(systolic, 0) + sfloat(diastolic, 0) + sfloat(mean, 0) + date_time(moment)
                     + sfloat(pulse, 0) + struct.pack("<H", 0))
            records.append(Record(
                value, moment, "systolic", float(systolic), (("diastolic", float(diastolic)), ("pulse", float(pulse)))))
        return records


class Thermometer(Memory):
    name, model, advertised = "VM Thermometer", "HT-9", ("1809",)
    catalogue_id, measurement_uuid, service_uuid = 4000, "2A1C", "1809"
    # Temperature Type: mouth.
    feature = ("2A1D", bytes([6]))

    @staticmethod
    def memory():
        # Temperature Measurement: Celsius, time stamp.
        return [
            Record(bytes([0x02]) + medfloat32(tenths, -1) + date_time(moment), moment, "body_temperature", tenths / 10)
            for tenths, moment in zip((366, 382, 391), minutes(3))]


class Oximeter(Memory):
    """Spot-checks with a time by indication, and what the finger shows now by notification."""

    name, model, advertised = "VM Oximeter", "PLX-2", ("1822",)
    catalogue_id, measurement_uuid, service_uuid = 2000, "2A5E", "1822"
    # PLX Features: nothing that is optional.
    feature = ("2A60", bytes(2))

    def further(self):
        self.continuous = Characteristic("2A5F", NOTIFY, Characteristic.READABLE, b"")
        return [self.continuous]

    @staticmethod
    def memory():
        # PLX Spot-Check Measurement: time stamp.
        return [
            Record(bytes([0x01]) + sfloat(spo2, 0) + sfloat(pulse, 0) + date_time(moment), moment, "spo2", float(spo2),
                   (("pulse", float(pulse)),))
            for spo2, pulse, moment in zip((97, 95, 98), (64, 71, 58), minutes(3))]

    async def subscribed(self, connection, characteristic):
        if characteristic is self.continuous:
            for _ in range(3):
                # PLX Continuous Measurement: normal values alone.
                await self.notify(self.continuous, bytes([0x00]) + sfloat(96, 0) + sfloat(66, 0))
                await asyncio.sleep(0.3)
        await super().subscribed(connection, characteristic)


class WeightScale(Memory):
    name, model, advertised = "VM Scale", "WS-1", ("181D", "181B")
    # Weight Scale Feature: time stamps; a resolution of 0.005 kg.
    catalogue_id, measurement_uuid, service_uuid, feature = 5000, "2A9D", "181D", ("2A9E", struct.pack("<I", 0x39))

    @staticmethod
    def memory():
        # Weight Measurement: kilograms, time stamp; steps of 0.005 kg.
        return [
            Record(bytes([0x02]) + struct.pack("<H", round(weight / 0.005)) + date_time(moment), moment, "body_weight", weight,
                   (("body_fat", fat),) if fat else ())
            for weight, fat, moment in zip((71.35, 70.805), (None, 21.4), minutes(2))]

    def services(self):
        self.composition = Characteristic("2A9C", INDICATE, Characteristic.READABLE, b"")
        return super().services() + [Service("181B", [
            self.composition, Characteristic("2A9B", READ, Characteristic.READABLE, struct.pack("<I", 1))])]

    async def subscribed(self, connection, characteristic):
        if characteristic is not self.measurement:
            return
        await asyncio.sleep(0.3)
        for record in list(self.records):
            await self.indicate(self.measurement, record.value, record)
            if record.others:
                # Body Composition Measurement: kilograms, time stamp; body fat in tenths of a percent.
                fat = round(record.others[0][1] * 10)
                await self.indicate(self.composition, struct.pack("<HH", 0x0002, fat) + date_time(record.moment))
        self.note("all sent")
        await asyncio.sleep(0.2)
        await self.hang_up()


class HeartRate(Peripheral):
    """A strap: the rate of now, every half second, without a memory."""

    name, model, advertised = "VM Strap", "HR-7", ("180D",)
    catalogue_id = 6000

    def __init__(self, rate=72, **options):
        super().__init__(**options)
        self.rate = rate
        self.records = [Record(bytes([0x06, rate]), None, "heart_rate", float(rate))]

    def services(self):
        self.measurement = Characteristic("2A37", NOTIFY, Characteristic.READABLE, b"")
        return [Service("180D", [self.measurement, Characteristic("2A38", READ, Characteristic.READABLE, bytes([1]))])]

    async def subscribed(self, connection, characteristic):
        while self.connection and self.is_subscribed(connection, self.measurement):
            # Heart Rate Measurement: one byte of rate; the sensor can tell contact and has it.
            await self.notify(self.measurement, self.records[0].value)
            await asyncio.sleep(0.5)
