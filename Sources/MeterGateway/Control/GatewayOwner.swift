import BluetoothWire
import MeterBluetooth
public import MeterCore
import Synchronization

/// The process that owns a state folder (C17), and what it does for others: a command that found the folder free, or the
/// running service.
public final class GatewayOwner: Sendable {
  /// Catalogue and drivers, as the registry's files say now: what is installed while a service runs holds for its next
  /// session.
  public var gateway: Gateway { current.gateway() }
  /// The state, owned by this process.
  public let store: MeterStore
  /// The air that reads use when they name none; nil takes the environment's.
  public let air: String?

  private let current: CurrentGateway
  /// Whether deliveries go on by themselves in this process.
  let deliversByItself: Bool
  private let patience: Duration
  private let currentDelivery: @Sendable () async throws -> GatewayDelivery?
  private let isReading = Mutex(false)

  /// An owner.
  ///
  /// - Parameters:
  ///   - air: The folder of the virtual air; nil takes the environment's.
  ///   - patience: How long a command waits at most for a running delivery of what it has put into the queue.
  ///   - delivery: The running delivery of the session in force; without it one is made for each use, and delivers only
  ///     what it is asked to.
  public init(
    gateway: Gateway, store: MeterStore, air: String? = nil, patience: Duration = .seconds(10),
    delivery: (@Sendable () async throws -> GatewayDelivery?)? = nil
  ) {
    current = CurrentGateway(gateway)
    self.store = store
    self.air = air
    self.patience = patience
    deliversByItself = delivery != nil
    currentDelivery = delivery ?? { try GatewayDelivery.configured(store: store) }
  }

  /// The delivery of the session in force; nil without a session or a receiver.
  ///
  /// - Throws: ``GatewayError`` or `StoreError`.
  public func delivery() async throws -> GatewayDelivery? { try await currentDelivery() }

  /// Delivers what was just put into the queue, as far as that is possible now. A service does it by itself, and waits for
  /// nothing but these records.
  func deliver(_ logIDs: [LogID]) async throws {
    guard let delivery = try await delivery() else { return }
    guard deliversByItself else {
      _ = await delivery.drain()
      return
    }
    try await delivery.settle(logIDs, within: patience)
  }

  /// A controller on the air of this gateway.
  ///
  /// - Throws: ``GatewayError`` when there is no air.
  func controller(air folder: String?) throws -> PeripheralController {
    gateway.controller(store: store, radio: try radio(air: folder))
  }

  /// The radio by which this gateway hears and reads meters.
  ///
  /// - Parameter folder: The folder of a virtual air; nil takes the owner's.
  /// - Throws: ``GatewayError`` when there is no air.
  func radio(air folder: String?) throws -> any Radio {
    VirtualRadio(air: try VirtualAir.of(folder ?? air), bonds: StoreBonds(store))
  }

  /// Runs the one interactive operation that may run at a time (B4).
  ///
  /// - Throws: `BluetoothError` with code `busy` while another runs; what the body throws.
  func interactively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    let isFirst = isReading.withLock { isReading in
      defer { isReading = true }
      return !isReading
    }
    guard isFirst else { throw BluetoothError(.busy, "another meter is being read; wait for it or cancel it") }
    defer { isReading.withLock { $0 = false } }
    return try await body()
  }
}
