import Foundation
import GatewayAPI
import HostErrors
import HostPrimitives
import MeterCore
import MeterHealth

extension HealthImportDescription {
  /// Vanished records that are listed.
  private static let mostVanished = 1_000

  /// What came of an import.
  init(_ outcome: HealthImporter.Outcome, _ report: HealthSubmissionReport, file: String) {
    self.init(file: file, state: outcome.result.isPartial ? "partial" : "done")
    format = outcome.format
    driver = outcome.driver
    exported = outcome.exportedMicroseconds.map { CivilMoment.utcSeconds(microseconds: $0) }
    samples = outcome.result.samples
    new = Self.words(report.new)
    revised = Self.words(report.revised)
    held = report.held
    (unchanged, kept, newSamples) = (report.unchanged, report.kept, report.newSamples)
    refusals =
      outcome.result.refused.map { Refusal(reason: $0.reason.rawValue, count: $0.count, first: "offset \($0.first)") }
      + report.refused.map {
        Refusal(
          reason: $0.code.rawValue, count: $0.count,
          first: "\(CivilMoment.utcSeconds(microseconds: $0.firstMicroseconds)): \($0.message)")
      }
    withoutForm = report.withoutForm
    withheldSums = report.withheldSums
    vanishedCount = report.vanished.count
    vanished = report.vanished.prefix(Self.mostVanished).map {
      Vanished(
        logID: $0.logID.description, kind: $0.word.isEmpty ? $0.kind : $0.word,
        start: CivilMoment.utcSeconds(microseconds: $0.startMicroseconds))
    }
    differences = Set(outcome.result.differences.map(\.day)).count
  }

  private static func words(_ counts: [RecordType: Int]) -> [String: Int] {
    Dictionary(counts.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +)
  }

  /// An import as it was remembered.
  init(_ stored: StoredImport, file: String? = nil) {
    let report = stored.report.map { Data($0.utf8) }
    if let report, let read = try? JSONDecoder().decode(HealthImportDescription.self, from: report) {
      self = read
      self.file = file ?? read.file
    } else {
      self.init(file: file ?? stored.name, state: stored.state.rawValue)
      began = CivilMoment.utcSeconds(microseconds: stored.beganMicroseconds)
    }
    number = stored.number
  }
}
