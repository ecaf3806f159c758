import DriverContract

/// Serves an import in a worker.
final class ImportServer: ExtensionServer {
  // The largest unit that the contract allows takes 20 MiB.
  static let kind = ExtensionKind(.import, longestAnswer: 24 << 20)

  private let driver: String
  private let imported: LocalImport

  init(
    tables: any ExtensionTables, driver: String, opening: ExtensionPayload, limits: DriverLimits
  ) throws(DriverFault) {
    let opening = try opening.understood(Self.kind, driver) { reader throws(WireError) in
      try ImportOpening(from: &reader)
    }
    self.driver = driver
    imported = try LocalImport(tables: tables, driver: driver, opening: opening)
  }

  func answer(_ question: ExtensionPayload) throws(DriverFault) -> ExtensionPayload {
    let event = try question.understood(Self.kind, driver) { reader throws(WireError) in
      try ImportEvent(from: &reader)
    }
    return try imported.rawUnit(event).payload
  }

  func close() { imported.close() }
}
