import MeterCore

extension ConsoleDesk {
  /// The page of an area.
  func show(_ area: PageArea, query: FormFields?) async throws -> DeskAnswer {
    switch area {
    case .overview: await overview()
    case .readings: try await readings(before: query?["before"].flatMap { Int64($0) }, isHeld: false)
    case .delivery, .meters, .drivers, .log, .imports, .displays: throw NoSuchPage()
    }
  }

  /// A page of one thing of an area.
  func showPart(of area: PageArea, _ name: String) async throws -> DeskAnswer { throw NoSuchPage() }

  /// Does something with one thing of an area.
  func act(in area: PageArea, on name: String, _ action: String, _ fields: FormFields) async throws -> DeskAnswer {
    throw NoSuchPage()
  }
}
