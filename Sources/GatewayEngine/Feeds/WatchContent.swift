import Foundation

/// What the feed of a watched folder keeps in the store.
struct WatchContent: Sendable, Hashable, Codable {
  /// What was found out about its files, the newest first.
  var marks: [WatchMark] = []

  /// Of a folder with more, the older ones are read again after a restart, which changes nothing.
  static let mostMarks = 2_000

  init(marks: [WatchMark] = []) { self.marks = Array(marks.prefix(Self.mostMarks)) }

  /// Reads what a feed has; what another version has written is nothing.
  init(text: String) {
    self = (try? JSONDecoder().decode(WatchContent.self, from: Data(text.utf8))) ?? WatchContent()
  }

  /// As the feed keeps it.
  var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{\"marks\":[]}"
  }
}
