import CBus

/// What a message of the bus carries, as far as this host reads it. Nothing is believed of it but its form.
indirect enum BusValue: Sendable, Hashable {
  /// A truth value (D-Bus type `b`).
  case truth(Bool)
  /// A number without a sign (types `y`, `q`, `u` and `t`).
  case number(UInt64)
  /// Text (type `s`).
  case text(String)
  /// The path of an object (type `o`).
  case path(String)
  /// What was a variant; its content has any type.
  case variant(BusValue)
  /// An array, except of bytes, which nothing here reads.
  case list([BusValue])
  /// A dictionary whose keys are text or paths.
  case dictionary([String: BusValue])
  /// Anything else.
  case other

  /// The content of a variant; nil for anything else.
  var inside: BusValue? {
    guard case .variant(let value) = self else { return nil }
    return value
  }
}

/// Reads a message's content, within bounds: a message may nest 64 deep and hold a million values.
struct BusReader {
  /// As deep as a list of objects with interfaces, their properties, and lists therein.
  private static let deepest = 10
  /// A thousand devices with thirty properties each.
  private static let most = 100_000

  private var count = 0

  /// The message's arguments; nil when they are more, or deeper, than anything that bluetoothd says.
  static func arguments(of message: OpaquePointer) -> [BusValue]? {
    var cursor = mh_bus_cursor()
    guard mh_bus_read(message, &cursor) != 0 else { return [] }
    var reader = BusReader()
    return reader.values(at: &cursor, depth: 0)
  }

  private mutating func values(at cursor: inout mh_bus_cursor, depth: Int) -> [BusValue]? {
    guard depth < Self.deepest else { return nil }
    var values: [BusValue] = []
    while mh_bus_type(&cursor) != 0 {
      count += 1
      guard count <= Self.most, let value = value(at: &cursor, depth: depth) else { return nil }
      values.append(value)
      guard mh_bus_advance(&cursor) != 0 else { break }
    }
    return values
  }

  private mutating func value(at cursor: inout mh_bus_cursor, depth: Int) -> BusValue? {
    switch UInt8(truncatingIfNeeded: mh_bus_type(&cursor)) {
    case UInt8(ascii: "b"): return .truth(mh_bus_number(&cursor) != 0)
    case UInt8(ascii: "y"), UInt8(ascii: "q"), UInt8(ascii: "u"), UInt8(ascii: "t"):
      return .number(mh_bus_number(&cursor))
    case UInt8(ascii: "s"): return mh_bus_text(&cursor).map { .text(String(cString: $0)) }
    case UInt8(ascii: "o"): return mh_bus_text(&cursor).map { .path(String(cString: $0)) }
    case UInt8(ascii: "v"):
      var inside = mh_bus_cursor()
      mh_bus_enter(&cursor, &inside)
      return values(at: &inside, depth: depth + 1)?.first.map(BusValue.variant)
    case UInt8(ascii: "a"):
      var inside = mh_bus_cursor()
      mh_bus_enter(&cursor, &inside)
      switch UInt8(truncatingIfNeeded: mh_bus_type(&inside)) {
      case UInt8(ascii: "e"): return dictionary(at: &inside, depth: depth + 1)
      case UInt8(ascii: "y"): return .other
      default: return values(at: &inside, depth: depth + 1).map(BusValue.list)
      }
    default: return .other
    }
  }

  private mutating func dictionary(at cursor: inout mh_bus_cursor, depth: Int) -> BusValue? {
    guard depth < Self.deepest else { return nil }
    var entries: [String: BusValue] = [:]
    while mh_bus_type(&cursor) != 0 {
      var inside = mh_bus_cursor()
      mh_bus_enter(&cursor, &inside)
      guard let pair = values(at: &inside, depth: depth + 1) else { return nil }
      switch (pair.first, pair.last) {
      case (.text(let key)?, let value?) where pair.count == 2: entries[key] = value
      case (.path(let key)?, let value?) where pair.count == 2: entries[key] = value
      default: return .other
      }
      guard mh_bus_advance(&cursor) != 0 else { break }
    }
    return .dictionary(entries)
  }
}
