package import Foundation
internal import Glibc

/// What this machine says of its time zone.
///
/// Foundation knows names. Of the other forms that TZ may have it takes some for no zone at all and reads UTC, and `UTC-2` for
/// the opposite of what it says. A time that is wrong by hours looks like any other time, so nothing is guessed here:
///
/// ```swift
/// guard case .known(let zone, _) = GatewayZone.current() else { return refuse() }
/// ```
package enum GatewayZone: Sendable, Hashable {
  /// The zone, and what ``TimeZone/init(gatewayName:)`` knows it by.
  case known(TimeZone, name: String)
  /// There is no name, and no one offset from UTC for all the year. The text is what was found, such as `TZ=CET-1CEST`.
  case unknown(String)

  /// The zone at this moment: a service outlives the day on which somebody sets it.
  package static func current() -> GatewayZone {
    tzset()
    return getenv("TZ").map { ofSetting(String(cString: $0)) } ?? ofFile("/etc/localtime")
  }

  /// What requests call it: a name that ``TimeZone/init(gatewayName:)`` takes or, where it is not known, a text that is none, so
  /// that who asks is told what was found.
  package static var name: String { current().name }

  var name: String {
    switch self {
    case .known(_, let name): name
    case .unknown(let text): text
    }
  }

  /// - Parameter setting: The text of TZ (tzset(3)).
  private static func ofSetting(_ setting: String) -> GatewayZone {
    let text = setting.hasPrefix(":") ? String(setting.dropFirst()) : setting
    // To the C library that is UTC, and not the machine's zone.
    guard !text.isEmpty else { return .known(.gmt, name: "GMT") }
    guard !text.hasPrefix("/") else { return ofFile(text) }
    let name = text.hasPrefix("posix/") ? String(text.dropFirst("posix/".count)) : text
    if let zone = TimeZone(databaseName: name) { return .known(zone, name: name) }
    // What the C library does not know either is UTC to it: that is no answer.
    let isFile = FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/\(text)")
    guard isFile || isOffset(text) else { return .unknown("TZ=\(setting)") }
    return agreeing(TimeZone(identifier: name), else: "TZ=\(setting)")
  }

  private static func ofFile(_ path: String) -> GatewayZone {
    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
    let end = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let names = [path, link, end].compactMap { $0.flatMap(zoneName) }
    for name in names { if let zone = TimeZone(databaseName: name) { return .known(zone, name: name) } }
    guard FileManager.default.fileExists(atPath: path) else {
      // A machine without a setting is in UTC; a setting that leads nowhere says something else.
      return link == nil && path == "/etc/localtime" ? .known(.gmt, name: "GMT") : .unknown(path)
    }
    // A copy has no name. Debian writes it down beside.
    let written = try? String(contentsOfFile: "/etc/timezone", encoding: .utf8)
    let beside = written.flatMap { TimeZone(databaseName: $0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    return agreeing(names.first.flatMap { TimeZone(identifier: $0) } ?? beside, else: path)
  }

  /// The name in the folder of all zones; nil for a file elsewhere.
  private static func zoneName(_ path: String) -> String? {
    guard let folder = path.range(of: "/zoneinfo/") else { return nil }
    let name = String(path[folder.upperBound...])
    return name.hasPrefix("posix/") ? String(name.dropFirst("posix/".count)) : name
  }

  /// Whether a text is one offset for all the year, such as `<+03>-3` or `UTC-2`.
  private static func isOffset(_ text: String) -> Bool {
    text.wholeMatch(of: /(<[A-Za-z0-9+\-]{3,}>|[A-Za-z]{3,})[+\-]?[0-9]{1,2}(:[0-9]{2}){0,2}/) != nil
  }

  /// A zone that has the C library's offsets, or else the one offset that this has.
  private static func agreeing(_ zone: TimeZone?, else text: String) -> GatewayZone {
    let now = Int(Date().timeIntervalSince1970)
    // Every month, so that no season is missed, and as far back as the memory of a meter goes.
    let offsets = stride(from: now - 10 * 31_536_000, through: now + 31_536_000, by: 30 * 86_400)
      .map { (moment: $0, seconds: offset(at: $0)) }
    if let zone,
      offsets.allSatisfy({ zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0.moment))) == $0.seconds })
    {
      return .known(zone, name: "=\(zone.identifier)")
    }
    guard let first = offsets.first?.seconds, offsets.allSatisfy({ $0.seconds == first }), first.isMultiple(of: 60),
      let fixed = TimeZone(secondsFromGMT: first)
    else { return .unknown(text) }
    let minutes = abs(first) / 60
    let digits = "\(10_000 + minutes / 60 * 100 + minutes % 60)".dropFirst()
    return .known(fixed, name: "GMT\(first < 0 ? "-" : "+")\(digits)")
  }

  /// How far local time is ahead of UTC at a moment, as the C library has it.
  private static func offset(at seconds: Int) -> Int {
    var moment = time_t(seconds)
    var parts = tm()
    return localtime_r(&moment, &parts) == nil ? 0 : parts.tm_gmtoff
  }
}

extension TimeZone {
  /// The zone that ``GatewayZone/name`` means: one of the database (`Europe/Berlin`), one that only this machine's own setting
  /// is trusted to name (`=CET`), or one offset for all the year (`GMT+0330`).
  package init?(gatewayName name: String) {
    let own = name.hasPrefix("=") ? TimeZone(identifier: String(name.dropFirst())) : nil
    if let zone = own ?? TimeZone(databaseName: name) {
      self = zone
      return
    }
    guard let match = name.wholeMatch(of: /GMT([+\-])([0-9]{2})([0-9]{2})/), let hours = Int(match.2),
      let minutes = Int(match.3),
      let zone = TimeZone(secondsFromGMT: (hours * 60 + minutes) * (match.1 == "-" ? -60 : 60))
    else { return nil }
    self = zone
  }
}
