import Foundation
import HostPrimitives
import Logging
import StrictJSON

/// Log lines on standard error: for the journal with their level, for a person with their time.
struct ProgramLog: LogHandler {
  /// The lowest level that is logged; nil logs nothing.
  private let volume: Logger.Level?
  private let isJournal: Bool
  private var ownLevel = Logger.Level.trace
  var metadata: Logger.Metadata = [:]

  var logLevel: Logger.Level {
    get { max(ownLevel, volume ?? .critical) }
    set { ownLevel = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// - Parameter environment: `METERHOST_LOG` is a level, or a list such as `receiver=info`, of which other areas are another
  ///   program's. systemd sets `JOURNAL_STREAM` where standard error is the journal.
  init(environment: [String: String]) {
    volume = Self.volume(environment["METERHOST_LOG", default: ""])
    isJournal = environment["JOURNAL_STREAM"] != nil
  }

  func log(event: LogEvent) {
    guard let volume, event.level >= max(ownLevel, volume) else { return }
    let fields = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
    let text = "\(event.message)" + fields.map { " \($0.key)=\($0.value)" }.joined()
    // Nobody's text begins a line that looks like another one's.
    let line = marked(text.split(whereSeparator: \.isNewline).joined(separator: "\\n"))
    if isJournal {
      Terminal().error("<\(event.level.priority)>\(line)")
    } else {
      let time = CivilMoment.utcSeconds(microseconds: SystemClock().unixMicroseconds)
      Terminal().error("\(time) \(event.level) receiver: \(line)")
    }
  }

  /// Notices and what is worse, unless the variable says otherwise.
  static func volume(_ text: String) -> Logger.Level? {
    var volume: Logger.Level? = .notice
    for part in text.lowercased().split(separator: ",") {
      let words = part.split(separator: "=").map(String.init)
      guard let word = words.last, words.count == 1 || words[0] == "receiver" else { continue }
      if word == "off" { volume = nil } else if let level = Logger.Level(rawValue: word) { volume = level }
    }
    return volume
  }
}

extension Logger.Level {
  /// As syslog(3) counts, and sd-daemon(3) takes it in front of a line.
  fileprivate var priority: Int {
    switch self {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}
