public import Foundation
import MeterBluetooth
import MeterCore

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
  }

  /// Its name on the socket.
  public static let name = "key.set"
  /// The key's name in the registry.
  public var key: String
  /// The peripheral's id.
  public var peripheral: UInt32
  /// The meter's stable UUID, for keys of one meter.
  public var meter: UUID?
  /// What the person typed, or a file's bytes.
  public var content: [UInt8]

  /// Stores a key.
  public init(_ key: String, peripheral: UInt32, meter: UUID?, content: [UInt8]) {
    self.key = key
    self.peripheral = peripheral
    self.meter = meter
    self.content = content
  }

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> Answer {
    let stored = try GatewayKeys(gateway: owner.gateway, store: owner.store)
      .set(content, name: key, peripheral: peripheral, meter: meter)
    owner.retryPassive()
    let isPaired = try meter.map { meter in try PairedMeter.all(in: owner.store).contains { $0.uuid == meter } }
    return Answer(key: stored, isPaired: isPaired, hasSession: try !owner.actsWithoutSession("a key was stored"))
  }
}

/// What keys are stored.
public struct KeyListRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "key.list"

  /// Asks for the list.
  public init() {}

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> [KeyDescription] {
    try GatewayKeys(gateway: owner.gateway, store: owner.store).list()
  }
}

/// Forgets a key.
public struct KeyForgetRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "key.forget"
  /// The key's name in the registry.
  public var key: String
  /// The peripheral's id.
  public var peripheral: UInt32
  /// The meter's stable UUID, for keys of one meter.
  public var meter: UUID?

  /// Forgets a key.
  public init(_ key: String, peripheral: UInt32, meter: UUID?) {
    self.key = key
    self.peripheral = peripheral
    self.meter = meter
  }

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> Bool {
    try GatewayKeys(gateway: owner.gateway, store: owner.store).forget(name: key, peripheral: peripheral, meter: meter)
    return true
  }
}
