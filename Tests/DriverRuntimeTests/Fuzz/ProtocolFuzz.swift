import CLinux
import CMeterDriver
import Glibc

import DriverContract
@testable import DriverRuntime

/// What may come over the socket between host and worker, from bytes that anybody has made up. The first byte says which end
/// hears them; nothing may trap, and nothing that a host accepts may break a rule.
enum ProtocolFuzz {
  /// What went wrong; whoever runs this makes a failure of it.
  struct Problem: Error {
    let words: String
  }

  enum End: UInt8, CaseIterable {
    /// The host hears a whole session of a hostile worker.
    case session
    /// The host hears what a hostile worker has decoded.
    case decoding
    /// A worker hears a hostile host.
    case worker
    /// Payloads by themselves, without a socket: the second byte is the type.
    case payload
  }

  /// A case as bytes.
  static func encoded(_ end: End, _ bytes: [UInt8]) -> [UInt8] { [end.rawValue] + bytes }

  static func run(_ data: UnsafeBufferPointer<UInt8>) throws {
    guard let first = data.first, let end = End(rawValue: first & 3) else { return }
    let bytes = Array(data.dropFirst())
    switch end {
    case .session: try session(bytes)
    case .decoding: try decoding(bytes)
    case .worker: worker(bytes)
    case .payload: try payload(bytes)
    }
  }

  private static let patience = Duration.seconds(20)

  private static func session(_ bytes: [UInt8]) throws {
    guard let client = client(hearing: bytes) else { return }
    do throws(WorkerFailure) {
      let drivers = try client.hello(within: patience)
      if drivers.count > Int(MH_DRIVERS_MAX) { throw .garbage("accepted: \(drivers.count) drivers") }
      try client.open(DriverOpening(), within: patience)
      for sequence in 1...UInt64(64) {
        let event = DriverEvent(sequence: sequence, monotonicNanoseconds: 0, unixMicroseconds: 0, fact: .timer)
        let unit = try client.handle(event, within: patience)
        if let problem = problem(in: unit) { throw .garbage("accepted: \(problem)") }
      }
    } catch {
      if case .garbage(let words) = error, words.hasPrefix("accepted: ") { throw Problem(words: words) }
      if case .late = error { throw Problem(words: "it waits for what will not come") }
    }
  }

  private static func decoding(_ bytes: [UInt8]) throws {
    guard let client = client(hearing: bytes) else { return }
    var input = DecodeInput()
    for _ in 0..<4 { try? input.append(characteristic: 1, receivedMicroseconds: 2, bytes: [9, 9].span) }
    var problem: String?
    try? client.decode(&input, within: patience) { batch in
      for index in batch.slices.indices {
        for record in batch.outcome(index).records { problem = problem ?? Self.problem(in: record) }
      }
    }
    if let problem { throw Problem(words: "accepted: \(problem)") }
  }

  private static func worker(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while rest.count >= WireFrame.headSize,
      let frame = try? WireFrame(head: Array(rest.prefix(WireFrame.headSize)))
    {
      rest = rest.dropFirst(WireFrame.headSize)
      guard let message = try? HostMessage(type: frame.type, payload: Array(rest.prefix(frame.length))) else { return }
      if case .event(let event) = message { event.withTable { _ in } }
      rest = rest.dropFirst(frame.length)
    }
  }

  /// What is read is written again as the same bytes: no two payloads mean the same.
  private static func payload(_ bytes: [UInt8]) throws {
    guard let type = bytes.first else { return }
    let payload = Array(bytes.dropFirst())
    if let message = try? HostMessage(type: type, payload: payload), message.payload != payload {
      throw Problem(words: "a host's message \(type) is not written as it was read")
    }
    if case .extension(let message)? = try? HostMessage(type: type, payload: payload) { try question(message) }
    guard let message = try? WorkerMessage(type: type, payload: payload) else { return }
    if message.payload != payload { throw Problem(words: "a worker's message \(type) is not written as it was read") }
    switch message {
    case .unit(let raw):
      let unit = try? UnitCheck(driver: "fuzz", isDisconnected: false).check(raw)
      if let problem = unit.flatMap(problem) { throw Problem(words: "accepted: \(problem)") }
    case .returned(let raw): try answer(raw)
    case .extension(let answer): try extensionAnswer(answer)
    default: break
    }
  }

  /// What a host says to an extension, in the extension's own coding.
  private static func question(_ message: ExtensionMessage) throws {
    guard let kind = DriverExtension(rawValue: message.kind), message.step == .call,
      let again = try? ExtensionSeeds.question(kind, message.payload)
    else { return }
    if again != message.payload.bytes { throw Problem(words: "a question to \(kind) is not written as it was read") }
  }

