package import DriverContract
import HostPrimitives

extension DriverOpening {
  package func encode(to writer: inout WireWriter) {
    writer.put(peripheralID)
    writer.put(purpose.rawValue)
    writer.put(clockTrust.rawValue)
    writer.put(unixMicroseconds)
    writer.put(since ?? .min)
    writer.put(until ?? .max)
    writer.put(utcOffsetSeconds)
    writer.put(limit)
    writer.put(address)
    writer.put(addressType)
    writer.put(security)
    for text in [manufacturer, model, name, advertisedName] { writer.put(text) }
    writer.put(advertisement)
    writer.put(parameters) { $1.encode(to: &$0) }
    Self.put(keys, to: &writer)
    Self.putTable(assets, to: &writer)
  }

  package init(from reader: inout WireReader) throws(WireError) {
    self.init()
    peripheralID = try reader.number()
    guard let purpose = DriverPurpose(rawValue: try reader.number()),
      let trust = DriverClockTrust(rawValue: try reader.number())
    else { throw WireError(message: "the opening's purpose or trust in the clock is unknown") }
    self.purpose = purpose
    clockTrust = trust
    unixMicroseconds = try reader.number()
    let (since, until) = (try reader.number(Int64.self), try reader.number(Int64.self))
    self.since = since == .min ? nil : since
    self.until = until == .max ? nil : until
    utcOffsetSeconds = try reader.number()
    limit = try reader.number()
    address = try reader.content()
    guard address.count == 6 else { throw WireError(message: "the meter's address has \(address.count) bytes") }
    addressType = try reader.number()
    security = try reader.number()
    manufacturer = try reader.text()
    model = try reader.text()
    name = try reader.text()
    advertisedName = try reader.text()
    advertisement = try reader.content()
    parameters = try reader.list(least: 7) { reader throws(WireError) in try DriverParameter(from: &reader) }
    keys = try Self.exactTable(&reader)
    assets = try Self.table(&reader)
  }

  private static func put(_ table: [ExactText: [UInt8]], to writer: inout WireWriter) {
    writer.put(table.sorted { $0.key < $1.key }) {
      $0.put($1.key.text)
      $0.put($1.value)
    }
  }

  /// Writes what `table` reads.
  static func putTable(_ table: [String: [UInt8]], to writer: inout WireWriter) {
    put(Dictionary(table.map { (ExactText($0.key), $0.value) }) { first, _ in first }, to: &writer)
  }

  /// A table whose keys no driver writes: names of a bundle's files.
  package static func table(_ reader: inout WireReader) throws(WireError) -> [String: [UInt8]] {
    Dictionary(try exactTable(&reader).map { ($0.key.text, $0.value) }) { first, _ in first }
  }

  private static func exactTable(_ reader: inout WireReader) throws(WireError) -> [ExactText: [UInt8]] {
    let pairs = try reader.list(least: 8) { reader throws(WireError) in
      (ExactText(try reader.text()), try reader.content())
    }
    // As they are written: so no key comes twice, and a table has one form.
    guard zip(pairs, pairs.dropFirst()).allSatisfy({ $0.0 < $1.0 }) else {
      throw WireError(message: "the keys of a table are not in order")
    }
    return Dictionary(pairs) { first, _ in first }
  }
}

extension DriverParameter {
  package func encode(to writer: inout WireWriter) {
    writer.put(name)
    switch value {
    case .integer(let number):
      writer.put(UInt8(1))
      writer.put(number)
    case .float(let number):
      writer.put(UInt8(2))
      writer.put(number)
    case .bytes(let bytes):
      writer.put(UInt8(3))
      writer.put(bytes)
    case .text(let text):
      writer.put(UInt8(4))
      writer.put(text)
    }
  }

  package init(from reader: inout WireReader) throws(WireError) {
    let name = try reader.number(UInt16.self)
    switch try reader.number(UInt8.self) {
    case 1: self.init(name: name, value: .integer(try reader.number()))
    case 2: self.init(name: name, value: .float(try reader.double()))
    case 3: self.init(name: name, value: .bytes(try reader.content()))
    case 4: self.init(name: name, value: .text(try reader.text()))
    default: throw WireError(message: "a parameter's type is unknown")
    }
  }
}
