import Logging
import Synchronization

/// Everything that is logged, as one text.
final class LogLines: Sendable {
  private let lines = Mutex<[String]>([])

  var text: String { lines.withLock { $0.joined(separator: "\n") } }
  var handler: any LogHandler { Handler(sink: self) }

  private struct Handler: LogHandler {
    let sink: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let all = metadata.merging(event.metadata ?? [:]) { $1 }
      let line = "\(event.level) \(event.message) " + all.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
      sink.lines.withLock { $0.append(line) }
    }
  }
}
