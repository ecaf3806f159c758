/// Head of every frame between host and worker: length of the payload (u32), type (u8), version (u8), reserved (u16).
struct WireFrame: Sendable, Hashable {
  /// Bytes of a head.
  static let headSize = 8
  /// Version of this protocol; host and worker are always installed together, so there is only one.
  static let version: UInt8 = 4
  /// Longest payload, unless a kind of extension has longer ones. A full batch of decoded values takes under 2 MiB, an event's unit under 5.
  static let longest = 8 << 20
  /// The most that a head can say.
  static let most = Int(UInt32.max)

  var type: UInt8
  var length: Int

  /// The head's bytes.
  var head: [UInt8] {
    var writer = WireWriter()
    writer.put(UInt32(length))
    writer.put(type)
    writer.put(Self.version)
    writer.put(UInt16(0))
    return writer.bytes
  }

  /// Whether it was made by another version of this protocol.
  static func isOfOtherVersion(head: [UInt8]) -> Bool { head.count == headSize && head[5] != version }

  init(type: UInt8, length: Int) {
    self.type = type
    self.length = length
  }

  /// Reads a head whose payload may be so long.
  init(head: [UInt8], longest: Int = WireFrame.longest) throws(WireError) {
    var reader = WireReader(head)
    let length = Int(try reader.number(UInt32.self))
    let type = try reader.number(UInt8.self)
    let version = try reader.number(UInt8.self)
    let reserved = try reader.number(UInt16.self)
    guard length <= longest else { throw WireError(message: "a frame of \(length) bytes is too long") }
    guard version == Self.version, reserved == 0 else {
      throw WireError(message: "the peer speaks version \(version) of the worker's protocol, not \(Self.version)")
    }
    self.init(type: type, length: length)
  }
}
