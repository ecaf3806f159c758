"""What the peripherals share: a Bluetooth stack that nobody here wrote, advertising, security, and a memory of what happened."""

import asyncio
import dataclasses
import enum
import time

from bumble import att, hci
from bumble.core import AdvertisingData, UUID
from bumble.device import Device, DeviceConfiguration
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport.common import AsyncPipeSink

from air import AirController, Tally
from machine import Failure

READ, WRITE = Characteristic.Properties.READ, Characteristic.Properties.WRITE
NOTIFY, INDICATE = Characteristic.Properties.NOTIFY, Characteristic.Properties.INDICATE
# Errors of services (Core Supplement, part B).
CCCD_IMPROPER, PROCEDURE_IN_PROGRESS = 0xFD, 0xFE


class Security(enum.Enum):
    """What a peripheral demands before it shows health data."""

    OPEN = "open"
    JUST_WORKS = "just works"
    PASSKEY = "passkey"
    NUMERIC = "numeric comparison"


@dataclasses.dataclass
class Link:
    """One connection, from the peripheral's side."""

    central: str
    # The peripheral's own address at the time.
    address: str
    began: float
    tally: Tally = dataclasses.field(default_factory=Tally)
    ended: float | None = None
    reason: int | None = None
    is_encrypted: bool = False
    # Records that left, in their order.
    sent: list = dataclasses.field(default_factory=list)


class Display(PairingDelegate):
    """The peripheral's display and buttons during a pairing."""

    def __init__(self, peripheral):
        capability = {
            Security.PASSKEY: self.DISPLAY_OUTPUT_ONLY, Security.NUMERIC: self.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
        }.get(peripheral.security, self.NO_OUTPUT_NO_INPUT)
        super().__init__(capability)
        self.peripheral = peripheral

    async def accept(self):
        self.peripheral.note("pairing asked")
        return self.peripheral.is_in_pairing_mode

    async def generate_passkey(self):
        return self.peripheral.passkey

    async def compare_numbers(self, number, digits):
        self.peripheral.shown_number = f"{number:0{digits}}"
        self.peripheral.note("number shown")
        return True


