import MeterDrivers

extension ImportRun {
  /// Reads an export again that has more samples than are kept at a time: first the one half of its days, then the other one, and each in
  /// halves again where that is needed.
  ///
  /// - Parameter full: What the reading of all days has come to.
  /// - Returns: The same of all days. Of a single day with too many samples, or of pieces, what is there.
  func inParts(_ full: HealthImporter.Outcome) async throws(HealthImportError) -> HealthImporter.Outcome {
    guard full.pieces == nil, let (first, second) = borders.halves else { return full }
    var earlier = self
    earlier.borders = first
    // Only the last days have parts of five minutes.
    earlier.options.intradayDays = max(0, options.intradayDays - second.days.count)
    var outcome = try await earlier.whole()
    var later = self
    later.borders = second
    // One order of sources for all days.
    later.options.orders[full.family, default: SourceRanking.Order()].known = outcome.result.knownSources
    outcome.result = outcome.result.joined(with: try await later.whole().result)
    return outcome
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
