import MeterBluetooth
import MeterCore
import MeterDrivers

/// What is read passively, as `--json` shows it.
public struct PassiveDescription: Codable, Sendable, Hashable {
  /// One chosen peripheral.
  public struct Entry: Codable, Sendable, Hashable {
    /// Its id in the catalogue.
    public var peripheral: UInt32
    /// Its name.
    public var name: String
    /// Whether it can be read passively: `yes`, or `unreliable` when meters of it are sometimes missed.
    public var passive: String
  }

  /// The chosen peripherals, by id; empty is off.
  public var peripherals: [Entry]
  /// Whether a service runs that reads them.
  public var isRunning: Bool
  /// Why nothing is read at the moment, though something is chosen; left out when nothing stands in the way.
  public var problem: String?

  enum CodingKeys: String, CodingKey {
    case peripherals, problem
    case isRunning = "running"
  }
}

/// Tells what is read passively.
public struct PassiveShowRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "passive.show"
  /// It changes nothing.
  public static let isRepeatable = true

  /// Asks.
  public init() {}

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> PassiveDescription {
    try PassiveDescription(owner.store.passivePeripherals(), owner)
  }
}

/// Chooses what is read passively; an empty set is off.
public struct PassiveSetRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "passive.set"
  /// The same set twice is the same set.
  public static let isRepeatable = true
  /// Ids in the catalogue.
  public var peripherals: [UInt32]

  /// Chooses these.
  public init(_ peripherals: [UInt32]) { self.peripherals = peripherals }

  /// - Throws: `BluetoothError` with code `unknownPeripheral`, `StoreError`.
  public func perform(on owner: GatewayOwner) async throws -> PassiveDescription {
    try await owner.choosePassive(peripherals)
    if !peripherals.isEmpty { _ = try owner.actsWithoutSession("what is read passively was chosen") }
    return try PassiveDescription(owner.store.passivePeripherals(), owner)
  }
}

extension PassiveDescription {
  private static func problem(_ peripherals: [UInt32], _ owner: GatewayOwner) throws -> String? {
    guard !peripherals.isEmpty else { return nil }
    if try owner.store.currentSession().user == nil { return BluetoothError.noSessionUser.message }
    return owner.passiveProblem
  }

  fileprivate init(_ peripherals: [UInt32], _ owner: GatewayOwner) throws {
    let registry = owner.gateway.registry
    self.init(
      peripherals: peripherals.map { id in
        let entry = registry.peripheral(id: id)
        return Entry(
          peripheral: id, name: entry?.name ?? "not in the catalogue any more",
          passive: entry?.passive.rawValue ?? Peripheral.PassiveReading.no.rawValue)
      }, isRunning: owner.deliversByItself, problem: try Self.problem(peripherals, owner))
  }
}
