import BluetoothWire
import HostPrimitives

/// One connection in a capture, seen from the central.
struct CapturedLink {
  /// One PDU of the Attribute Protocol.
  struct PDU {
    let unixMicroseconds: Int64
    /// From the meter.
    let isReceived: Bool
    let pdu: ATTPDU

    /// The central asks for something.
    var isRequest: Bool { !isReceived && pdu.opcode.isRequest }
    /// The meter answers; every response has the number behind its request's.
    var isAnswer: Bool {
      isReceived && (pdu.opcode == .errorResponse || ATTOpcode(rawValue: pdu.opcode.rawValue &- 1).isRequest)
    }
  }

  /// The meter's address; nil when the capture began while the connection was up.
  var address: BluetoothAddress?
  var beginMicroseconds: Int64
  var pdus: [PDU] = []
  /// What the central asked for and what it was answered, in order. The meter may be a client of the central's as well: what
  /// it asks for and is answered is another matter.
  var exchanges: [(request: ATTPDU, answer: ATTPDU)] {
    var (found, asked): ([(request: ATTPDU, answer: ATTPDU)], ATTPDU?) = ([], nil)
    for pdu in pdus {
      if pdu.isRequest {
        asked = pdu.pdu
      } else if pdu.isAnswer, let request = asked {
        found.append((request, pdu.pdu))
        asked = nil
      }
    }
    return found
  }

  /// When the link was encrypted.
  var encryptedMicroseconds: Int64?
  /// When and why it ended: HCI code (Core Specification, Vol 1 Part F).
  var end: (unixMicroseconds: Int64, reason: UInt8)?

  /// How many values the meter sent by itself.
  var values: Int {
    pdus.count { pdu in
      switch pdu.pdu {
      case .handleValueNotification, .handleValueIndication: pdu.isReceived
      default: false
      }
    }
  }
}

/// Follows the connections and advertisements in the HCI packets of a capture.
struct CaptureFollower {
  private struct Key: Hashable {
    let controller: UInt16
    let handle: UInt16
  }

  private struct Fragments {
    var bytes: [UInt8] = []
    /// What arrives now continues something whose beginning was not seen.
    var isLost = true
  }

  /// An advertisement, with its time.
  struct Heard {
    let unixMicroseconds: Int64
    let report: AdvertisingReport
  }

  private(set) var links: [CapturedLink] = []
  private(set) var heard: [Heard] = []
  /// Packets of the Attribute Protocol that make no sense, or have lost a part.
  private(set) var unreadable = 0
  private var open: [Key: Int] = [:]
  /// Connections in which this host is not the central.
  private var ignored: Set<Key> = []
  private var sent: [Key: Fragments] = [:]
  private var received: [Key: Fragments] = [:]

  /// The channel of the Attribute Protocol (Core Specification, Vol 3 Part A 2.1).
  private static let attributeChannel: UInt16 = 4

  init(_ packets: [BtsnoopFile.Packet]) {
    for packet in packets {
      switch packet.kind {
      case .command: break
      case .event: event(packet)
      case .data: data(packet)
      }
    }
  }

  // MARK: - Events (Core Specification, Vol 4 Part E 7.7)

  private mutating func event(_ packet: BtsnoopFile.Packet) {
    var reader = ByteReader(packet.bytes)
    guard let code = reader.uint8(), let length = reader.uint8(), let content = reader.take(Int(length)) else { return }
    var body = ByteReader(content)
    switch code {
    case 0x05:
      guard body.uint8() == 0, let handle = body.uint16(), let reason = body.uint8() else { return }
      let key = Key(controller: packet.controller, handle: handle & 0xFFF)
      if let index = open.removeValue(forKey: key) { links[index].end = (packet.unixMicroseconds, reason) }
      ignored.remove(key)
      forgetFragments(key)
    // Encryption Change, in both versions.
    case 0x08, 0x59:
      guard body.uint8() == 0, let handle = body.uint16(), let isOn = body.uint8(), isOn > 0,
        let index = open[Key(controller: packet.controller, handle: handle & 0xFFF)]
      else { return }
      links[index].encryptedMicroseconds = packet.unixMicroseconds
    case 0x3E: lowEnergy(&body, packet)
    default: break
    }
  }

  private mutating func lowEnergy(_ body: inout ByteReader, _ packet: BtsnoopFile.Packet) {
    switch body.uint8() {
    // Connection Complete, and its enhanced forms, which begin alike.
    case 0x01, 0x0A, 0x29:
      guard body.uint8() == 0, let handle = body.uint16(), let role = body.uint8(), let kind = body.uint8(),
        let bytes = body.take(6)
      else { return }
      let key = Key(controller: packet.controller, handle: handle & 0xFFF)
      forgetFragments(key)
      open[key] = nil
      ignored.remove(key)
      // 1: this host is the peripheral. Kinds 2 and 3 are public and random addresses behind a resolved one.
      guard role == 0, let address = Self.address(bytes, kind) else {
        ignored.insert(key)
        return
      }
      open[key] = links.count
      links.append(CapturedLink(address: address, beginMicroseconds: packet.unixMicroseconds))
    case 0x02: reports(&body, packet, isExtended: false)
    case 0x0D: reports(&body, packet, isExtended: true)
    default: break
    }
  }

