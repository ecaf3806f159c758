public import Foundation

/// Stores a key or licence of a peripheral.
public struct KeySetRequest: ControlRequest {
  /// What was stored.
  public struct Answer: Codable, Sendable {
    /// The key, without its value.
    public var key: KeyDescription
    /// Whether the meter that was named is paired; nil when none was.
    public var isPaired: Bool?
    /// Whether there is a session; without one the key is stored for the gateway, and nothing is delivered.
    public var hasSession: Bool

    enum CodingKeys: String, CodingKey {
      case key
      case isPaired = "paired"
      case hasSession = "has_session"
    }

    package init(key: KeyDescription, isPaired: Bool? = nil, hasSession: Bool) {
      self.key = key
      self.isPaired = isPaired
      self.hasSession = hasSession
    }
  }

  /// Its name on the socket.
  public static let name = "key.set"
  /// The key's name in the registry.
  public var key: String
  /// The id of the catalogue's entry that needs it.
  public var peripheral: UInt32
  /// The meter's stable UUID, for keys of one meter; else nil.
  public var meter: UUID?
  /// What the person typed, or a file's bytes; base64 on the socket.
  public var content: [UInt8]

  /// Stores a key.
  public init(_ key: String, peripheral: UInt32, meter: UUID?, content: [UInt8]) {
    self.key = key
    self.peripheral = peripheral
    self.meter = meter
    self.content = content
  }
}

/// What keys are stored.
public struct KeyListRequest: ControlRequest {
  /// The keys, without their values.
  public typealias Answer = [KeyDescription]

  /// Its name on the socket.
  public static let name = "key.list"
  /// It changes nothing.
  public static let onlyLooks = true

  /// Asks for the list.
  public init() {}
}

/// Deletes a stored key or licence, whose value is told to nobody.
public struct KeyForgetRequest: ControlRequest {
  /// Always true.
  public typealias Answer = Bool

  /// Its name on the socket.
  public static let name = "key.forget"
  /// The key's name in the registry.
  public var key: String
  /// The id of the catalogue's entry that needs it.
  public var peripheral: UInt32
  /// The meter's stable UUID, for keys of one meter; else nil.
  public var meter: UUID?

  /// Forgets a key.
  public init(_ key: String, peripheral: UInt32, meter: UUID?) {
    self.key = key
    self.peripheral = peripheral
    self.meter = meter
  }
}

extension KeySetRequest {
  private enum CodingKeys: String, CodingKey { case key, peripheral, meter, content }

  /// Reads a request.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(String.self, forKey: .key),
      peripheral: try container.decode(UInt32.self, forKey: .peripheral),
      meter: try container.decodeIfPresent(UUID.self, forKey: .meter),
      content: Array(try container.decode(Data.self, forKey: .content)))
  }

  /// Writes it; the content in base64.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(key, forKey: .key)
    try container.encode(peripheral, forKey: .peripheral)
    try container.encodeIfPresent(meter, forKey: .meter)
    try container.encode(Data(content), forKey: .content)
  }
}
