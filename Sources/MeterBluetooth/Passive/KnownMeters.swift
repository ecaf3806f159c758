import BluetoothWire
import HostPrimitives
import Logging
import MeterCore
import Synchronization

/// The addresses by which meters are known to this gateway: those that are paired, that a person has set something for, and that
/// were read before.
///
/// Asked for each advertisement, and so kept in memory; what the store says is looked up when it has changed, once a second at most.
final class KnownMeters: Sendable {
  private struct State {
    var addresses: Set<BluetoothAddress> = []
    var isStale = true
    var looksAt: HostInstant?
    var isLooking = false
  }

  private static let pause = Duration.seconds(1)
  private static let log = LogArea.bluetooth.logger

  private let store: MeterStore
  private let clock: any HostClock
  private let state = Mutex(State())

  init(store: MeterStore, clock: any HostClock) {
    (self.store, self.clock) = (store, clock)
  }

  /// The store has changed.
  func noteChange() {
    state.withLock { $0.isStale = true }
  }

  /// Looks the addresses up, now.
  func look() {
    state.withLock { state in
      state.isStale = false
      state.looksAt = clock.now + Self.pause
    }
    do throws(StoreError) {
      let found = try store.knownMeterAddresses()
      state.withLock { $0.addresses = Set(found.flatMap(Self.addresses)) }
    } catch {
      state.withLock { $0.isStale = true }
      Self.log.error("the meters that are known cannot be read: \(error.message)")
    }
  }

  /// Whether a meter is known by its address. Never waits for the disk.
  func contains(_ address: BluetoothAddress) -> Bool {
    let now = clock.now
    let (isKnown, looks) = state.withLock { state in
      let looks = state.isStale && !state.isLooking && state.looksAt.map { now >= $0 } ?? true
      if looks { state.isLooking = true }
      return (state.addresses.contains(address), looks)
    }
    if looks {
      Task {
        look()
        state.withLock { $0.isLooking = false }
      }
    }
    return isKnown
  }

  /// The bytes of an address of which the kind was never noted may be either's.
  private static func addresses(_ known: (address: String, kind: MeterAddressKind?)) -> [BluetoothAddress] {
    guard let value = BluetoothAddress(known.address)?.value else { return [] }
    let kinds: [BluetoothAddress.Kind] =
      switch known.kind {
      case .public: [.public]
      case .random: [.random]
      case nil: [.public, .random]
      }
    return kinds.map { BluetoothAddress(value: value, kind: $0) }
  }
}
