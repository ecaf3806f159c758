import HostPrimitives
import StrictJSON

/// How a stream keeps messages (`$JS.API.STREAM.CREATE` and `UPDATE`).
package struct JetStreamStream: Sendable, Hashable {
  /// How a stream is stored.
  package enum Storage: String, Sendable, Hashable {
    case file, memory
  }

  /// Its name: no blanks, dots or wildcards.
  package var name: String
  /// The subjects whose messages it takes.
  package var subjects: [String]
  /// How it is stored.
  package var storage = Storage.file
  /// On how many servers.
  package var replicas = 1
  /// After how long a message goes.
  package var maxAge: Duration?
  /// Bytes of all messages.
  package var maxBytes: Int64?
  /// How many messages.
  package var maxMessages: Int64?
  /// Bytes of one message.
  package var maxMessageSize: Int?
  /// How long a `Nats-Msg-Id` is known.
  package var duplicateWindow: Duration = .seconds(120)
  /// Whether nobody can delete messages, nor empty the stream.
  package var keepsAll = true
  /// Whether messages are compressed on disk (s2).
  package var isCompressed = false

  /// A stream that refuses new messages when it is full.
  package init(name: String, subjects: [String]) { (self.name, self.subjects) = (name, subjects) }

  /// The request's content.
  package var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("name", name)
      json.array("subjects") { json in for subject in subjects { json.member(nil, subject) } }
      json.member("retention", "limits")
      // The old must not make way for the new: nobody has read it yet, perhaps.
      json.member("discard", "new")
      json.member("storage", storage.rawValue)
      json.member("num_replicas", integer: Int64(replicas))
      json.member("max_age", integer: maxAge.map(\.wholeNanoseconds) ?? 0)
      json.member("max_bytes", integer: maxBytes ?? -1)
      json.member("max_msgs", integer: maxMessages ?? -1)
      json.member("max_msg_size", integer: maxMessageSize.map(Int64.init) ?? -1)
      json.member("duplicate_window", integer: duplicateWindow.wholeNanoseconds)
      json.member("deny_delete", flag: keepsAll)
      json.member("deny_purge", flag: keepsAll)
      json.member("compression", isCompressed ? "s2" : "none")
    }
    return json.bytes
  }
}

/// What JetStream says of a stream.
package struct JetStreamStreamInfo: Sendable, Hashable {
  /// Its name.
  package let name: String
  /// Its subjects.
  package let subjects: [String]
  /// On how many servers it is.
  package let replicas: Int
  /// How many messages it has.
  package let messages: UInt64
  /// Bytes of them.
  package let bytes: UInt64
  /// The number of the first message that it has, and of the last that it got.
  package let sequences: ClosedRange<UInt64>?
  /// The server that leads it, in a cluster.
  package let leader: String?

  /// What the answer of `STREAM.CREATE`, `UPDATE` or `INFO` says.
  ///
  /// - Throws: ``JetStreamRefusal``.
  package init(_ payload: [UInt8]) throws(JetStreamRefusal) {
    let answer = try JetStreamAnswer.object(payload)
    guard let config = answer.member("config"), let name = config.member("name")?.asString,
      let state = answer.member("state")
    else { throw JetStreamAnswer.foreign }
    self.name = name
    subjects = (config.member("subjects")?.elements ?? []).compactMap(\.asString)
    replicas = config.integer("num_replicas") ?? 1
    messages = state.unsigned("messages") ?? 0
    bytes = state.unsigned("bytes") ?? 0
    if messages > 0, let first = state.unsigned("first_seq"), let last = state.unsigned("last_seq"), first <= last {
      sequences = first...last
    } else {
      sequences = nil
    }
    leader = answer.member("cluster")?.member("leader")?.asString
  }
}

extension Duration {
  /// Nanoseconds, in which JetStream counts time.
  package var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, alsoOverflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflows || alsoOverflows ? (seconds < 0 ? .min : .max) : sum
  }
}