class Peripheral:
    """A meter on the air. Subclasses say what it is in `services` and what they send when somebody subscribes."""

    name = "Meter"
    manufacturer, model, serial = "Bumble Works", "Model One", "SN-0001"
    # Short ids of the services in the advertisement.
    advertised = ()
    battery = 87

    def __init__(self, address="F0:F1:F2:F3:F4:01", name=None, security=Security.OPEN, passkey=314159, is_private=False,
                 has_service_changed=False, serial=None):
        self.address = hci.Address(address, hci.Address.RANDOM_DEVICE_ADDRESS)
        self.name, self.serial = name or self.name, serial or self.serial
        self.security, self.passkey, self.is_private = security, passkey, is_private
        self.has_service_changed, self.is_in_pairing_mode, self.layout = has_service_changed, True, 0
        self.links, self.notes, self.shown_number, self.keys = [], [], None, MemoryKeyStore()
        self.device, self.controller, self.connection, self.changed = None, None, None, asyncio.Event()
        self.is_on, self.advertises, self.tasks = False, True, set()
        # Whether a bonded central has to hear that the database has changed.
        self.owes_change = False

    # What a subclass says.

    def services(self):
        return []

    async def subscribed(self, connection, characteristic):
        """Somebody wants the values of a characteristic."""

    def advertising_data(self):
        return bytes(AdvertisingData([
            (AdvertisingData.FLAGS, bytes([0x06])),
            (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, b"".join(
                bytes(UUID(uuid)) for uuid in self.advertised)),
            (AdvertisingData.COMPLETE_LOCAL_NAME, self.name.encode()),
        ]))

    # On and off.

    async def start(self, air):
        """Switches the peripheral on. Its keys and its records are those of the last time."""
        self.air = air
        self.controller = AirController(self.name, link=air)
        air.listeners[self.controller] = self.heard
        configuration = DeviceConfiguration(
            name=self.name, address=self.address, irk=bytes(reversed(bytes(self.address))) + bytes(10),
            le_privacy_enabled=self.is_private, le_rpa_timeout=0, gatt_service_enabled=self.has_service_changed)
        self.device = Device.from_config_with_hci(configuration, self.controller, AsyncPipeSink(self.controller))
        self.device.keystore = self.keys
        self.device.pairing_config_factory = self.pairing
        self.device.gatt_server.write_cccd = self.guard_subscription(self.device.gatt_server.write_cccd)
        self.device.add_services(self.padding() + self.information() + self.services())
        self.device.on("connection", self.connected)
        self.device.gatt_server.on("characteristic_subscription", self.on_subscription)
        await self.device.power_on()
        self.is_on = True
        if self.advertises:
            await self.advertise()

    async def stop(self):
        """Switches it off: links end, and nothing more is heard of it."""
        self.is_on = False
        for task in list(self.tasks):
            task.cancel()
        if not self.controller:
            return
        self.controller.le_legacy_advertiser.stop()
        self.drop_link(hci.HCI_ErrorCode.REMOTE_DEVICE_TERMINATED_CONNECTION_DUE_TO_POWER_OFF_ERROR)
        await asyncio.sleep(0.05)
        self.air.listeners.pop(self.controller, None)
        self.air.controllers.discard(self.controller)
        self.controller.host = None
        self.controller = None

    async def advertise(self):
        # Linux hears an advertisement of each kind within a moment; meters that are awake for seconds call as often.
        await self.device.start_advertising(
            advertising_data=self.advertising_data(), scan_response_data=b"", auto_restart=False,
            advertising_interval_min=60, advertising_interval_max=60)

    async def fall_silent(self):
        self.advertises = False
        self.controller.le_legacy_advertiser.stop()
        await self.device.stop_advertising()

    async def call(self):
        """Advertises again."""
        self.advertises = True
        await self.advertise()

    async def rotate_address(self):
        """Takes another resolvable private address, as phones and some meters do every few minutes."""
        await self.device.stop_advertising()
        # bumble's update_rpa hands the controller the address from before.
        self.device.random_address = hci.Address.generate_private_address(self.device.irk)
        await self.device.send_sync_command(hci.HCI_LE_Set_Random_Address_Command(random_address=self.device.random_address))
        await self.advertise()

    def drop_link(self, reason=hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR):
        """The link breaks without a word from either host."""
        if self.controller:
            for connection in list(self.controller.le_connections.values()):
                self.controller.drop(connection, reason)

    async def hang_up(self):
        """Ends the link as the profile has it when everything is said."""
        if self.connection:
            await self.connection.disconnect()

    async def forget_bonds(self):
        await self.keys.delete_all()

    async def move_database(self, is_told=True):
        """An update of the meter's software: the same meter with other handles, off and on again.

        It tells a bonded central by Service Changed when that comes back, as it must, or is one of those that do not."""
        await self.stop()
        self.layout += 1
        self.owes_change = is_told and self.has_service_changed
        await self.start(self.air)

    async def tell_change(self):
        self.owes_change = False
        changed = self.device.gatt_service.service_changed_characteristic
        # Forced: the subscription is part of the bond, and bumble keeps none.
        await self.device.indicate_subscriber(self.connection, changed, bytes.fromhex("0100ffff"), force=True)
        self.note("change confirmed")

    # What happened.

    @property
    def link(self):
        """The connection of now, or the last one."""
        return self.links[-1] if self.links else None

    @property
    def sent(self):
        """All records that ever left."""
        return [record for link in self.links for record in link.sent]

    def note(self, what):
        self.notes.append((time.monotonic(), what))
        self.changed.set()

    def noted(self, what):
        return sum(1 for _, noted in self.notes if noted == what)

    async def until(self, condition, seconds=20):
        """Waits until something is so; conditions are looked at when something was noted."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise Failure(f"{self.name}: not in {seconds} s; noted: {', '.join(what for _, what in self.notes[-12:])}")
            self.changed.clear()
            try:
                await asyncio.wait_for(self.changed.wait(), 0.2)
            except TimeoutError:
                pass

    # Beneath.

    def information(self):
        text = lambda uuid, value: Characteristic(uuid, READ, Characteristic.READABLE, value.encode())  # noqa: E731
        return [
            Service("180A", [text("2A29", self.manufacturer), text("2A24", self.model), text("2A25", self.serial)]),
            Service("180F", [Characteristic("2A19", READ | NOTIFY, Characteristic.READABLE, bytes([self.battery]))]),
        ]

    def padding(self):
        """A service that moves the handles of all others, once the database has another layout."""
        return [
            Service(f"0000{number:04x}-5a53-4e44-8000-00805f9b34fb", [
                Characteristic(f"0001{number:04x}-5a53-4e44-8000-00805f9b34fb", READ, Characteristic.READABLE, b"")])
            for number in range(self.layout)]

    def pairing(self, connection):
        # Without the address type bumble names 00:00:00:00:00:00 as its identity, and Linux drops the key that resolves addresses.
        return PairingConfig(
            sc=True, mitm=self.security in (Security.PASSKEY, Security.NUMERIC), bonding=True, delegate=Display(self),
            identity_address_type=PairingConfig.AddressType.RANDOM)

    def connected(self, connection):
        self.connection = connection
        self.links.append(Link(str(connection.peer_address), str(self.device.random_address), time.monotonic()))
        self.note("connected")
        connection.on("connection_encryption_change", self.on_encryption)
        connection.on("pairing", lambda keys: self.note("paired"))
        connection.on("pairing_failure", lambda reason: self.note("pairing failed"))
        connection.on("disconnection", self.disconnected)

    def on_encryption(self):
        self.link.is_encrypted = bool(self.connection and self.connection.encryption)
        self.note("encrypted")
        if self.owes_change and self.link.is_encrypted:
            self.run(self.tell_change())

    def disconnected(self, reason):
        self.link.ended, self.link.reason, self.connection = time.monotonic(), reason, None
        self.note("disconnected")
        if self.is_on and self.advertises:
            self.run(self.advertise())

    def run(self, coroutine):
        """Does something beside; it ends with the peripheral."""
        task = asyncio.ensure_future(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.done)

    def done(self, task):
        self.tasks.discard(task)
        # A link that breaks while a record leaves is what some scenarios are about.
        if not task.cancelled() and (error := task.exception()) and self.connection:
            self.note(f"error {error!r}")

    def heard(self, data, from_peripheral):
        if self.link and self.link.ended is None:
            self.link.tally.count(data, from_peripheral)

    def on_subscription(self, connection, characteristic, notify, indicate):
        if notify or indicate:
            self.note(f"subscribed {characteristic.uuid.to_hex_str().upper()}")
            self.run(self.subscribed(connection, characteristic))

    def guard_subscription(self, write):
        def guarded(connection, characteristic, value):
            if characteristic.uuid != UUID("2A05"):
                self.demand_security(connection)
            return write(connection, characteristic, value)
        return guarded

    def demand_security(self, connection):
        """Refuses an unprotected access, as Core 3.C 10.3.1 has it: with a key encryption is missing, without one the pairing."""
        if self.security is Security.OPEN or connection.encryption:
            return
        is_bonded = any(name.startswith(str(connection.peer_address)[:17]) for name in self.keys.all_keys)
        self.note("refused")
        raise att.ATT_Error(
            att.ATT_INSUFFICIENT_ENCRYPTION_ERROR if is_bonded else att.ATT_INSUFFICIENT_AUTHENTICATION_ERROR)

    def protected(self, connection_to_value):
        """A value that is read under protection only."""
        def read(connection):
            self.demand_security(connection)
            return connection_to_value(connection)
        return CharacteristicValue(read=read)

    async def notify(self, characteristic, value, record=None):
        if self.connection:
            self.left(record)
            await self.device.notify_subscriber(self.connection, characteristic, value)

    async def indicate(self, characteristic, value, record=None):
        if self.connection:
            self.left(record)
            await self.device.indicate_subscriber(self.connection, characteristic, value)

    def left(self, record):
        if record is not None:
            self.link.sent.append(record)
            self.note("record")

    def is_subscribed(self, connection, characteristic):
        return any(self.device.gatt_server.read_cccd(connection, characteristic))
