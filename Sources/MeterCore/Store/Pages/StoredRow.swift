import HostPrimitives

/// One value of a row.
enum StoredValue: Equatable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

/// A row as it stands in a page (SQLite file format, section 2.1): what is no row is nil.
struct StoredRow: Equatable {
  /// Nil in an index and in a table without rowids.
  var rowid: Int64?
  var values: [StoredValue]

  init?(rowid: Int64?, payload: [UInt8]) {
    guard let header = payload.variableNumber(at: 0), header.value >= Int64(header.count),
      header.value <= Int64(payload.count)
    else { return nil }
    let headerEnd = Int(header.value)
    var (position, content) = (header.count, headerEnd)
    var values: [StoredValue] = []
    while position < headerEnd {
      guard let type = payload[..<headerEnd].variableNumber(at: position) else { return nil }
      position += type.count
      guard let (value, size) = Self.value(type.value, payload, at: content) else { return nil }
      values.append(value)
      content += size
    }
    // SQLite leaves nothing behind the last value.
    guard position == headerEnd, content == payload.count, !values.isEmpty else { return nil }
    self.rowid = rowid
    self.values = values
  }

  private static func value(_ type: Int64, _ payload: [UInt8], at start: Int) -> (StoredValue, Int)? {
    switch type {
    case 0: return (.null, 0)
    case 1...6:
      let size = [1, 2, 3, 4, 6, 8][Int(type) - 1]
      guard start + size <= payload.count else { return nil }
      return (.integer(Int64(twosComplement: payload[start..<(start + size)])), size)
    case 7:
      return payload[...].number(at: start, .big).map { (.real(Double(bitPattern: $0)), 8) }
    case 8: return (.integer(0), 0)
    case 9: return (.integer(1), 0)
    case 12...:
      guard let size = Int(exactly: (type - 12) / 2), start <= payload.count, size <= payload.count - start else {
        return nil
      }
      let bytes = payload[start..<(start + size)]
      guard type % 2 == 1 else { return (.blob(Array(bytes)), size) }
      return String(validating: bytes, as: UTF8.self).map { (.text($0), size) }
    default: return nil
    }
  }
}
