import NATSClient
import Synchronization

/// A stream of a ``PlayedNATS``: it keeps every message once, as long as it knows its name.
package final class PlayedStream: Sendable {
  private let kept = Mutex<[PlayedNATS.Published]>([])

  /// An empty stream.
  package init() {}

  /// What it has, in its order.
  package var messages: [PlayedNATS.Published] { kept.withLock { $0 } }

  /// Keeps a message.
  ///
  /// - Returns: What a server answers.
  package func take(_ message: PlayedNATS.Published) -> PlayedNATS.Reaction {
    let (sequence, isDuplicate) = kept.withLock { kept -> (Int, Bool) in
      let name = message.headers["Nats-Msg-Id"]
      if let name, let place = kept.firstIndex(where: { $0.headers["Nats-Msg-Id"] == name }) {
        return (place + 1, true)
      }
      kept.append(message)
      return (kept.count, false)
    }
    return .publish(
      message.reply ?? "", #"{"stream":"READINGS","seq":\#(sequence)\#(isDuplicate ? #","duplicate":true"# : "")}"#)
  }
}
