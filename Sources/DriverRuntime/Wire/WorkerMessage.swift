import CMeterDriver

/// What a worker says to the host. Nothing in it is believed before it is checked.
enum WorkerMessage: Sendable {
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

  /// The type of a frame of decoded values; its layout is `DecodedFrame`.
  static let decodedType: UInt8 = 68

  var type: UInt8 {
    switch self {
    case .hello: 64
    case .ready: 65
    case .unit: 66
    case .fault: 67
    case .request: 69
    case .returned: 70
    }
  }

  var payload: [UInt8] {
    var writer = WireWriter()
    switch self {
    case .hello(let version, let drivers):
      writer.put(version.major)
      writer.put(version.minor)
      writer.put(version.layoutHash)
      writer.put(drivers) { $1.encode(to: &$0) }
    case .ready: break
    case .unit(let unit): unit.encode(to: &writer)
    case .fault(let fault): fault.encode(to: &writer)
    case .request(let request): request.encode(to: &writer)
    case .returned(let answer): answer.encode(to: &writer)
    }
    return writer.bytes
  }

  init(type: UInt8, payload: [UInt8]) throws(WireError) {
    var reader = WireReader(payload)
    switch type {
    case 64:
      let version = ContractVersion(
        major: try reader.number(), minor: try reader.number(), layoutHash: try reader.number())
      self = .hello(
        version,
        try reader.list(least: 24) { reader throws(WireError) in try DriverDescription(from: &reader) })
    case 65: self = .ready
    case 66: self = .unit(try RawUnit(from: &reader))
    case 67: self = .fault(try DriverFault(from: &reader))
    case 69: self = .request(try ServiceRequest(from: &reader))
    case 70: self = .returned(try RawAnswer(from: &reader))
    default: throw WireError(message: "message type \(type) is unknown")
    }
    try reader.end()
  }
}

extension DriverDescription {
  func encode(to writer: inout WireWriter) {
    writer.put(id)
    writer.put(version)
    writer.put(vendor)
    writer.put(capabilities.rawValue)
    writer.put(functions) {
      $0.put($1.name)
      $0.put($1.signature)
    }
  }

  init(from reader: inout WireReader) throws(WireError) {
    self.init(
      id: try reader.text(), version: try reader.text(), vendor: try reader.text(),
      capabilities: DriverCapabilities(rawValue: try reader.number()),
      functions: try reader.list(least: 8) { reader throws(WireError) in
        DriverFunction(name: try reader.text(), signature: try reader.text())
      })
  }
}

extension DriverFault {
  func encode(to writer: inout WireWriter) {
    writer.put(code.rawValue)
    writer.put(driver)
    writer.put(rule ?? "")
    writer.put(message)
    writer.put(cause ?? "")
  }

  init(from reader: inout WireReader) throws(WireError) {
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
