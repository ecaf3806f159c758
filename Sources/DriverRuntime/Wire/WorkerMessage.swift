package import DriverContract
import CMeterDriver

/// What a worker says to the host. Nothing in it is believed before it is checked.
package enum WorkerMessage: Sendable {
  /// It is confined, and the bundle's code runs from now on: what it said before is its own word, everything later may be the
  /// bundle's.
  case confined(ContractVersion)
  /// The bundle is loaded.
  case hello(ContractVersion, [DriverDescription])
  /// Done.
  case ready
  /// An event's output.
  case unit(RawUnit)
  /// It did not work; the driver's name is the host's to fill in.
  case fault(DriverFault)
  /// In the middle of an event: the driver wants something of its services. The host answers.
  case request(ServiceRequest)
  /// What an extension function left behind.
  case returned(RawAnswer)
  /// What an extension answered; only its own coding reads it.
  case `extension`(ExtensionPayload)

  /// The type of a frame of decoded values; its layout is `DecodedFrame`.
  package static let decodedType: UInt8 = 68
  /// The type of what an extension answered.
  static let extensionType: UInt8 = 71

  package var type: UInt8 {
    switch self {
    case .confined: 63
    case .hello: 64
    case .ready: 65
    case .unit: 66
    case .fault: 67
    case .request: 69
    case .returned: 70
    case .extension: Self.extensionType
    }
  }

  package var payload: [UInt8] {
    var writer = WireWriter()
    switch self {
    case .confined(let version): version.encode(to: &writer)
    case .hello(let version, let drivers):
      version.encode(to: &writer)
      writer.put(drivers) { $1.encode(to: &$0) }
    case .ready: break
    case .unit(let unit): unit.encode(to: &writer)
    case .fault(let fault): fault.encode(to: &writer)
    case .request(let request): request.encode(to: &writer)
    case .returned(let answer): answer.encode(to: &writer)
    case .extension(let payload): writer.putRaw(payload.bytes)
    }
    return writer.bytes
  }

  package init(type: UInt8, payload: [UInt8]) throws(WireError) {
    var reader = WireReader(payload)
    switch type {
    case 63: self = .confined(try ContractVersion(from: &reader))
    case 64:
      self = .hello(
        try ContractVersion(from: &reader),
        try reader.list(least: 28) { reader throws(WireError) in try DriverDescription(from: &reader) })
    case 65: self = .ready
    case 66: self = .unit(try RawUnit(from: &reader))
    case 67: self = .fault(try DriverFault(from: &reader))
    case 69: self = .request(try ServiceRequest(from: &reader))
    case 70: self = .returned(try RawAnswer(from: &reader))
    case Self.extensionType: self = .extension(reader.payload())
    default: throw WireError(message: "message type \(type) is unknown")
    }
    try reader.end()
  }
}

extension ContractVersion {
  package func encode(to writer: inout WireWriter) {
    writer.put(major)
    writer.put(minor)
    writer.put(layoutHash)
  }

  package init(from reader: inout WireReader) throws(WireError) {
    self.init(major: try reader.number(), minor: try reader.number(), layoutHash: try reader.number())
  }
}

extension DriverDescription {
  package func encode(to writer: inout WireWriter) {
    writer.put(id)
    writer.put(version)
    writer.put(vendor)
    writer.put(capabilities.rawValue)
    writer.put(functions) {
      $0.put($1.name)
      $0.put($1.signature)
    }
    writer.put(extensions) { $0.put($1.rawValue) }
  }

  package init(from reader: inout WireReader) throws(WireError) {
    self.init(
      id: try reader.text(), version: try reader.text(), vendor: try reader.text(),
      capabilities: DriverCapabilities(rawValue: try reader.number()),
      functions: try reader.list(least: 8) { reader throws(WireError) in
        DriverFunction(name: try reader.text(), signature: try reader.text())
      },
      extensions: try reader.list(least: 4) { reader throws(WireError) in
        guard let known = DriverExtension(rawValue: try reader.text()) else {
          throw WireError(message: "a driver's extension is unknown")
        }
        return known
      })
  }
}

extension DriverFault {
  package func encode(to writer: inout WireWriter) {
    writer.put(code.rawValue)
    writer.put(driver)
    writer.put(rule ?? "")
    writer.put(message)
    writer.put(cause ?? "")
  }

  package init(from reader: inout WireReader) throws(WireError) {
    let name = try reader.text()
    guard let code = Code(rawValue: name) else { throw WireError(message: "the fault's code is unknown") }
    let driver = try reader.text()
    let rule = try reader.text()
    let message = try reader.text()
    let cause = try reader.text()
    self.init(
      code, driver: driver, rule: rule.isEmpty ? nil : rule, message: message, cause: cause.isEmpty ? nil : cause)
  }
}
