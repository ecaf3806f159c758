import BluetoothWire
import HostPrimitives
import Synchronization
import TestSupport
import VirtualMeter

@testable import MeterBluetooth

/// A radio whose meters lie on the bench: each is heard at once and again whenever its link is free.
final class BenchRadio: Radio {
  private struct State {
    var listeners = 0
    var isPaired = true
    var pairings = 0
    var links: [VirtualBearer] = []
  }

  let meters: [VirtualMeter]
  private let state = Mutex(State())
  private let gate: (@Sendable () async -> Void)?
  private let clock = JumpingClock.ofTest

  /// - Parameter gate: Awaited before each connection.
  init(_ meters: [VirtualMeter], gate: (@Sendable () async -> Void)? = nil) {
    self.meters = meters
    self.gate = gate
  }

  var listeners: Int { state.withLock(\.listeners) }
  var pairings: Int { state.withLock(\.pairings) }
  var links: [VirtualBearer] { state.withLock(\.links) }

  func loseBond() { state.withLock { $0.isPaired = false } }

  func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> {
    state.withLock { $0.listeners += 1 }
    return AsyncThrowingStream { continuation in
      let tasks = meters.map { meter in
        let events = meter.events()
        return Task { await advertise(meter, events) { continuation.yield(meter.advertisement) } }
      }
      continuation.onTermination = { _ in for task in tasks { task.cancel() } }
    }
  }

  /// A meter advertises again and again while its link is free.
  private func advertise(
    _ meter: VirtualMeter, _ events: AsyncStream<MeterEvent>, _ yield: @escaping @Sendable () -> Void
  ) async {
    let isFree = FreeLink()
    await withDiscardingTaskGroup { group in
      group.addTask {
        for await event in events {
          switch event {
          case .connected: isFree.value.withLock { $0 = false }
          case .disconnected:
            isFree.value.withLock { $0 = true }
            yield()
          default: break
          }
        }
      }
      group.addTask { [clock] in
        repeat {
          if isFree.value.withLock(\.self) { yield() }
        } while await clock.elapsed(.milliseconds(100))
      }
    }
  }

  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    await gate?()
    guard let meter = meters.first(where: { $0.script.address == address }) else {
      throw BluetoothError(.connectionFailure, "nobody is at \(address)")
    }
    // The last link of a meter may still be going.
    var events = meter.events().makeAsyncIterator()
    while true {
      do {
        let link = VirtualBearer(socket: try meter.connect())
        state.withLock { $0.links.append(link) }
        return link
      } catch {
        guard error.code == .busy else { throw BluetoothError(.connectionFailure, error.message, cause: error) }
      }
      while let event = await events.next() {
        if case .disconnected = event { break }
      }
    }
  }

  func isPaired(with address: BluetoothAddress) async -> Bool { state.withLock(\.isPaired) }

  func pair(
    with address: BluetoothAddress, asking person: PairingPerson
  ) async throws(BluetoothError) -> PairedLink {
    state.withLock {
      $0.isPaired = true
      $0.pairings += 1
    }
    return PairedLink(level: 2, identity: address)
  }

  func security(of address: BluetoothAddress) async -> UInt8 { state.withLock { $0.isPaired ? 2 : 1 } }

  func forget(_ address: BluetoothAddress) async throws(BluetoothError) { loseBond() }
}

/// Whether nobody is connected.
private final class FreeLink: Sendable {
  let value = Mutex(true)
}
