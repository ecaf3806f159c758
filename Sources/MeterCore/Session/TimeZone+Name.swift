package import Foundation
internal import HostPrimitives

extension TimeZone {
  /// The zone with a name of the time zone database, such as `Europe/Berlin`; nil for what is none (``ZoneName``).
  package init?(databaseName text: String) {
    guard let name = ZoneName(text, isListed: { Self.knownTimeZoneIdentifiers.contains($0) }),
      let zone = TimeZone(identifier: name.text)
    else { return nil }
    self = zone
  }
}
