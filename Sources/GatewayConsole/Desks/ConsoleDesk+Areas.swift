extension ConsoleDesk {
  /// The page of an area.
  func show(_ area: PageArea, query: FormFields?) async throws -> DeskAnswer {
    switch area {
    case .overview: await overview()
    case .readings: try await readings(before: query?["before"].flatMap { Int64($0) }, isHeld: false)
    case .delivery: await delivery()
    case .meters: try await meters(sort: query?["sort"])
    case .drivers: try await drivers()
    case .log: try await log()
    case .imports: try await imports()
    case .displays: .page(DisplaysPage(hasView: state.hasView))
    }
  }

  /// A page of one thing of an area.
  func showPart(of area: PageArea, _ name: String) async throws -> DeskAnswer {
    switch area {
    case .meters: return try await meterPart(name)
    case .log where name == "support.json": return try await supportFile()
    case .log where name == "lines.txt": return try await logFile()
    case .log:
      guard let place = LogLinesPage.Place(rawValue: name) else { throw NoSuchPage() }
      return .page(try await logLines(at: place))
    default: throw NoSuchPage()
    }
  }

  /// Does something with one thing of an area.
  func act(in area: PageArea, on name: String, _ action: String, _ fields: FormFields) async throws -> DeskAnswer {
    switch area {
    case .delivery: return try await actOnDelivery(name, action)
    case .meters: return try await actOnMeters(name, action, fields)
    case .drivers: return try await actOnDriver(name, action, fields)
    case .log: return try await actOnLog(name, action, fields)
    case .imports: return try actOnImports(name, action)
    case .overview, .readings, .displays: throw NoSuchPage()
    }
  }
}
