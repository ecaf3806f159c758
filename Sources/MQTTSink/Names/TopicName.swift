/// One level of a topic: a to z, 0 to 9, `-` and `_`, so that it is also an object id of Home Assistant.
struct TopicName: Sendable, Hashable {
  let text: String

  /// The name that a text comes to: capitals become small, and every run of other characters one `-`. Empty where nothing is left.
  ///
  /// - Parameter limit: The most bytes of it.
  init(_ text: String, limit: Int) {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      let small = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
      if Self.isPlain(small) {
        bytes.append(small)
      } else if let last = bytes.last, last != UInt8(ascii: "-") {
        bytes.append(UInt8(ascii: "-"))
      }
    }
    bytes = Array(bytes.drop { $0 == UInt8(ascii: "-") }.prefix(limit))
    while bytes.last == UInt8(ascii: "-") { bytes.removeLast() }
    self.text = String(decoding: bytes, as: UTF8.self)
  }

  static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
