import Foundation

/// Runs what takes long or waits on a thread of its own.
///
/// Tests run on the few threads of the concurrency runtime. One that keeps such a thread for seconds, by waiting for a
/// process or by working without a pause, makes others miss their time limits.
public func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread { continuation.resume(with: Result { try body() }) }.start()
  }
}
