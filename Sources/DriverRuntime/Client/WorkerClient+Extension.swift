import DriverContract
import Glibc

/// Extensions of drivers: the host asks, and the kind's own coding reads what comes back.
extension WorkerClient {
  /// Opens an extension of the driver.
  package func open(
    _ kind: ExtensionKind, _ opening: ExtensionPayload, within limit: Duration
  ) throws(WorkerFailure) {
    onExtension?(.asked(extension: kind.id.rawValue, isOpening: true, opening.bytes))
    let deadline = begin(limit, cpu: kind.openingCPU(limits))
    try send(kind, .open(driver: driver), opening, deadline)
    guard case .ready = try answer(deadline) else { throw .garbage("the worker did not answer with ready") }
    onExtension?(.answered([]))
  }

  /// Asks an extension that is open.
  package func call(
    _ kind: ExtensionKind, _ question: ExtensionPayload, within limit: Duration
  ) throws(WorkerFailure) -> ExtensionPayload {
    channel.longest = kind.longestAnswer
    defer {
      channel.longest = WireFrame.longest
      channel.forgetPayload()
    }
    // Before the driver has it: a question that it does not come back from is the one that matters.
    onExtension?(.asked(extension: kind.id.rawValue, isOpening: false, question.bytes))
    let deadline = begin(limit, cpu: kind.callCPU(limits))
    try send(kind, .call, question, deadline)
    guard case .extension(let payload) = try answer(deadline) else {
      throw .garbage("the worker did not answer for the extension \(kind.id.rawValue)")
    }
    onExtension?(.answered(payload.bytes))
    return payload
  }

  /// The same, and reads the answer.
  func call<Raw>(
    _ kind: ExtensionKind, _ question: ExtensionPayload, within limit: Duration,
    _ read: (inout WireReader) throws(WireError) -> Raw
  ) throws(WorkerFailure) -> Raw {
    let payload = try call(kind, question, within: limit)
    do throws(WireError) { return try payload.read(read) } catch {
      throw .garbage("the extension \(kind.id.rawValue) answered what makes no sense: \(error.message)")
    }
  }

  private func send(
    _ kind: ExtensionKind, _ step: ExtensionMessage.Step, _ payload: ExtensionPayload, _ deadline: Int64
  ) throws(WorkerFailure) {
    guard payload.count <= kind.longestQuestion else { throw .system(EMSGSIZE) }
    let message = ExtensionMessage(kind: kind.id.rawValue, step, payload)
    do throws(ChannelError) {
      try channel.send(type: HostMessage.extensionType, head: message.head, payload, deadline: deadline)
    } catch { throw WorkerFailure(error) }
  }
}