  /// What a worker says of displays, pictures, conversations and imports.
  private static func extensionAnswer(_ answer: ExtensionPayload) throws {
    for again in ExtensionSeeds.answers(answer) where again != answer.bytes {
      throw Problem(words: "an extension's answer is not written as it was read")
    }
    let check = DisplayCheck(driver: "fuzz")
    var problems: [String?] = []
    if let raw = try? answer.read({ reader throws(WireError) in try RawLayout(from: &reader) }) {
      problems.append((try? check.check(raw, meter: 1)).flatMap(DisplayRule.problem))
    }
    if let raw = try? answer.read({ reader throws(WireError) in try RawReading(from: &reader) }) {
      let rows = Int(min(raw.reading.n_rows, 8))
      problems.append((try? check.check(raw, rows: rows)).flatMap { DisplayRule.problem(in: $0, rows: rows) })
    }
    if let raw = try? answer.read({ reader throws(WireError) in try RawInterpretation(from: &reader) }) {
      problems.append((try? check.check(raw)).flatMap(DisplayRule.problem))
    }
    if let picture = try? answer.read({ reader throws(WireError) in try ImageAnswer(from: &reader) }) {
      let request = ImageRequest(format: .grey, width: 0, height: 0)
      let count = picture.content.count
      let size = try? ImageCheck(driver: "fuzz").decoded(picture.picture, count: count, for: request)
      if let size, size.width * size.height != count { problems.append("a picture of another size") }
    }
    if let raw = try? answer.read({ reader throws(WireError) in try RawTalkUnit(from: &reader) }) {
      problems.append((try? ConversationCheck(driver: "fuzz").check(raw)).flatMap(ConversationRule.problem))
    }
    if let raw = try? answer.read({ reader throws(WireError) in try RawImportUnit(from: &reader) }) {
      problems.append((try? ImportCheck(driver: "fuzz").check(raw)).flatMap(ImportRule.problem))
    }
    if let problem = problems.lazy.compactMap(\.self).first { throw Problem(words: "accepted: \(problem)") }
  }

  /// What a worker says that a function has returned.
  private static func answer(_ raw: RawAnswer) throws {
    let signature = try FunctionSignature("i32(out_f64,out_text,out_bytes)")
    let check = AnswerCheck(driver: "fuzz", call: try FunctionCall("f", signature, []))
    guard check.fits(raw), let answer = try? check.check(raw) else { return }
    if let problem = problem(in: answer.logs) { throw Problem(words: "accepted: \(problem)") }
    guard answer.status == MH_OK else { return }
    if answer.outputs.map(\.kind) != signature.outputs { throw Problem(words: "accepted: other outputs") }
    if case .f64(let number)? = answer.outputs.first, !number.isFinite { throw Problem(words: "accepted: no number") }
  }

  private static func problem(in logs: [DriverLogLine]) -> String? {
    if logs.count > 1_101 { return "\(logs.count) lines" }
    return logs.contains { $0.message.utf8.count > DriverLog.longest || $0.message.contains("\u{1b}") }
      ? "a line that is too long or moves the cursor" : nil
  }

  private static func problem(in unit: DriverUnit) -> String? {
    if unit.records.count > Int(MH_RECORDS_MAX) { return "\(unit.records.count) records" }
    if unit.actions.count > Int(MH_ACTIONS_MAX) { return "\(unit.actions.count) actions" }
    return problem(in: unit.logs) ?? unit.records.lazy.compactMap(problem).first
  }

  private static func problem(in record: DriverRecord) -> String? {
    if record.endMicroseconds < record.startMicroseconds { return "a record that ends before it begins" }
    return record.values.contains { !$0.value.isFinite } ? "a value that is no number" : nil
  }

  /// A client whose worker has said all of this and is gone; nil: more than a socket takes at once.
  private static func client(hearing bytes: [UInt8]) -> WorkerClient? {
    guard bytes.count <= 64 << 10 else { return nil }
    var pair: [Int32] = [-1, -1]
    guard clinux_stream_pair(&pair) == 0 else { return nil }
    let sent = bytes.isEmpty ? 0 : send(pair[1], bytes, bytes.count, Int32(MSG_NOSIGNAL))
    // What the host says is read by nobody, and must not make it wait.
    shutdown(pair[1], Int32(SHUT_WR))
    let client = WorkerClient(socket: pair[0], driver: "fuzz", services: Deaf())
    close(pair[1])
    return sent == bytes.count ? client : nil
  }

  private final class Deaf: SessionServices {
    func answer(_ request: ServiceRequest) -> ServiceAnswer { ServiceAnswer(status: MH_E_DENIED) }
  }
}
