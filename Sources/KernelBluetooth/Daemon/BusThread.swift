import CLinux
import HostPrimitives
import Synchronization

/// Threads for what blocks: libdbus waits inside its calls, and Swift's own threads are few.
enum BusThread {
  /// More than ever work at once; a bus that no longer takes connections would collect them.
  private static let most = 16
  private static let running = Mutex(0)

  /// Does something on a thread of its own.
  ///
  /// - Parameter patience: How long to wait for it; it goes on without anybody who waits.
  /// - Throws: What it throws; ``KernelBluetoothError`` with code `noAnswer` when it takes too long.
  static func run<Value: Sendable>(
    patience: Duration, _ body: @escaping @Sendable () throws(KernelBluetoothError) -> Value
  ) async throws(KernelBluetoothError) -> Value {
    guard admit() else { throw .daemonSilent }
    let outcome = FirstOutcome<Result<Value, KernelBluetoothError>>()
    let timeout = Task {
      try await SystemClock().sleep(for: patience)
      outcome.settle(.failure(.daemonSilent))
    }
    defer { timeout.cancel() }
    let work = BusWork {
      do throws(KernelBluetoothError) { outcome.settle(.success(try body())) } catch { outcome.settle(.failure(error)) }
      running.withLock { $0 -= 1 }
    }
    let context = Unmanaged.passRetained(work)
    let status = mh_socket_thread_start(
      "mh-bus",
      { context in
        if let context { Unmanaged<BusWork>.fromOpaque(context).takeRetainedValue().body() }
        return nil
      }, context.toOpaque())
    if status != 0 {
      context.release()
      running.withLock { $0 -= 1 }
      outcome.settle(.failure(KernelBluetoothError(opening: "start a thread for bluetoothd", errno: -Int32(status))))
    }
    return try await outcome.value.get()
  }

  private static func admit() -> Bool {
    running.withLock { count in
      guard count < most else { return false }
      count += 1
      return true
    }
  }
}

private final class BusWork: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