  private mutating func reports(_ body: inout ByteReader, _ packet: BtsnoopFile.Packet, isExtended: Bool) {
    guard let count = body.uint8() else { return }
    for _ in 0..<count {
      guard let report = isExtended ? Self.extendedReport(&body) : Self.report(&body) else { return }
      heard.append(Heard(unixMicroseconds: packet.unixMicroseconds, report: report))
    }
  }

  private static func report(_ body: inout ByteReader) -> AdvertisingReport? {
    guard let type = body.uint8().flatMap(AdvertisingReport.EventType.init(rawValue:)), let kind = body.uint8(),
      let bytes = body.take(6), let address = address(bytes, kind), let length = body.uint8(),
      let data = body.take(Int(length)), let rssi = body.uint8()
    else { return nil }
    return AdvertisingReport(eventType: type, address: address, rssi: Int8(bitPattern: rssi), data: Array(data))
  }

  private static func extendedReport(_ body: inout ByteReader) -> AdvertisingReport? {
    guard let bits = body.uint16(), let kind = body.uint8(), let bytes = body.take(6),
      let address = address(bytes, kind), body.take(4) != nil, let rssi = body.uint8(), body.take(9) != nil,
      let length = body.uint8(), let data = body.take(Int(length))
    else { return nil }
    // Bit 3: scan response; bit 0: connectable; bit 1: scannable.
    let type: AdvertisingReport.EventType =
      bits & 8 != 0 ? .scanResponse : bits & 1 != 0 ? .connectable : bits & 2 != 0 ? .scannable : .nonconnectable
    return AdvertisingReport(eventType: type, address: address, rssi: Int8(bitPattern: rssi), data: Array(data))
  }

  private static func address(_ bytes: ArraySlice<UInt8>, _ kind: UInt8) -> BluetoothAddress? {
    guard kind <= 3, let kind = BluetoothAddress.Kind(rawValue: kind & 1) else { return nil }
    return BluetoothAddress(littleEndian: bytes, kind: kind)
  }

  // MARK: - Data (Vol 4 Part E 5.4.2, Vol 3 Part A 3.1)

  private mutating func data(_ packet: BtsnoopFile.Packet) {
    var reader = ByteReader(packet.bytes)
    guard let word = reader.uint16(), let length = reader.uint16(), let content = reader.take(Int(length)) else {
      return unreadable += 1
    }
    let key = Key(controller: packet.controller, handle: word & 0xFFF)
    guard !ignored.contains(key) else { return }
    let isContinuation = word >> 12 & 3 == 1
    let frame =
      packet.isReceived
      ? take(content, isContinuation, &received[key, default: Fragments()])
      : take(content, isContinuation, &sent[key, default: Fragments()])
    if let frame, frame.channel == Self.attributeChannel { attribute(frame.content, key, packet) }
  }

  private mutating func forgetFragments(_ key: Key) {
    sent[key] = nil
    received[key] = nil
  }

  /// Adds a piece; the whole frame of L2CAP once its last one is there.
  private func take(
    _ content: ArraySlice<UInt8>, _ isContinuation: Bool, _ fragments: inout Fragments
  ) -> (channel: UInt16, content: [UInt8])? {
    if isContinuation {
      guard !fragments.isLost else { return nil }
      fragments.bytes += content
    } else {
      fragments = Fragments(bytes: Array(content), isLost: false)
    }
    var reader = ByteReader(fragments.bytes)
    guard let length = reader.uint16(), let channel = reader.uint16(), reader.count >= Int(length) else {
      return nil
    }
    // A new frame begins with a new packet: what is left over belongs to nothing.
    defer { fragments = Fragments() }
    return (channel, Array(reader.take(Int(length)) ?? []))
  }

  private mutating func attribute(_ bytes: [UInt8], _ key: Key, _ packet: BtsnoopFile.Packet) {
    guard let pdu = try? ATTPDU(decoding: bytes) else { return unreadable += 1 }
    let index = open[key] ?? links.count
    if index == links.count {
      // The capture began while this connection was up.
      open[key] = index
      links.append(CapturedLink(address: nil, beginMicroseconds: packet.unixMicroseconds))
    }
    links[index].pdus.append(
      CapturedLink.PDU(unixMicroseconds: packet.unixMicroseconds, isReceived: packet.isReceived, pdu: pdu))
  }
}
