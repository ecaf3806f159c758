import DriverContract
import Testing

@testable import MeterCore

@Suite("Contexts and their measurements")
struct ContextJoinerTests {
  private func record(_ kind: DriverRecordKind, _ sequence: UInt64?, metric: UInt16 = 1) -> DriverRecord {
    DriverRecord(
      kind: kind, timeKind: .none, startMicroseconds: 0, deviceSequence: sequence, identity: [1],
      identityClass: .stored,
      values: [DriverValue(metric: metric, unit: 1, exponent: 0, qualifier: .exact, value: 1, raw: 1)])
  }

  private func kinds(_ records: [DriverRecord]) -> [DriverRecordKind] { records.map(\.kind) }

  @Test("of one unit pass as they are")
  func together() {
    var joiner = ContextJoiner()
    let unit = [record(.measurement, 1), record(.context, 1), record(.diagnostic, 1), record(.measurement, nil)]
    #expect(joiner.join(unit).records == unit)
    #expect(joiner.unmatched == 0)
  }

  @Test("a context that is first waits for its measurement")
  func early() {
    var joiner = ContextJoiner()
    #expect(joiner.join([record(.context, 1), record(.context, 2)]).records.isEmpty)
    #expect(joiner.unmatched == 2)
    #expect(kinds(joiner.join([record(.measurement, 1)]).records) == [.context, .measurement])
    #expect(joiner.unmatched == 1)
  }

  @Test("a context that is late brings its measurement along, with what it knew already")
  func late() {
    var joiner = ContextJoiner()
    _ = joiner.join([record(.measurement, 1)])
    let first = joiner.join([record(.context, 1, metric: 100)]).records
    #expect(kinds(first) == [.measurement, .context])
    let second = joiner.join([record(.context, 1, metric: 101)]).records
    #expect(second.first?.values.map(\.metric) == [1, 100])
  }

  @Test("memory is bounded, and what is given up is counted")
  func bounded() {
    var joiner = ContextJoiner()
    var lost = 0
    for sequence in 0..<UInt64(ContextJoiner.limit + 10) { lost += joiner.join([record(.context, sequence)]).lost }
    #expect(lost == 10 && joiner.unmatched == ContextJoiner.limit)
    for sequence in 5000..<UInt64(5000 + ContextJoiner.limit + 1) { _ = joiner.join([record(.measurement, sequence)]) }
    #expect(joiner.join([record(.context, 5000)]).records.isEmpty, "forgotten: it waits like any other")
  }
}
