public import MeterCore
import Foundation

/// A recording's file with what its head tells.
public struct RecordingEntry: Sendable, Hashable {
  /// Where it lies.
  public let file: RecordingFile
  /// Its head; nil when the file is no recording that this host can read.
  public let head: RecordingHead?

  /// Looks at a file's head.
  public init(_ file: RecordingFile) {
    self.file = file
    head = try? RecordingReader.head(path: file.path)
  }

  init(file: RecordingFile, head: RecordingHead?) {
    self.file = file
    self.head = head
  }
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
  ///   - size: Bytes of one more that stays.
  ///   - now: Microseconds since 1970; nil leaves age out.
  func surplus(of entries: [RecordingEntry], beside size: Int?, now: Int64?) -> [String] {
    let age = Int64(settings.days) * 86_400_000_000
    let isOld: (RecordingEntry) -> Bool = { entry in
      guard let now else { return false }
      // What cannot be read has no date, and is of no use to anybody.
      return entry.head.map { now - $0.createdMicroseconds > age } ?? true
    }
    var removed = entries.filter(isOld)
    var left = entries.filter { !isOld($0) }.sorted { Self.time($0) < Self.time($1) }
    var newest: [Subject: String] = [:]
    for entry in left {
      if let head = entry.head { newest[Subject(bundle: head.bundleHash, meter: head.meterTag)] = entry.file.name }
    }
    let protected = Set(newest.values)
    var number = left.count + (size == nil ? 0 : 1)
    var bytes = left.reduce(size ?? 0) { $0 + $1.file.size }
    for mayTakeNewest in [false, true] {
      var kept: [RecordingEntry] = []
      for entry in left {
        let isTooMuch = number > settings.number || bytes > settings.megabytes << 20
        guard isTooMuch, mayTakeNewest || !protected.contains(entry.file.name) else {
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

  private static func time(_ entry: RecordingEntry) -> Int64 { entry.head?.createdMicroseconds ?? .min }
}

/// A moment in a file's name.
enum StampText {
  /// `20261122T081530Z`.
  static func compact(_ microseconds: Int64) -> String {
    let date = Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    let signs: Set<Character> = ["-", ":"]
    return String(date.formatted(.iso8601).filter { !signs.contains($0) })
  }
}
