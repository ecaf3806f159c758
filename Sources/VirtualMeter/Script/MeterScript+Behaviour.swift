public import BluetoothWire

extension MeterScript {
  /// What a meter does of its own.
  public enum Behaviour: Sendable {
    /// Nothing: a GATT database to read and write.
    case database
    /// A glucose meter with a Record Access Control Point.
    case glucose(Glucose)
    /// A meter that indicates its records once a client subscribes, such as a thermometer.
    case indicateOnConnect(IndicateOnConnect)
    /// A meter that sends one value a period while a client listens, such as a heart-rate strap.
    case stream(Stream)
    /// A meter that only advertises.
    case advertise(Advertise)
    /// A weight scale with the Bluetooth SIG services.
    case scale(Scale)
    /// A TaiDoc or Fora meter.
    case taidoc(TaiDoc)
    /// A LifeScan OneTouch meter.
    case oneTouch(OneTouch)
    /// The keyed test meter, whose readings are encrypted.
    case keyed(Keyed)
    /// A meter whose questions and answers stand in the script.
    case responder(Responder)
  }

  /// How the keyed test meter behaves (Plugins/KeyedMeter/README.md).
  public struct Keyed: Sendable {
    /// The meter's key, 16 bytes.
    public var key: [UInt8]
    /// The meter's id, 8 bytes.
    public var id: [UInt8]
    /// Bytes of the tag of a reading: 4 or 8.
    public var tagLength: Int
    /// Whether acknowledged readings go from the memory.
    public var deletesOnAcknowledgement: Bool
  }

  /// In which order stored records are reported.
  public enum Order: String, Sendable, CaseIterable {
    /// The oldest record first.
    case oldestFirst = "oldest-first"
    /// The newest record first.
    case newestFirst = "newest-first"
  }

  /// How a Record Access Control Point behaves (Glucose Service 1.0.1, 3.4).
  public struct Glucose: Sendable {
    /// In which order records are reported.
    public var order: Order
    /// How many bytes the number of records has: 2 by the specification; 1 and 4 occur.
    public var countWidth: Int
    /// Which requests are refused.
    public var refusals: [Refusal]
    /// Whether reported records are deleted when the client confirms the procedure's response.
    public var deletesOnConfirmation: Bool
  }

  /// A request that a meter refuses with a response code.
  public struct Refusal: Sendable {
    /// The request's op code; nil: any.
    public var opcode: UInt8?
    /// The request's operator; nil: any.
    public var `operator`: UInt8?
    /// The response value, 2 to 9.
    public var response: UInt8
  }

  /// How a meter that indicates its records behaves (Health Thermometer Service 1.0, 3.1).
  public struct IndicateOnConnect: Sendable {
    /// The characteristic that is indicated.
    public var characteristic: BluetoothUUID
    /// The characteristic that intermediate values are notified on.
    public var intermediate: BluetoothUUID
    /// In which order records are indicated.
    public var order: Order
    /// Whether a record is removed from the memory when the client confirms it.
    public var deletesOnConfirmation: Bool
    /// Whether the whole memory is sent at every connection; else only what was never confirmed.
    public var resendsAll: Bool
  }
}

extension MeterScript.Behaviour: Decodable {
  enum Kind: String, CaseIterable {
    case database, glucose, stream, advertise, scale, taidoc
    case indicateOnConnect = "indicate-on-connect"
    case oneTouch = "onetouch"
    case keyed, responder
  }

