package import NATSClient
import StrictJSON

/// Makes a fleet's streams and consumer at its message server, or looks whether they are as they are to be.
package struct FleetProvision: Sendable {
  /// What was found and done of one part.
  package struct Result: Sendable, Hashable {
    /// What was done.
    package enum Outcome: String, Sendable, Hashable {
      /// It was missing, and was made.
      case created
      /// It was there, and as it is to be.
      case unchanged
      /// It was there, and was changed.
      case updated
      /// It is there, and otherwise; nothing was changed.
      case different
    }

    package let part: FleetPart.Kind
    package let outcome: Outcome
    /// What was otherwise.
    package let differences: [JetStreamSetting.Difference]
  }

  private let connection: NATSConnection
  private let settings: FleetSettings

  /// - Parameter connection: With the key of a receiver.
  package init(_ connection: NATSConnection, _ settings: FleetSettings) {
    (self.connection, self.settings) = (connection, settings)
  }

  /// Makes what is missing.
  ///
  /// - Parameter updates: Whether what is otherwise is changed, too.
  /// - Throws: ``NATSError``.
  package func run(updates: Bool) async throws(NATSError) -> [Result] {
    var results: [Result] = []
    for part in settings.parts { results.append(try await make(part, updates: updates)) }
    return results
  }

  private func make(_ part: FleetPart, updates: Bool) async throws(NATSError) -> Result {
    switch try await connection.ask(part.kind.subject("INFO"), []) {
    case .absent:
      try await change(part, "CREATE")
      return Result(part: part.kind, outcome: .created, differences: [])
    case .refused(let words): throw Self.refused(part, words)
    case .done(let answer):
      guard let config = answer.member("config") else {
        throw NATSError(.server, "JetStream does not say how \(part.kind.words) is")
      }
      let differences = part.setting.differences(from: config)
      guard !differences.isEmpty else { return Result(part: part.kind, outcome: .unchanged, differences: []) }
      guard updates else { return Result(part: part.kind, outcome: .different, differences: differences) }
      try await change(part, "UPDATE")
      return Result(part: part.kind, outcome: .updated, differences: differences)
    }
  }

  private func change(_ part: FleetPart, _ verb: String) async throws(NATSError) {
    switch try await connection.ask(part.kind.subject(verb), part.request) {
    case .done: break
    case .absent: throw Self.refused(part, "not found")
    case .refused(let words): throw Self.refused(part, words)
    }
  }

  private static func refused(_ part: FleetPart, _ words: String) -> NATSError {
    NATSError(.jetStream, "JetStream refuses \(part.kind.words)", cause: String(words.prefix(200)))
  }
}

extension FleetPart.Kind {
  /// Where a question about it goes, behind `$JS.API.`. A consumer is changed as it is made.
  fileprivate func subject(_ verb: String) -> String {
    switch self {
    case .stream(let name): "STREAM.\(verb).\(name)"
    case .consumer(let stream, let name): "CONSUMER.\(verb == "INFO" ? verb : "CREATE").\(stream).\(name)"
    }
  }
}

extension FleetPart {
  /// The body that makes or changes it.
  fileprivate var request: [UInt8] {
    var json = JSONWriter()
    switch kind {
    case .stream: setting.write(nil, to: &json)
    case .consumer(let stream, _):
      json.object { json in
        json.member("stream_name", stream)
        setting.write("config", to: &json)
      }
    }
    return json.bytes
  }
}
