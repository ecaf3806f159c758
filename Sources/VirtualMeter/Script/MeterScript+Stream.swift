public import BluetoothWire

extension MeterScript {
  /// How a meter that sends measured values as long as a client listens behaves: a heart-rate strap (Heart Rate
  /// Service 1.0, 3.1), a continuous oximeter (Pulse Oximeter Service 1.0, 3.2).
  public struct Stream: Sendable {
    /// The characteristic that starts the stream when the client subscribes to it, and carries it.
    public var characteristic: BluetoothUUID
    /// Milliseconds between two values; the first leaves at once.
    public var periodMilliseconds: Int
    /// What is sent, in this order.
    public var values: [StreamValue]
    /// What comes after the last value.
    public var atEnd: StreamEnd
  }

  /// What is sent at one tick of the stream, and by which characteristic.
  public struct StreamValue: Sendable, Equatable {
    /// The characteristic that carries the value, by notification or indication as its properties say; nil: that of the
    /// stream. A value of a characteristic that the client has not subscribed to is passed over.
    public var characteristic: BluetoothUUID?
    /// The bytes.
    public var value: [UInt8]
    /// Whether the meter still settles the value: it is no reading yet.
    public var isSettling = false
  }

  /// What comes after the last value of a stream.
  public enum StreamEnd: String, Sendable, CaseIterable {
    /// The first value again.
    case loop
    /// The last value again and again.
    case hold
    /// Nothing: that is the end of the procedure `stream`.
    case stop
  }
}

extension MeterScript.Stream {
  static let keys = ["kind", "characteristic", "period_ms", "values", "at_end"]

  init(_ object: ScriptObject) throws {
    characteristic = try object.required("characteristic")
    periodMilliseconds = try object.int("period_ms", in: 1...600_000) ?? 1000
    values = try object.required("values")
    atEnd = try object.choice("at_end") ?? .loop
    guard !values.isEmpty else { throw object.invalid("values", "needs at least one value") }
  }

  /// Every characteristic that carries values.
  var characteristics: [BluetoothUUID] { [characteristic] + values.compactMap(\.characteristic) }
}

extension MeterScript.StreamValue: Decodable {
  /// Decodes an element of `values`: bytes, or an object with a characteristic of its own.
  public init(from decoder: any Decoder) throws {
    if let bytes = try? decoder.singleValueContainer().decode(String.self), !bytes.isEmpty {
      value = try HexBytes(from: decoder).bytes
      return
    }
    let object = try ScriptObject(decoder, allowed: ["characteristic", "value", "settling"])
    characteristic = try object.optional("characteristic")
    isSettling = try object.optional("settling") ?? false
    value = try object.required("value", as: HexBytes.self).bytes
  }
}
