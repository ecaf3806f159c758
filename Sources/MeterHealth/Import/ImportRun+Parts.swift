import MeterDrivers

extension ImportRun {
  /// Reads an export again that has more samples than are kept at a time, a part of its days each time.
  ///
  /// - Parameter full: What the reading of all days has come to.
  /// - Returns: The same of all days. Of a single day with too many samples, or of pieces, what is there.
  func inParts(_ full: HealthImporter.Outcome) async throws(HealthImportError) -> HealthImporter.Outcome {
    // The days beside a part are read with it.
    let parts = borders.parts(full.result.loads, most: (options.mostSums ?? HealthOptions.mostSumsKept) * 3 / 4)
    guard full.pieces == nil, parts.count > 1 else { return full }
    var rest = borders.days.count
    var joined: HealthImporter.Outcome?
    for part in parts {
      var run = self
      run.borders = part
      rest -= part.days.count
      // Only the last days have parts of five minutes.
      run.options.intradayDays = max(0, options.intradayDays - rest)
      // One order of sources for all days.
      if let known = joined?.result.knownSources {
        run.options.orders[full.family, default: SourceRanking.Order()].known = known
      }
      var outcome = try await run.whole()
      if let earlier = joined?.result { outcome.result = earlier.joined(with: outcome.result) }
      joined = outcome
    }
    return joined ?? full
  }

  private func whole() async throws(HealthImportError) -> HealthImporter.Outcome {
    switch try await attempt() {
    case .read(let outcome): return outcome.result.isFull ? try await inParts(outcome) : outcome
    case .other:
      throw HealthImportError(
        .driverFailed, "\(entry.id) has read \(export.name) once, and did not the second time",
        hint: "import it again; if it fails again, report it to the driver's maker")
    }
  }
}
