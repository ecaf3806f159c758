"""The air between the guest's adapters and the peripherals: bumble's virtual controllers, held closer to real ones.

bumble's link is made to test bumble. Where it is kinder than a radio, or differs from one in what Linux depends on, a class here
says how and why.
"""

import asyncio
import collections

from bumble import hci, ll
from bumble.controller import Controller
from bumble.core import PhysicalTransport
from bumble.link import LocalLink
from bumble.transport.common import PacketParser

ATT, SIGNALLING, SMP = 4, 5, 6


class Tally:
    """What went over one connection."""

    def __init__(self):
        self.att_to_peripheral = 0
        self.att_from_peripheral = 0
        self.opcodes = collections.Counter()
        self.smp = 0

    @property
    def att(self):
        return self.att_to_peripheral + self.att_from_peripheral

    def count(self, data, from_peripheral):
        """Counts an L2CAP frame: length and channel, then the PDU."""
        if len(data) < 5:
            return
        channel = int.from_bytes(data[2:4], "little")
        if channel == ATT:
            self.opcodes[data[4]] += 1
            if from_peripheral:
                self.att_from_peripheral += 1
            else:
                self.att_to_peripheral += 1
        elif channel == SMP:
            self.smp += 1


class Air(LocalLink):
    """Everybody hears everybody."""

    def __init__(self):
        super().__init__()
        # Who wants to know of the frames of a peripheral's controller: controller to function(data, from_peripheral).
        self.listeners = {}
        # Seconds between two connection events. bumble's frames are there at once, which makes every request free; with an
        # interval they wait for the next event, as on a radio.
        self.interval, self.latest = 0.0, {}

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        # bumble sends every frame in the name of the sender's random address. Linux connects with its public one, so that the
        # peripheral would know no connection of that name: the address is the one the connection was made with.
        connection = sender_controller.le_connections.get(destination_address)
        destination = self.find_le_controller(destination_address)
        if transport != PhysicalTransport.LE or connection is None or destination is None:
            return
        for controller, from_peripheral in ((sender_controller, True), (destination, False)):
            if listener := self.listeners.get(controller):
                listener(data, from_peripheral)
        loop = asyncio.get_running_loop()
        if not self.interval:
            loop.call_soon(destination.on_link_acl_data, connection.self_address, transport, data)
            return
        # What is ready goes in the next event, in its order.
        event = (loop.time() // self.interval + 1) * self.interval
        self.latest[destination] = event = max(event, self.latest.get(destination, 0) + 1e-5)
        loop.call_at(event, destination.on_link_acl_data, connection.self_address, transport, data)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        # Who was unplugged or switched off hears nothing; bumble would raise an error in the one who speaks.
        if self.find_le_controller(receiver_address):
            super().send_ll_control_pdu(sender_address, receiver_address, packet)

    def scan_response(self, address):
        """What an advertiser answers to an active scan."""
        for controller in self.controllers:
            if controller.le_legacy_advertiser.enabled and controller.le_legacy_advertiser.address == address:
                return controller.le_legacy_advertiser.scan_response_data
        return b""


class AirController(Controller):
    """A controller without extended advertising and address resolution, as many adapters are.

    bumble claims both and does neither as Linux expects it. With the first it answers even a legacy scan with extended reports.
    With the second Linux waits for LE Enhanced Connection Complete, which bumble never sends: after each connection the kernel
    obeys nobody for four seconds, not even a wish to disconnect.
    """

    le_features = Controller.le_features & ~(
        hci.LeFeatureMask.LE_EXTENDED_ADVERTISING | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING | hci.LeFeatureMask.LL_PRIVACY)

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.reported = set()
        # Some adapters (CSR's) take any two advertisements of an address for duplicates, whatever they say.
        self.filters_by_address = False

    def on_hci_reset_command(self, command):
        self.le_scan_enable, self.pending_le_connection = False, None
        self.le_legacy_advertiser.stop()
        for connection in list(self.le_connections.values()):
            self.drop(connection, hci.HCI_ErrorCode.REMOTE_USER_TERMINATED_CONNECTION_ERROR)
        return super().on_hci_reset_command(command)

    def on_hci_le_set_scan_enable_command(self, command):
        self.reported = set()
        return super().on_hci_le_set_scan_enable_command(command)

    def on_hci_le_create_connection_cancel_command(self, command):
        # bumble keeps the request and connects later, when nobody waits for it. The cancelled request completes (Core 4.E 7.8.13).
        request, self.pending_le_connection = self.pending_le_connection, None
        if request is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        asyncio.get_running_loop().call_soon(self.send_hci_packet, hci.HCI_LE_Connection_Complete_Event(
            status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0, role=hci.Role.CENTRAL,
            peer_address_type=request.peer_address_type, peer_address=request.peer_address, connection_interval=0,
            peripheral_latency=0, supervision_timeout=0, central_clock_accuracy=0))
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def on_advertising_pdu(self, pdu):
        # bumble reports each advertisement as its own scan response as well and never filters duplicates. An adapter reports a
        # scan response in an active scan only, and with the filter on each content of an address once a scan: a host that waits
        # for repetitions waits in vain.
        if self.le_scan_enable:
            self.report(pdu.advertiser_address, bytes(pdu.data))
        request = self.pending_le_connection
        if request and request.peer_address == pdu.advertiser_address and pdu.advertiser_address not in self.le_connections:
            self.create_le_connection(pdu.advertiser_address)

    def report(self, address, data):
        response = self.link.scan_response(address) if self.le_scan_type == 1 else None
        known = address if self.filters_by_address else (address, data, response)
        if self.filter_duplicates and known in self.reported:
            return
        self.reported.add(known)
        kinds = hci.HCI_LE_Advertising_Report_Event.EventType
        # Linux holds an advertisement of an active scan back until the response, an empty one too, or the next advertisement.
        for kind, content in ((kinds.ADV_IND, data), (kinds.SCAN_RSP, response)):
            if content is not None:
                self.send_hci_packet(hci.HCI_LE_Advertising_Report_Event([hci.HCI_LE_Advertising_Report_Event.Report(
                    event_type=kind, address_type=address.address_type, address=address, data=content, rssi=-50)]))

    def drop(self, connection, reason):
        """Ends a connection, from this side, without the host's wish."""
        connection.send_ll_control_pdu(ll.TerminateInd(reason))
        self.on_le_disconnected(connection, reason)

    def on_ll_control_pdu(self, sender_address, packet):
        # A peer that has gone may still be spoken of.
        if sender_address in self.le_connections:
            super().on_ll_control_pdu(sender_address, packet)


class Adapter:
    """One of the guest's adapters: a socket that QEMU joins to a serial line, and behind it a controller.

    The guest may unplug it and plug it in again; each time the controller is a new one, as after a loss of power.
    """

    def __init__(self, air, number):
        self.air, self.number, self.controller, self.server = air, number, None, None
        self.address = f"00:AA:02:00:00:{number + 1:02X}"
        self.writer = None

    async def listen(self, path):
        self.server = await asyncio.start_unix_server(self.accept, path)

    async def accept(self, reader, writer):
        self.writer = writer
        while data := await reader.read(4096):
            self.feed(data)

    def feed(self, data):
        if self.controller:
            try:
                self.parser.feed_data(data)
            except Exception as error:  # noqa: BLE001: noise on the line, as when the guest lets go of it
                print(f"adapter {self.number}: {error}", flush=True)

    def on_packet(self, packet):
        """From the controller to the guest."""
        if self.writer and not self.writer.is_closing():
            self.writer.write(packet)

    def plug(self):
        self.unplug()
        self.controller = AirController(f"hci{self.number}", host_sink=self, link=self.air, public_address=self.address)
        self.parser = PacketParser(self.controller)

    def unplug(self):
        """The adapter is gone; peers see their links time out."""
        controller, self.controller = self.controller, None
        if not controller:
            return
        controller.host = None
        for connection in list(controller.le_connections.values()):
            controller.drop(connection, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
        # The last words reach the peers in the loop's next round.
        asyncio.get_running_loop().call_later(0.05, self.air.controllers.discard, controller)
