/// One line that goes into `driver decode`.
public struct DecodeRequest: Sendable, Codable, Hashable {
  /// What the decoder may know about the meter.
  public struct Device: Sendable, Codable, Hashable {
    /// The name that the meter advertises; nil: not known.
    public var name: String?
    /// Its Manufacturer Name String (2A29); nil: not known.
    public var manufacturer: String?

    /// What is known of the meter.
    public init(name: String? = nil, manufacturer: String? = nil) {
      self.name = name
      self.manufacturer = manufacturer
    }
  }

  /// The caller's name for the line; comes back in the answer.
  public var id: String
  /// The id of the catalogue's entry whose driver decodes.
  public var peripheral: UInt32
  /// The characteristic, or the service whose data the bytes are: its UUID in 4, 8 or 32 digits.
  public var characteristic: String
  /// Whether the bytes are an advertisement's service data, without their UUID; nil: no.
  public var serviceData: Bool?
  /// The value in hexadecimal digits.
  public var hex: String
  /// What is known of the meter that sent it; nil: nothing.
  public var device: Device?

  /// A value to decode.
  public init(
    id: String, peripheral: UInt32, characteristic: String, serviceData: Bool? = nil, hex: String,
    device: Device? = nil
  ) {
    self.id = id
    self.peripheral = peripheral
    self.characteristic = characteristic
    self.serviceData = serviceData
    self.hex = hex
    self.device = device
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case id, peripheral, characteristic, hex, device
    case serviceData = "service_data"
  }
}

/// One line that comes out of `driver decode`.
public struct DecodeAnswer: Sendable, Codable, Hashable {
  /// One value of a record.
  public struct Value: Sendable, Codable, Hashable {
    /// The metric's name in the dictionary or the driver's own; `vendor_` and the code where neither has one.
    public var metric: String
    /// The double nearest to the decimal number that was reported.
    public var value: Double
    /// The unit in UCUM; `unknown_` and the code of one that the dictionary does not have.
    public var unit: String
    /// `above`, `below` or `questionable`; nil for an exact value.
    public var qualifier: String?

    package init(metric: String, value: Double, unit: String, qualifier: String? = nil) {
      self.metric = metric
      self.value = value
      self.unit = unit
      self.qualifier = qualifier
    }
  }

  /// What a driver makes of bytes: a measurement, or facts beside one.
  public struct Record: Sendable, Codable, Hashable {
    /// `measurement`, `context`, `device_info` or `diagnostic`.
    public var kind: String
    /// ISO 8601: the meter's civil time without a zone, or UTC with Z; nil when the meter gave none.
    public var timestamp: String?
    /// The number under which the meter keeps it; nil when it gave none.
    public var sequence: UInt64?
    /// What was measured, in the driver's order.
    public var values: [Value]
    /// Those of `control`, `provisional`, `clock_suspect`, `held` and `tombstone` that hold; mostly none.
    public var flags: [String]

    package init(kind: String, timestamp: String? = nil, sequence: UInt64? = nil, values: [Value], flags: [String]) {
      self.kind = kind
      self.timestamp = timestamp
      self.sequence = sequence
      self.values = values
      self.flags = flags
    }
  }

  /// Why a value yielded no record.
  public struct Failure: Sendable, Codable, Hashable {
    /// Stable name of the reason, such as `malformed_value`.
    public var code: String
    /// What is wrong, for people.
    public var message: String

    package init(code: String, message: String) {
      self.code = code
      self.message = message
    }
  }

  /// The id of the request; empty when the line does not say one.
  public var id: String
  /// What the driver made of the value, in its order; may be none.
  public var records: [Record]
  /// Why the value could not be decoded; nil when all went well.
  public var error: Failure?

  enum CodingKeys: String, CodingKey { case id, records, error }

  package init(id: String, records: [Record], error: Failure? = nil) {
    self.id = id
    self.records = records
    self.error = error
  }

  /// `error` and `qualifier` are written as null, so that every line has the same keys.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(records, forKey: .records)
    try container.encode(error, forKey: .error)
  }
}

extension DecodeAnswer.Value {
  enum CodingKeys: String, CodingKey { case metric, value, unit, qualifier }

  /// `qualifier` is written as null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(metric, forKey: .metric)
    try container.encode(value, forKey: .value)
    try container.encode(unit, forKey: .unit)
    try container.encode(qualifier, forKey: .qualifier)
  }
}

extension DecodeAnswer.Record {
  enum CodingKeys: String, CodingKey { case kind, timestamp, sequence, values, flags }

  /// `timestamp` and `sequence` are written as null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    try container.encode(timestamp, forKey: .timestamp)
    try container.encode(sequence, forKey: .sequence)
    try container.encode(values, forKey: .values)
    try container.encode(flags, forKey: .flags)
  }
}
