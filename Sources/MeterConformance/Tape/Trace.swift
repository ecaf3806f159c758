import Synchronization

/// What a driver was handed last, so that a failure can say where it happened, also when the driver took its process along.
final class Trace: Sendable {
  private let state = Mutex<(place: String, lines: [String])>(("", []))

  /// Lines that are kept: enough for any session by hand, and no flood.
  private static let most = 400

  /// A new session or call begins.
  func begin(_ place: String, _ line: String) { state.withLock { $0 = (place, [line]) } }

  /// Something is about to be handed over.
  func note(_ line: String) {
    state.withLock { state in
      if state.lines.count < Self.most { state.lines.append(line) } else { state.lines[Self.most - 1] = line }
    }
  }

  /// Puts back what was there before something else was tried.
  func restore(place: String?, _ lines: [String]) {
    state.withLock { $0 = ("", lines.isEmpty ? [place ?? ""] : lines) }
  }

  /// Forgets everything.
  func clear() { state.withLock { $0 = ("", []) } }

  /// Where it stands: the meter and the last thing handed over; nil before the first.
  var place: String? {
    state.withLock { state in
      state.lines.last.map { state.place.isEmpty ? $0 : "\(state.place): \($0)" }
    }
  }

  /// Everything that was handed over since it began.
  var lines: [String] { state.withLock(\.lines) }
}
