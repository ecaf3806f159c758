import GatewayEngine
import MeterCore

/// What damage has left beside the state database.
extension Doctor {
  /// A finding where there are copies of damaged databases: nothing removes them, and with too many of them the next damage
  /// keeps the host from starting.
  func examineCopies() -> [DoctorFinding] {
    let copies = DamagedCopy.all(in: locations.state)
    guard !copies.isEmpty else { return [] }
    let names = copies.map { $0.folder.split(separator: "/").last.map(String.init) ?? $0.folder }
    let bytes = copies.reduce(0) { $0 + $1.bytes }
    return [
      finding(
        "damaged copies", .warning,
        "\(locations.state) holds \(copies.count) of at most \(DamagedCopy.limit) copies of damaged databases, "
          + "\((bytes + (1 << 20) - 1) >> 20) of at most \(DamagedCopy.byteLimit >> 20) MiB: \(names.joined(separator: ", "))",
        cure: "move them elsewhere, or remove them when what was in them is known to be delivered; nothing else does")
    ]
  }

  /// What a repair says of a journal that it has left out.
  static func words(_ log: ForeignLog) -> String {
    switch log {
    case .otherDatabase: "the journal beside the state database was another database's, and nothing of it was taken"
    case .earlier: "the journal beside the state database was older than it, and has nothing that it lacks"
    case .later:
      "the journal beside the state database begins behind commits that are missing here; the readings in it that could be read are held"
    }
  }
}
