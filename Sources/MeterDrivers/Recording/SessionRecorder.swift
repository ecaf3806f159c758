import Crypto
import DriverContract
import DriverRuntime
import HostPrimitives
import Synchronization

/// Keeps what happens in one session of a driver, in memory and bounded, until somebody wants it on disk.
///
/// From half of the bound on, units are kept as their SHA-256 only: a replay compares them all the same. What is beyond the
/// bound is left out, and the recording says so. Keys are not in it: a secret that the driver writes stands there as its
/// SHA-256, and what the host computes with a key as the result.
public final class SessionRecorder: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var events: UInt32 = 0
    var steps = 0
    var isFull = false
    var fault: DriverFault?
    var closingFault: DriverFault?
    var isClosed = false
  }

  /// Most bytes and steps of one session.
  public struct Limits: Sendable, Hashable {
    /// Bytes of the content.
    public var bytes: Int
    /// Steps: events, units, answers.
    public var steps: Int

    /// Limits; the defaults are those of a gateway in use.
    package init(bytes: Int = 4 << 20, steps: Int = 100_000) {
      self.bytes = bytes
      self.steps = steps
    }
  }

  private let limits: Limits
  private let state = Mutex(State())

  /// A recorder of one session.
  package init(limits: Limits = Limits()) { self.limits = limits }

  /// The fault that ended the session; nil when there was none.
  package var fault: DriverFault? { state.withLock { $0.fault ?? $0.closingFault } }

  /// How many bytes it holds.
  public var size: Int { state.withLock(\.bytes.count) }

  /// How many events it holds, and whether it had to leave something out.
  var extent: (events: UInt32, isTruncated: Bool) { state.withLock { ($0.events, $0.isFull) } }

  /// The content's frames.
  var content: [UInt8] { state.withLock(\.bytes) }

  /// Notes that the host would not take what the last unit holds: a fault of the driver that shows later only.
  package func refuseOutput(_ fault: DriverFault) {
    state.withLock { state in
      guard state.fault == nil else { return }
      state.fault = fault
      append(RecordingFrame.step(.refusedOutput(fault)).bytes, to: &state, isLast: true)
    }
  }

  func open(_ opening: DriverOpening) {
    let frame = RecordingFrame.opening(opening).bytes
    state.withLock { append(frame, to: &$0, isLast: true) }
  }

  func note(_ request: ServiceRequest, _ answer: ServiceAnswer) {
    let frame = RecordingFrame.step(.service(request.withoutSecret, answer)).bytes
    state.withLock { append(frame, to: &$0) }
  }

  func note(_ event: DriverEvent) {
    let frame = RecordingFrame.step(.event(event)).bytes
    state.withLock { state in
      // What a session that is over is still handed, it answers with a fault of its own.
      guard !state.isClosed else { return }
      append(frame, to: &state)
      if !state.isFull { state.events += 1 }
    }
  }

  func note(_ unit: DriverUnit) {
    let unit = unit.withoutSecrets
    let whole = RecordingFrame.step(.unit(unit)).bytes
    state.withLock { state in
      let isKept = state.bytes.count < limits.bytes / 2 && state.bytes.count + whole.count <= limits.bytes
      append(isKept ? whole : RecordingFrame.step(.unitDigest(unit.digest)).bytes, to: &state)
    }
  }

  /// Notes what is said to an extension and what it answers; from half of the bound on, of answers their SHA-256.
  func note(extension step: RecordingStep) {
    let whole = RecordingFrame.step(step).bytes
    state.withLock { state in
      guard !state.isClosed else { return }
      var frame = whole
      if case .answered(let bytes) = step {
        let isKept = state.bytes.count < limits.bytes / 2 && state.bytes.count + whole.count <= limits.bytes
        if !isKept { frame = RecordingFrame.step(.unitDigest(Array(SHA256.hash(data: bytes)))).bytes }
      }
      append(frame, to: &state)
      if case .asked = step, !state.isFull { state.events += 1 }
    }
  }

  func note(_ fault: DriverFault) {
    state.withLock { state in
      guard state.fault == nil, !state.isClosed else { return }
      if fault.isDrivers { state.fault = fault }
      append(RecordingFrame.step(.fault(fault)).bytes, to: &state, isLast: true)
      state.isClosed = true
    }
  }

  /// - Parameter fault: What the driver did wrong on its way out.
  func close(_ fault: DriverFault? = nil) {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.isClosed = true
      var step = RecordingStep.closed
      if let fault, fault.isDrivers {
        state.closingFault = fault
        step = .closingFault(fault)
      }
      append(RecordingFrame.step(step).bytes, to: &state, isLast: true)
    }
  }

  /// - Parameter isLast: Small, wanted even of a full recording, and few: how it ended.
  private func append(_ bytes: [UInt8], to state: inout State, isLast: Bool = false) {
    guard !state.isFull || isLast else { return }
    if !isLast, state.bytes.count + bytes.count > limits.bytes || state.steps >= limits.steps {
      state.isFull = true
      state.bytes += RecordingFrame.step(.full).bytes
      return
    }
    state.bytes += bytes
    state.steps += 1
  }
}

extension DriverFault {
  /// Whether a driver or its worker may be to blame, and not the host or the caller: a replay tells.
  package var isDrivers: Bool {
    switch code {
    case .crashed, .killed, .hung, .brokeRule, .brokeProtocol: true
    case .loadFailed, .unknownDriver, .refused, .workerFailed, .closed, .cancelled: false
    }
  }
}

extension ServiceRequest {
  /// The request with the SHA-256 of a secret that the driver writes in the secret's place.
  var withoutSecret: ServiceRequest {
    guard case .put(let name, let value) = self, !value.isEmpty else { return self }
    return .put(name: name, value: Array(SHA256.hash(data: value)))
  }
}

extension DriverUnit {
  /// The unit with the SHA-256 of each secret that the driver writes in the secret's place.
  var withoutSecrets: DriverUnit {
    var unit = self
    for (index, write) in writes.enumerated() where StorageName.isSecret(write.key) && !write.value.isEmpty {
      unit.writes[index].value = Array(SHA256.hash(data: write.value))
    }
    return unit
  }

  /// SHA-256 of what a replay compares.
  var digest: [UInt8] { Array(SHA256.hash(data: comparedBytes)) }
}
