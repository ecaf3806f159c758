import BluetoothWire
import DriverContract
import DriverRuntime

/// Turns the PDUs of one captured connection into what a driver would have heard and been answered.
struct CapturedCourse {
  /// What happened, in order.
  private(set) var steps: [CapturedStep] = []
  /// Values of characteristics that the driver does not use.
  private(set) var others = 0

  private let database: GATTDatabase
  /// Configurations, by handle, and the values that they switch on and off.
  private let subscriptions: [UInt16: UInt16]
  private var request: ATTPDU?
  /// Parts of a long write, until they are executed.
  private var prepared: (handle: UInt16, value: [UInt8])?

  init(_ link: CapturedLink, database: GATTDatabase, captured: CapturedDatabase) {
    self.database = database
    subscriptions = captured.subscriptions
    add(.fact(.connected(mtu: UInt16(ATTPDU.defaultMTU))), link.beginMicroseconds)
    add(.fact(.services(database.driverServices, database.driverCharacteristics)), link.beginMicroseconds)
    var encrypted = link.encryptedMicroseconds
    for pdu in link.pdus {
      if let time = encrypted, time <= pdu.unixMicroseconds {
        encrypted = nil
        add(.fact(.encrypted(level: 2)), time)
      }
      take(pdu)
    }
    let last = link.pdus.last?.unixMicroseconds ?? link.beginMicroseconds
    if let time = encrypted { add(.fact(.encrypted(level: 2)), time) }
    add(
      .fact(.disconnected(reason: Int32(link.end?.reason ?? 0x13))), max(last, link.end?.unixMicroseconds ?? last))
  }

  private mutating func add(_ content: CapturedStep.Content, _ time: Int64) {
    steps.append(CapturedStep(unixMicroseconds: time, content: content))
  }

  private func isUsed(_ handle: UInt16) -> Bool { database.characteristic(valueHandle: handle) != nil }

  private mutating func take(_ pdu: CapturedLink.PDU) {
    let time = pdu.unixMicroseconds
    switch pdu.pdu {
    case .handleValueNotification(let handle, let value):
      guard pdu.isReceived else { return }
      if isUsed(handle) { add(.fact(.notification(handle: handle, value)), time) } else { others += 1 }
    case .handleValueIndication(let handle, let value):
      guard pdu.isReceived else { return }
      if isUsed(handle) { add(.fact(.indication(handle: handle, value)), time) } else { others += 1 }
    case .writeCommand(let handle, let value):
      if !pdu.isReceived, isUsed(handle) { add(.writeNoResponse(handle: handle, value: value), time) }
    default:
      if pdu.isRequest { request = pdu.pdu }
      guard pdu.isAnswer, let asked = request else { return }
      request = nil
      answered(asked, pdu.pdu, time)
    }
  }

  private mutating func answered(_ request: ATTPDU, _ answer: ATTPDU, _ time: Int64) {
    var status: Int32 = 0
    if case .errorResponse(_, _, let code) = answer { status = Int32(code.rawValue) }
    switch (request, answer) {
    case (.exchangeMTURequest(let client), .exchangeMTUResponse(let server)):
      add(.mtu(max(UInt16(ATTPDU.defaultMTU), min(client, server))), time)
    case (.readRequest(let handle), .readResponse(let value)): read(handle, value, 0, time)
    case (.readRequest(let handle), .errorResponse): read(handle, [], status, time)
    case (.readBlobRequest(let handle, let offset), .readBlobResponse(let value)): goOn(handle, offset, value)
    case (.readByTypeRequest, .readByTypeResponse(let attributes)):
      for attribute in attributes { read(attribute.handle, attribute.value, 0, time) }
    case (.writeRequest(let handle, let value), .writeResponse), (.writeRequest(let handle, let value), .errorResponse):
      written(handle, value, status, time)
    case (.prepareWriteRequest(let handle, let offset, let value), .prepareWriteResponse):
      if let parts = prepared, parts.handle == handle, parts.value.count == Int(offset), parts.value.count < 1 << 16 {
        prepared?.value += value
      } else {
        prepared = offset == 0 ? (handle, value) : nil
      }
    case (.executeWriteRequest(let commits), _):
      if commits, let parts = prepared { written(parts.handle, parts.value, status, time) }
      prepared = nil
    default: break
    }
  }

  private mutating func read(_ handle: UInt16, _ value: [UInt8], _ status: Int32, _ time: Int64) {
    if isUsed(handle) { add(.read(handle: handle, value: value, status: status), time) }
  }

  /// A long value is read in pieces (Core Specification, Vol 3 Part G 4.8.3).
  private mutating func goOn(_ handle: UInt16, _ offset: UInt16, _ piece: [UInt8]) {
    guard let last = steps.indices.last, case .read(handle, let value, 0) = steps[last].content,
      value.count == Int(offset)
    else { return }
    steps[last].content = .read(handle: handle, value: value + piece, status: 0)
  }

  private mutating func written(_ handle: UInt16, _ value: [UInt8], _ status: Int32, _ time: Int64) {
    if let subject = subscriptions[handle], value.count == 2, value[0] <= 3, value[1] == 0 {
      if isUsed(subject) { add(.subscribe(handle: subject, enable: value[0] != 0, status: status), time) }
    } else if isUsed(handle) {
      add(.write(handle: handle, value: value, status: status), time)
    }
  }
}
