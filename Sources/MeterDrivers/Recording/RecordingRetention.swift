import HostPrimitives
package import MeterCore
import Foundation

/// A recording's file with what its head tells.
package struct RecordingEntry: Sendable, Hashable {
  /// Where it lies.
  package let file: RecordingFile
  /// Its head; nil when the file is no recording that this host can read.
  package let head: RecordingHead?
  /// Why there is no head.
  let problem: RecordingError.Code?

  /// Looks at a file's head.
  package init(_ file: RecordingFile) {
    self.file = file
    do throws(RecordingError) {
      head = try RecordingReader.head(path: file.path)
      problem = nil
    } catch {
      head = nil
      problem = error.code
    }
  }

  init(file: RecordingFile, head: RecordingHead?, problem: RecordingError.Code? = nil) {
    (self.file, self.head, self.problem) = (file, head, problem)
  }

  /// Whether it is of no use to anybody. What only could not be read now, or by this version, may well be.
  var isRuined: Bool { problem == .notARecording || problem == .damaged }

  /// When it was written or, where that is not known, when a host that knew the date saw it first: its file says so. nil: no
  /// such host has seen it yet. A date that is still to come is none.
  ///
  /// - Parameter now: Microseconds since 1970; nil when they are not known.
  func date(now: Int64?) -> Int64? {
    let isPast: (Int64) -> Bool = { date in now.map { date - Self.leeway <= $0 } ?? true }
    if let date = head?.dateMicroseconds, isPast(date) { return date }
    let seen = file.modifiedMicroseconds
    return RecordingHead.dates.contains(seen) && isPast(seen) ? seen : nil
  }

  /// The order in which recordings were written. Those without a date come last: nobody who knew the date has seen them.
  package func order(now: Int64? = nil) -> Int64 {
    date(now: now) ?? Int64.max / 2 + min(max(file.modifiedMicroseconds, 0), Int64.max / 4)
  }

  /// A clock may be set back by as much as that without anybody being wrong.
  private static let leeway: Int64 = 86_400_000_000
}

/// Which recordings go when there are too many, too large ones or too old ones.
struct RecordingRetention {
  let settings: RecordingSettings

  init(_ settings: RecordingSettings) { self.settings = settings }

  private struct Subject: Hashable {
    let bundle: BundleHash
    let meter: [UInt8]
  }

  /// Names of those to remove: all that are too old, then the oldest ones of which there is a newer one of the same bundle and
  /// meter, then the oldest ones, until number and size fit.
  ///
  /// - Parameters:
  ///   - name: One that was just written and stays in any case.
  ///   - now: Microseconds since 1970; nil leaves age out.
  func surplus(of entries: [RecordingEntry], keeping name: String? = nil, now: Int64?) -> [String] {
    let age = Int64(settings.days) * 86_400_000_000
    let isOld: (RecordingEntry) -> Bool = { entry in
      guard let now, entry.file.name != name else { return false }
      return entry.isRuined || entry.date(now: now).map { now - $0 > age } ?? false
    }
    // What cannot be read now, or by this version, is left alone.
    let known = entries.filter { $0.head != nil || $0.isRuined }
    var removed = known.filter(isOld)
    var left = known.filter { !isOld($0) }.sorted { $0.order(now: now) < $1.order(now: now) }
    var newest: [Subject: String] = [:]
    for entry in left {
      if let head = entry.head { newest[Subject(bundle: head.bundleHash, meter: head.meterTag)] = entry.file.name }
    }
    let protected = Set(newest.values)
    var number = left.count
    var bytes = left.reduce(0) { $0 + $1.file.size }
    for mayTakeNewest in [false, true] {
      var kept: [RecordingEntry] = []
      for entry in left {
        let isTooMuch = number > settings.number || bytes > settings.megabytes << 20
        guard isTooMuch, entry.file.name != name, mayTakeNewest || !protected.contains(entry.file.name) else {
          kept.append(entry)
          continue
        }
        removed.append(entry)
        number -= 1
        bytes -= entry.file.size
      }
      left = kept
    }
    return removed.map(\.file.name)
  }
}

/// A moment in a file's name.
enum StampText {
  /// `20261122T081530Z`.
  static func compact(_ microseconds: Int64) -> String {
    CivilMoment(microseconds: microseconds).text(.none).filter { $0 != "-" && $0 != ":" } + "Z"
  }
}
