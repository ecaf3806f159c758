import DriverContract
import DriverRuntime
import HostPrimitives

/// A Bluetooth capture in btsnoop form: what Android's snoop log and `btmon --write` write.
///
/// The form is that of RFC 1761 with the mark "btsnoop", version 1 and link types of its own: numbers are big-endian, times are
/// microseconds since the year 0.
struct BtsnoopFile {
  /// An HCI packet without its transport's head.
  struct Packet: Sendable, Hashable {
    enum Kind: Sendable, Hashable { case command, event, data }

    let kind: Kind
    /// From the controller to the host.
    let isReceived: Bool
    /// Number of the controller, where the capture has several.
    let controller: UInt16
    /// Microseconds since 1970-01-01T00:00Z.
    let unixMicroseconds: Int64
    /// A part of the file: it is not copied.
    let bytes: ArraySlice<UInt8>
    /// Where its record begins in the file.
    let offset: Int
  }

  /// How packets lie in the file (`BTSNOOP_FORMAT_*` of BlueZ).
  private enum Link: UInt32 {
    /// HCI packets; the flags say which kind.
    case hci = 1001
    /// HCI packets behind a byte that says which kind (UART, H4).
    case uart = 1002
    /// What the Linux kernel's monitor gives; the flags hold controller and kind.
    case monitor = 2001
  }

  /// Largest file, and most records: the file and all that is made of its packets is in memory at once.
  static let (largestFile, mostRecords) = (64 << 20, 1_000_000)
  /// Longest packet: an ACL packet of HCI with its head.
  static let longestPacket = 65_535 + 5
  static let mark = Array("btsnoop\0".utf8)
  /// From btsnoop's beginning of time, in the year 0, to 1970, microseconds: the number that Android and BlueZ write.
  static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000

  private static let cure =
    "\(largestFile >> 20) MiB and \(mostRecords) packets are read: capture again for as long as the meter is connected"

  private(set) var packets: [Packet] = []
  /// Records of which the capture kept only the beginning.
  private(set) var shortened = 0
  /// Where the last record is cut off, as of a capture that was broken off; nil when it is whole.
  private(set) var cutOff: Int?

  /// Reads a file.
  ///
  /// - Throws: ``CaptureError``.
  init(_ bytes: [UInt8]) throws(CaptureError) {
    guard bytes.starts(with: Self.mark) else {
      throw CaptureError(.notACapture, "the file is no btsnoop capture", offset: 0)
    }
    guard bytes.count <= Self.largestFile else {
      throw CaptureError(.tooLarge, "the capture has \(bytes.count) bytes; \(Self.cure)")
    }
    var reader = ByteReader(bytes)
    _ = reader.take(Self.mark.count)
    guard let version = reader.uint32(.big), let type = reader.uint32(.big) else {
      throw CaptureError(.damaged, "the capture ends within its head", offset: bytes.count)
    }
    guard version == 1, let link = Link(rawValue: type) else {
      throw CaptureError(
        .unsupported,
        "btsnoop version \(version) with link type \(type) is not read; version 1 with 1001, 1002 (HCI) or "
          + "2001 (Linux monitor) is", offset: Self.mark.count)
    }
    var records = 0
    while !reader.isEmpty {
      records += 1
      guard records <= Self.mostRecords else {
        throw CaptureError(
          .tooLarge, "the capture has more than \(Self.mostRecords) packets; \(Self.cure)", offset: reader.offset)
      }
      guard try take(&reader, link) else { return }
    }
  }

  /// Takes one record; false when the file ends within it.
  private mutating func take(_ reader: inout ByteReader, _ link: Link) throws(CaptureError) -> Bool {
    let offset = reader.offset
    guard let original = reader.uint32(.big), let included = reader.uint32(.big), let flags = reader.uint32(.big),
      reader.uint32(.big) != nil, let time = reader.uint64(.big)
    else {
      cutOff = offset
      return false
    }
    guard included <= UInt32(Self.longestPacket), included <= original else {
      throw CaptureError(
        .damaged, "a packet of \(original) bytes of which \(included) are there cannot be", offset: offset)
    }
    guard let content = reader.take(Int(included)) else {
      cutOff = offset
      return false
    }
    guard included == original else {
      shortened += 1
      return true
    }
    let unix = Int64(bitPattern: time).subtractingReportingOverflow(Self.epoch)
    guard !unix.overflow, RecordedTime.range.contains(unix.partialValue) else {
      throw CaptureError(.damaged, "a packet has an impossible time", offset: offset)
    }
    if let (kind, isReceived, controller, bytes) = Self.packet(content, flags, link) {
      packets.append(
        Packet(
          kind: kind, isReceived: isReceived, controller: controller, unixMicroseconds: unix.partialValue,
          bytes: bytes, offset: offset))
    }
    return true
  }

  /// What a record holds; nil for what is no command, event or data.
  private static func packet(
    _ content: ArraySlice<UInt8>, _ flags: UInt32, _ link: Link
  ) -> (Packet.Kind, isReceived: Bool, controller: UInt16, ArraySlice<UInt8>)? {
    switch link {
    case .hci:
      let isReceived = flags & 1 == 1
      return (flags & 2 == 0 ? .data : isReceived ? .event : .command, isReceived, 0, content)
    case .uart:
      // The packet indicators of H4 (Core Specification, Vol 4 Part A 2).
      switch content.first {
      case 1: return (.command, false, 0, content.dropFirst())
      case 2: return (.data, flags & 1 == 1, 0, content.dropFirst())
      case 4: return (.event, true, 0, content.dropFirst())
      default: return nil
      }
    case .monitor:
      let controller = UInt16(flags >> 16)
      switch flags & 0xFFFF {
      case 2: return (.command, false, controller, content)
      case 3: return (.event, true, controller, content)
      case 4: return (.data, false, controller, content)
      case 5: return (.data, true, controller, content)
      default: return nil
      }
    }
  }
}
