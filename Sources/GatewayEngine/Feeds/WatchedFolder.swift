import GatewayAPI
import HostPrimitives

/// What is known of the files of one watched folder, and which of them are to be imported when: a value that knows no folder and no clock.
///
/// A file is due when it has looked the same for a while. It is imported once; one that failed is not tried again until it changes.
struct WatchedFolder: Sendable, Equatable {
  /// A file as a look at the folder finds it.
  struct Sight: Sendable, Hashable, Codable {
    var name: String
    /// In bytes.
    var size: Int64
    /// When it was last written: seconds since 1970, and nanoseconds.
    var seconds: Int64
    var nanoseconds: Int64
  }

  /// What was found out about a file.
  enum Verdict: Sendable, Hashable {
    /// It was imported.
    case taken
    /// Its first bytes are no export's.
    case other
    /// It looked like an export and could not be imported.
    case failed(GatewayError.Written)
  }

  /// What became of asking for one file at once.
  enum Claim: Sendable, Hashable {
    /// It is the caller's, who says what came of it.
    case granted
    /// It is being imported.
    case running
    /// It is known.
    case settled(Verdict)
  }

  private enum Stage: Sendable, Equatable {
    /// Until then it must stay as it is.
    case settling(until: HostInstant)
    /// It was handed out as it looked then.
    case busy(with: Sight)
    case settled(Verdict)
  }

  private struct File: Sendable, Equatable {
    var sight: Sight
    var stage: Stage

    var isBusy: Bool { if case .busy = stage { true } else { false } }
  }

  /// For how long a file must look the same.
  let patience: Duration
  private var files: [String: File] = [:]

  /// - Parameter marks: What was found out before.
  init(patience: Duration, marks: [WatchMark] = []) {
    self.patience = patience
    for mark in marks { files[mark.sight.name] = File(sight: mark.sight, stage: .settled(mark.verdict)) }
  }

  /// Takes in what a look at the folder has found.
  ///
  /// - Returns: The files that are due, the oldest first; they count as handed out.
  mutating func look(at sights: [Sight], now: HostInstant) -> [Sight] {
    let names = Set(sights.map(\.name))
    files = files.filter { names.contains($0.key) || $0.value.isBusy }
    for sight in sights {
      guard var file = files[sight.name] else {
        files[sight.name] = File(sight: sight, stage: .settling(until: now + patience))
        continue
      }
      guard file.sight != sight else { continue }
      file.sight = sight
      if !file.isBusy { file.stage = .settling(until: now + patience) }
      files[sight.name] = file
    }
    let due = files.values.filter { file in
      if case .settling(let moment) = file.stage { moment <= now } else { false }
    }.map(\.sight).sorted(by: Self.isOlder)
    for sight in due { files[sight.name]?.stage = .busy(with: sight) }
    return due
  }

  /// Asks for one file at once, however long it has looked like this.
  mutating func claim(_ sight: Sight) -> Claim {
    if let file = files[sight.name] {
      if file.isBusy { return .running }
      if case .settled(let verdict) = file.stage, file.sight == sight { return .settled(verdict) }
    }
    files[sight.name] = File(sight: sight, stage: .busy(with: sight))
    return .granted
  }

  /// Notes what came of a file that was handed out. One that has changed meanwhile is another one, and settles anew.
  mutating func settle(_ sight: Sight, as verdict: Verdict, now: HostInstant) {
    guard var file = files[sight.name], file.stage == .busy(with: sight) else { return }
    file.stage = file.sight == sight ? .settled(verdict) : .settling(until: now + patience)
    files[sight.name] = file
  }

  /// Takes a file back that was handed out and could not be imported for a reason that may pass.
  mutating func release(_ sight: Sight, until moment: HostInstant) {
    guard files[sight.name]?.stage == .busy(with: sight) else { return }
    files[sight.name]?.stage = .settling(until: moment)
  }

  /// When a file will be due that stays as it is; nil: none will.
  var nextDue: HostInstant? {
    files.values.compactMap { file -> HostInstant? in
      if case .settling(let moment) = file.stage { moment } else { nil }
    }.min()
  }

  /// What is worth remembering beyond this process, the newest files first: what was imported, and what failed.
  var marks: [WatchMark] {
    files.values.compactMap { file -> WatchMark? in
      switch file.stage {
      case .settled(.taken): WatchMark(sight: file.sight, error: nil)
      case .settled(.failed(let error)): WatchMark(sight: file.sight, error: error)
      case .settled(.other), .settling, .busy: nil
      }
    }.sorted { Self.isOlder($1.sight, $0.sight) }
  }

  /// By the time of writing, then by name.
  static func isOlder(_ first: Sight, _ second: Sight) -> Bool {
    (first.seconds, first.nanoseconds, first.name) < (second.seconds, second.nanoseconds, second.name)
  }
}

/// What is remembered of a file of a watched folder.
struct WatchMark: Sendable, Hashable, Codable {
  var sight: WatchedFolder.Sight
  /// Why it could not be imported; nil: it was.
  var error: GatewayError.Written?

  var verdict: WatchedFolder.Verdict { error.map { .failed($0) } ?? .taken }
}