  /// Decodes the object under `behaviour`.
  public init(from decoder: any Decoder) throws {
    let keys = [
      "kind", "order", "count_width", "refuse", "delete_on_confirmation", "characteristic", "intermediate",
      "resend_all", "period_ms", "values", "at_end", "steps", "repeat", "slots", "key", "meter_id", "tag_length",
      "delete_on_acknowledgement",
    ]
    let object = try ScriptObject(
      decoder,
      allowed: keys + MeterScript.TaiDoc.keys + MeterScript.OneTouch.keys + MeterScript.Responder.keys)
    let _: String = try object.required("kind")
    switch try object.choice("kind", of: Kind.self) ?? .database {
    case .database:
      _ = try ScriptObject(decoder, allowed: ["kind"])
      self = .database
    case .glucose:
      let object = try ScriptObject(
        decoder, allowed: ["kind", "order", "count_width", "refuse", "delete_on_confirmation"])
      let width = try object.int("count_width", in: 1...4) ?? 2
      guard width != 3 else { throw object.invalid("count_width", "must be 1, 2 or 4") }
      self = .glucose(
        .init(
          order: try object.choice("order") ?? .oldestFirst, countWidth: width, refusals: try object.list("refuse"),
          deletesOnConfirmation: try object.optional("delete_on_confirmation") ?? false))
    case .keyed:
      let object = try ScriptObject(
        decoder, allowed: ["kind", "key", "meter_id", "tag_length", "delete_on_acknowledgement"])
      let (key, id) = (try object.hex("key") ?? [], try object.hex("meter_id") ?? [])
      guard key.count == 16 else { throw object.invalid("key", "must have 32 hexadecimal digits") }
      guard id.count == 8 else { throw object.invalid("meter_id", "must have 16 hexadecimal digits") }
      let tagLength = try object.int("tag_length", in: 4...8) ?? 8
      guard tagLength % 4 == 0 else { throw object.invalid("tag_length", "must be 4 or 8") }
      self = .keyed(
        .init(
          key: key, id: id, tagLength: tagLength,
          deletesOnAcknowledgement: try object.optional("delete_on_acknowledgement") ?? false))
    case .indicateOnConnect:
      let object = try ScriptObject(
        decoder,
        allowed: ["kind", "order", "characteristic", "intermediate", "delete_on_confirmation", "resend_all"])
      self = .indicateOnConnect(
        .init(
          characteristic: try object.optional("characteristic") ?? .temperatureMeasurement,
          intermediate: try object.optional("intermediate") ?? .intermediateTemperature,
          order: try object.choice("order") ?? .oldestFirst,
          deletesOnConfirmation: try object.optional("delete_on_confirmation") ?? false,
          resendsAll: try object.optional("resend_all") ?? false))
    case .stream: self = .stream(try .init(ScriptObject(decoder, allowed: MeterScript.Stream.keys)))
    case .oneTouch: self = .oneTouch(try .init(ScriptObject(decoder, allowed: MeterScript.OneTouch.keys)))
    case .advertise:
      let object = try ScriptObject(decoder, allowed: ["kind", "steps", "repeat"])
      self = .advertise(
        .init(steps: try object.required("steps"), repeats: try object.optional("repeat") ?? false))
    case .scale:
      let object = try ScriptObject(decoder, allowed: ["kind", "slots", "delete_on_confirmation"])
      self = .scale(
        .init(
          slots: try object.list("slots"),
          deletesOnConfirmation: try object.optional("delete_on_confirmation") ?? false))
    case .responder: self = .responder(try .init(ScriptObject(decoder, allowed: MeterScript.Responder.keys)))
    case .taidoc: self = .taidoc(try .init(ScriptObject(decoder, allowed: MeterScript.TaiDoc.keys)))
    }
  }
}

extension MeterScript.Refusal: Decodable {
  /// Decodes an object under `refuse`.
  public init(from decoder: any Decoder) throws {
    let object = try ScriptObject(decoder, allowed: ["opcode", "operator", "response"])
    opcode = try object.optional("opcode", as: HexByte.self)?.value
    self.operator = try object.optional("operator", as: HexByte.self)?.value
    let value: HexByte = try object.required("response")
    guard 2...9 ~= value.value else {
      throw object.invalid("response", "must be a response value from 02 (op code not supported) to 09")
    }
    response = value.value
  }
}
