"""A glucose meter (Glucose Service 1.0): a memory that is asked for by the Record Access Control Point."""

import asyncio
import dataclasses
import datetime
import struct

from bumble import att
from bumble.gatt import Characteristic, CharacteristicValue, Service

from formats import date_time, minutes, sfloat
from peripheral import CCCD_IMPROPER, INDICATE, NOTIFY, PROCEDURE_IN_PROGRESS, READ, WRITE, Peripheral

REPORT, DELETE, ABORT, COUNT, COUNT_RESPONSE, RESPONSE = 1, 2, 3, 4, 5, 6
NULL, ALL, AT_MOST, AT_LEAST, RANGE, FIRST, LAST = 0, 1, 2, 3, 4, 5, 6
SUCCESS, OP_NOT_SUPPORTED, BAD_OPERATOR, OPERATOR_NOT_SUPPORTED, BAD_OPERAND, NO_RECORDS = 1, 2, 3, 4, 5, 6
NOT_COMPLETED, OPERAND_NOT_SUPPORTED = 8, 9
SEQUENCE = 1
BEFORE_MEAL = 1


@dataclasses.dataclass(frozen=True)
class Record:
    sequence: int
    moment: datetime.datetime
    # mg/dL
    concentration: int
    meal: int | None = None

    @property
    def value(self):
        """Glucose Measurement (2A18): time offset 0; kg/L with an exponent of -5, so that the mantissa is mg/dL."""
        flags = 0x03 | (0x10 if self.meal else 0)
        # Capillary whole blood from a finger.
        return (struct.pack("<BH", flags, self.sequence) + date_time(self.moment) + struct.pack("<h", 0)
                + sfloat(self.concentration, -5) + bytes([0x11]))

    def context(self):
        """Glucose Measurement Context (2A34) with the meal alone."""
        return struct.pack("<BHB", 0x02, self.sequence, self.meal)

    @property
    def key(self):
        return (self.moment.isoformat(), "blood_glucose", float(self.concentration))


def memory(count, first=0):
    """Records as a person's meter has them; every fourth with its meal."""
    return [
        Record(first + number, moment, 72 + (number * 37) % 180, BEFORE_MEAL if number % 4 == 0 else None)
        for number, moment in enumerate(minutes(count))]


class Glucose(Peripheral):
    name, model, advertised = "VM Glucose", "GM-52", ("1808",)
    catalogue_id = 1000

    def __init__(self, records=None, pace=0.0, drops_after=None, hangs_up=False, **options):
        super().__init__(**options)
        self.records = memory(6) if records is None else list(records)
        # Seconds between two records; the link breaks after so many of them, once.
        self.pace, self.drops_after, self.hangs_up = pace, drops_after, hangs_up
        self.procedure, self.requests = None, []

    def services(self):
        readable, writable = Characteristic.READABLE, Characteristic.WRITEABLE
        self.measurement = Characteristic("2A18", NOTIFY, readable, b"")
        self.context = Characteristic("2A34", NOTIFY, readable, b"")
        self.point = Characteristic("2A52", WRITE | INDICATE, writable, CharacteristicValue(write=self.asked))
        return [Service("1808", [
            self.measurement, self.context, Characteristic("2A51", READ, readable, bytes(2)), self.point])]

    def asked(self, connection, request):
        self.demand_security(connection)
        self.requests.append(bytes(request))
        self.note("asked")
        if not self.is_subscribed(connection, self.point):
            raise att.ATT_Error(CCCD_IMPROPER)
        if request[:1] == bytes([ABORT]):
            self.run(self.abort())
            return
        if self.is_busy(connection):
            raise att.ATT_Error(PROCEDURE_IN_PROGRESS)
        self.procedure = asyncio.ensure_future(self.answer(bytes(request)))
        self.run(self.procedure)

    def is_busy(self, connection):
        """Whether a procedure runs: until its response is confirmed, which may have come in the packet before this one."""
        if not self.procedure or self.procedure.done():
            return False
        confirmation = self.device.gatt_server.pending_confirmations[connection]
        return confirmation is None or not confirmation.done()

    def disconnected(self, reason):
        # A procedure ends with its link.
        if self.procedure:
            self.procedure.cancel()
        super().disconnected(reason)

    async def abort(self):
        if self.procedure:
            self.procedure.cancel()
        await self.respond(ABORT, SUCCESS)

    async def respond(self, request, value):
        await self.indicate(self.point, bytes([RESPONSE, NULL, request, value]))

    async def answer(self, request):
        code, operator = request[0], request[1] if len(request) > 1 else NULL
        if code not in (REPORT, COUNT):
            await self.respond(code, OP_NOT_SUPPORTED)
            return
        chosen = self.choose(operator, request[2:])
        if isinstance(chosen, int):
            await self.respond(code, chosen)
        elif code == COUNT:
            await self.indicate(self.point, struct.pack("<BBH", COUNT_RESPONSE, NULL, len(chosen)))
        else:
            await self.report(chosen)

    def choose(self, operator, operand):
        """The records of a request, or why there are none."""
        if operator in (ALL, FIRST, LAST):
            if operand:
                return BAD_OPERAND
            return {ALL: self.records, FIRST: self.records[:1], LAST: self.records[-1:]}[operator]
        if operator not in (AT_MOST, AT_LEAST, RANGE):
            return BAD_OPERATOR if operator == NULL else OPERATOR_NOT_SUPPORTED
        if operand[:1] != bytes([SEQUENCE]):
            return OPERAND_NOT_SUPPORTED
        if len(operand) != (5 if operator == RANGE else 3):
            return BAD_OPERAND
        bounds = struct.unpack(f"<{len(operand) // 2}H", operand[1:])
        low, high = {AT_MOST: (0, bounds[0]), AT_LEAST: (bounds[0], 0xFFFF), RANGE: (bounds[0], bounds[-1])}[operator]
        return [record for record in self.records if low <= record.sequence <= high]

    async def report(self, records):
        for number, record in enumerate(records, 1):
            await self.notify(self.measurement, record.value, record)
            if record.meal and self.is_subscribed(self.connection, self.context):
                await self.notify(self.context, record.context())
            if number == self.drops_after:
                self.drops_after = None
                # What has left is in the air already.
                await asyncio.sleep(0.05)
                self.drop_link()
                return
            await asyncio.sleep(self.pace)
        await self.respond(REPORT, SUCCESS if records else NO_RECORDS)
        # The confirmation has come.
        self.note("answered")
        if self.hangs_up:
            await self.hang_up()
