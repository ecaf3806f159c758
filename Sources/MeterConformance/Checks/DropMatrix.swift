import DriverContract
import MeterBluetooth
import MeterCore
import MeterDrivers
import VirtualMeter

/// Breaks the link of one meter at its PDUs, reads it again to the end, and compares what is in the store.
///
/// Values are compared and not names: what a driver could not join before the link broke it may put out by itself.
struct DropMatrix: Sendable {
  let context: CheckContext
  let read: RecordedRead
  let isLost: Bool
  /// At how many PDUs, at most.
  let places: Int

  /// Reads at a time: most of the time one waits for its worker or its disk.
  private static let width = 3

  /// What is wrong, and where; nil: nothing.
  func run() async throws -> (String, String)? {
    let total = read.first.summary.pdus
    guard total > 0 else { return nil }
    let step = max(1, (total - 1) / places + 1)
    let counts = Array(stride(from: isLost ? step / 2 + 1 : 1, through: total, by: step))
    return try await withThrowingTaskGroup(of: (String, String)?.self) { group in
      var next = 0
      func start() {
        guard next < counts.count else { return }
        let count = counts[next]
        next += 1
        group.addTask { try await broken(at: count).map { ($0, "\(read.meter.name): PDU \(count) of \(total)") } }
      }
      for _ in 0..<Self.width { start() }
      while let found = try await group.next() {
        if let found {
          group.cancelAll()
          return found
        }
        start()
      }
      return nil
    }
  }

  private func broken(at count: Int) async throws -> String? {
    try await hurt(
      by: MeterFault(.disconnectAfterPDU(count: count, direction: .any, lost: isLost), onlyConnection: 1))
  }

  /// What is wrong when the meter is read with a fault that strikes once, and again without it; nil: nothing.
  func hurt(by fault: MeterFault) async throws -> String? {
    let reader = try MeterReader(
      read.meter, of: context.subject, sessions: context.host, faults: [fault])
    let first = try await reader.read()
    if let words = Self.fault(first) { return words }
    var difference: String?
    // A meter may need one read more before it has told everything.
    for _ in 0..<2 {
      let again = try await reader.read()
      if let words = Self.fault(again) { return words }
      let entries = try reader.entries()
      if let suspect = entries.first(where: \.isSuspect) {
        return "two readings came under one name (\(Self.values(of: suspect).joined(separator: ", ")))"
      }
      difference = self.difference(to: entries)
      if difference == nil { return nil }
    }
    return difference
  }

  private func difference(to entries: [QueueEntry]) -> String? {
    Self.difference(from: Self.counts(read.entries), to: Self.counts(entries))
  }

  /// What is unlike in how often each value is there; equal ones count each.
  static func difference(from wanted: [String: Int], to found: [String: Int]) -> String? {
    if let lost = wanted.keys.sorted().first(where: { found[$0, default: 0] < wanted[$0, default: 0] }) {
      return "a reading is lost: \(lost)"
    }
    if let twice = found.keys.sorted().first(where: { found[$0, default: 0] > wanted[$0, default: 0] }) {
      return wanted[twice] == nil
        ? "a reading came that the meter never sent: \(twice)" : "a reading came twice: \(twice)"
    }
    return nil
  }

  /// How often each stored value is there.
  private static func counts(_ entries: [QueueEntry]) -> [String: Int] {
    let stored = entries.filter { $0.record?.identityClass == .stored }
    return Dictionary(stored.flatMap(values).map { ($0, 1) }, uniquingKeysWith: +)
  }

  private static func values(of entry: QueueEntry) -> [String] {
    guard let record = entry.record else { return [] }
    let microseconds = record.time.civilMicroseconds ?? (record.time.kind == .utc ? record.time.startMicroseconds : nil)
    let time = microseconds.map { " at \($0 / 1_000_000)" } ?? ""
    return record.values.map { "\($0.metricName) \($0.number) \($0.ucum)\(time)" }
  }

  /// A read may end with the link; with a fault of the driver it may not.
  private static func fault(_ outcome: MeterReader.Outcome) -> String? {
    switch outcome.error?.code {
    case .driverCrashed, .driverUnavailable, .driverQuarantined: outcome.error?.message
    default: nil
    }
  }
}
