import GatewayAPI

/// A meter of the catalogue by its name and picture.
struct MeterFace: Sendable, Hashable {
  let name: String
  /// Where its picture is; nil where the catalogue has none on this machine.
  let picture: String?

  init(_ entry: PeripheralDescription) {
    name = entry.name.clipped(to: 120)
    picture = Self.picture(entry)
  }

  /// Where the picture of an entry is.
  static func picture(_ entry: PeripheralDescription) -> String? {
    guard entry.picture != nil else { return nil }
    return MeterPictureName.Catalogue(rawValue: entry.kind).map { MeterPictureName($0, entry.id).path }
  }
}
