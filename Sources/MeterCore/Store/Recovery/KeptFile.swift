internal import Foundation

/// The recovery file in which a session's end keeps the contents of readings that only a broker has acknowledged (``KeptRecords``). Its
/// name says, in seconds since 1970-01-01T00:00Z, until when the last of them stays; then it is removed.
enum KeptFile {
  private static let prefix = "kept-until-"

  /// - Parameters:
  ///   - ending: The name of the file for what was not delivered.
  ///   - until: Until when the last content stays, in microseconds.
  static func name(beside ending: String, until: Int64) -> String {
    let session = ending.hasPrefix("session-") ? String(ending.dropFirst("session-".count)) : ending
    return "\(prefix)\(until / 1_000_000)-\(session)"
  }

  /// Until when a file is kept, in seconds; nil for one that is none, or was begun by a host that did not know the date.
  static func end(_ name: String) -> Int64? {
    guard name.hasPrefix(prefix) else { return nil }
    let seconds = Int64(name.dropFirst(prefix.count).prefix { $0 != "-" })
    return seconds.flatMap { $0 >= RecordAdmission.earliestBelievable / 1_000_000 ? $0 : nil }
  }

}

extension MeterStore {
  /// Removes the files in which ended sessions have kept delivered readings, and whose time is over. What cannot be removed is looked at
  /// again.
  ///
  /// - Parameter now: The time, as for ``forgetKept(nowMicroseconds:)``.
  package func removeKeptFiles(nowMicroseconds now: Int64) {
    let recovery = folder.appendingPathComponent(RecoveryFile.folder)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: recovery.path)) ?? []
    for name in names where KeptFile.end(name).map({ $0 < now / 1_000_000 }) ?? false {
      try? FileManager.default.removeItem(at: recovery.appendingPathComponent(name))
    }
  }
}
