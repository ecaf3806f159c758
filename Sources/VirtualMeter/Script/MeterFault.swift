public import BluetoothWire

/// Something that goes wrong with a virtual meter on purpose.
public struct MeterFault: Sendable {
  /// What goes wrong.
  public var kind: Kind
  /// In which connection of the meter's life, counted from 1; nil: in every one.
  public var onlyConnection: Int?
  /// How often at most; nil: without limit.
  public var times: Int?

  /// A fault.
  public init(_ kind: Kind, onlyConnection: Int? = nil, times: Int? = nil) {
    self.kind = kind
    self.onlyConnection = onlyConnection
    self.times = times
  }

  /// The kinds of faults.
  public enum Kind: Sendable {
    /// The link breaks after this many PDUs of a connection. The last one still has its effect in the meter, or reaches the
    /// client; if it is `lost`, it was sent and nobody hears of it.
    case disconnectAfterPDU(count: Int, direction: Direction, lost: Bool)
    /// An operation on an attribute is refused with this code.
    case error(operation: Operation, target: Target, code: ATTErrorCode)
    /// The request with this number in a connection is refused with this code, whatever it is.
    case errorAtRequest(count: Int, code: ATTErrorCode)
    /// PDUs leave late.
    case delay(milliseconds: Int, on: Traffic)
    /// Every notification is sent twice.
    case duplicateNotifications
    /// The time stamps of the records are zero, as after a change of batteries.
    case unsetClock
    /// PDUs with this opcode leave damaged, or not at all.
    case malformed(opcode: ATTOpcode, how: Damage)
    /// Exchange MTU Requests are refused.
    case refuseMTU
    /// A report stops after this many records with response 8, procedure not completed.
    case procedureNotCompleted(afterRecords: Int)
  }

  /// Which PDUs are counted.
  public enum Direction: String, Sendable, CaseIterable {
    /// Both directions.
    case any
    /// From the client to the meter.
    case `in`
    /// From the meter to the client.
    case out
  }

  /// What the client does with an attribute.
  public enum Operation: String, Sendable, CaseIterable {
    /// Read, Read Blob or Read By Type.
    case read
    /// Write or Prepare Write.
    case write
    /// Write of the characteristic's CCCD.
    case subscribe
  }

  /// Which attribute.
  public enum Target: Sendable {
    /// The value of each characteristic with this UUID.
    case characteristic(BluetoothUUID)
    /// The attribute with this handle.
    case handle(UInt16)
  }

  /// Which PDUs are late.
  public enum Traffic: String, Sendable, CaseIterable {
    /// Everything.
    case all
    /// Answers to requests.
    case response
    /// Values that the meter sends by itself and nobody confirms.
    case notification
    /// Values that the meter sends by itself and the client confirms.
    case indication
  }

  /// How a PDU is damaged.
  public enum Damage: String, Sendable, CaseIterable {
    /// The last byte is missing.
    case truncated
    /// The opcode is that of another response.
    case wrongOpcode = "wrong-opcode"
    /// The declared length of a list's entries is one more than the truth.
    case lyingLength = "lying-length"
    /// The entries of a list stand in falling order, or begin before the requested range.
    case handlesOutOfOrder = "handles-out-of-order"
    /// The PDU is never sent.
    case silent
  }
}

extension MeterFault: Decodable {
  private enum Name: String, CaseIterable {
    case disconnectAfterPDU = "disconnect-after-pdu"
    case error, delay, malformed
    case errorAtRequest = "error-at-request"
    case duplicateNotifications = "duplicate-notifications"
    case unsetClock = "unset-clock"
    case refuseMTU = "refuse-mtu"
    case procedureNotCompleted = "procedure-not-completed"

    var keys: [String] {
      switch self {
      case .disconnectAfterPDU: ["count", "direction", "lost"]
      case .error: ["operation", "characteristic", "handle", "code"]
      case .errorAtRequest: ["count", "code"]
      case .delay: ["milliseconds", "on"]
      case .malformed: ["opcode", "how"]
      case .procedureNotCompleted: ["after_records"]
      case .duplicateNotifications, .unsetClock, .refuseMTU: []
      }
    }
  }

  /// Decodes an object under `faults`.
  public init(from decoder: any Decoder) throws {
    let shared = ["kind", "only_connection", "times"]
    let every = Array(Set(Name.allCases.flatMap(\.keys))).sorted()
    let any = try ScriptObject(decoder, allowed: shared + every)
    let _: String = try any.required("kind")
    guard let name = try any.choice("kind", of: Name.self) else { throw any.invalid("kind", "must be a string") }
    let object = try ScriptObject(decoder, allowed: shared + name.keys)
    kind = try Self.kind(name, object)
    onlyConnection = try object.int("only_connection", in: 1...1_000_000)
    times = try object.int("times", in: 1...1_000_000)
  }

  private static func kind(_ name: Name, _ object: ScriptObject) throws -> Kind {
    switch name {
    case .disconnectAfterPDU:
      let _: Int = try object.required("count")
      return .disconnectAfterPDU(
        count: try object.int("count", in: 1...1_000_000) ?? 1, direction: try object.choice("direction") ?? .any,
        lost: try object.optional("lost") ?? false)
    case .error:
      let _: String = try object.required("operation")
      return .error(
        operation: try object.choice("operation") ?? .read, target: try target(object),
        code: ATTErrorCode(rawValue: try object.required("code", as: HexByte.self).value))
    case .errorAtRequest:
      let _: Int = try object.required("count")
      return .errorAtRequest(
        count: try object.int("count", in: 1...1_000_000) ?? 1,
        code: ATTErrorCode(rawValue: try object.required("code", as: HexByte.self).value))
    case .delay:
      let _: Int = try object.required("milliseconds")
      return .delay(
        milliseconds: try object.int("milliseconds", in: 1...600_000) ?? 1, on: try object.choice("on") ?? .all)
    case .malformed:
      let _: String = try object.required("how")
      return .malformed(
        opcode: ATTOpcode(rawValue: try object.required("opcode", as: HexByte.self).value),
        how: try object.choice("how") ?? .silent)
    case .procedureNotCompleted:
      let _: Int = try object.required("after_records")
      return .procedureNotCompleted(afterRecords: try object.int("after_records", in: 0...65_535) ?? 0)
    case .duplicateNotifications: return .duplicateNotifications
    case .unsetClock: return .unsetClock
    case .refuseMTU: return .refuseMTU
    }
  }

  private static func target(_ object: ScriptObject) throws -> Target {
    if let handle = try object.int("handle", in: 1...0xFFFF) {
      guard !object.has("characteristic") else {
        throw object.invalid("handle", "give either a handle or a characteristic")
      }
      return .handle(UInt16(handle))
    }
    return .characteristic(try object.required("characteristic"))
  }
}
