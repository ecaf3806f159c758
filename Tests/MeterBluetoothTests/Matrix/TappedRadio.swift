import BluetoothWire
import Synchronization

@testable import MeterBluetooth

/// A radio that calls somebody at each PDU of its first connection: before one goes to the meter, and before one that came
/// from it is handed on.
struct TappedRadio: WrappingRadio {
  let base: BenchRadio
  private let tap: @Sendable (Int) -> Void
  private let connections = Counter()

  init(_ base: BenchRadio, tap: @escaping @Sendable (Int) -> Void) {
    self.base = base
    self.tap = tap
  }

  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    let bearer = try await base.connect(to: address)
    return connections.next() == 1 ? TappedBearer(base: bearer, tap: tap) : bearer
  }
}

private struct TappedBearer: ATTBearer {
  let base: any ATTBearer
  let tap: @Sendable (Int) -> Void
  let pdus = Counter()

  func send(_ pdu: [UInt8]) async throws(GATTError) {
    tap(pdus.next())
    try await base.send(pdu)
  }

  func receive() async throws(GATTError) -> [UInt8]? {
    let pdu = try await base.receive()
    if pdu != nil { tap(pdus.next()) }
    return pdu
  }

  func close() { base.close() }
}

private final class Counter: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
