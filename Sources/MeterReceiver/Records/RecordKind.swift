/// What a record is, over all wire formats.
enum RecordKind: Sendable, Equatable {
  case inform(RecordType)
  case legacy(LegacyType)

  /// The word of the kind in the store.
  var name: String {
    switch self {
    case .inform(let type): type.rawValue
    case .legacy(let type): "v1/\(type.rawValue)"
    }
  }

  /// Within what the client's id of a record names one record. Inform's ids are UUIDs and name one record whatever its
  /// type; Legacy's are whatever a client counts by, in each type for itself.
  var space: String {
    switch self {
    case .inform: "inform"
    case .legacy: name
    }
  }
}
