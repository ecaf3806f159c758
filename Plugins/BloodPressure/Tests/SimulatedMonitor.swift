import CMeterDriver
@testable import DriverTestBench

/// A monitor with a memory and the host around the driver: commits each unit before it confirms, and counts PDUs.
struct SimulatedMonitor {
  enum Memory: CaseIterable {
    /// Everything is sent at every connection, oldest first.
    case resends
    /// A record goes when it is confirmed.
    case deletesOnConfirmation
  }

  static let services: [(handle: UInt16, properties: UInt16, id: UInt16)] = [(20, 0x20, 0x2a35), (23, 0x10, 0x2a36)]

  let kind: Memory
  var memory: [[UInt8]]
  /// What the host has committed, as it deduplicates: by identity.
  var stored: [[UInt8]: TestRecord] = [:]
  /// The commits that brought something the host had.
  var repeated = 0

  /// A measurement on a day of March 2024.
  static func measurement(day: UInt8, systolic: UInt8 = 120) -> [UInt8] {
    [0x16, systolic, 0, 80, 0, 93, 0, 0xe8, 7, 3, day, 8, 30, 0, 60, 0, 0, 0]
  }

  /// One connection. The link breaks when `pdus` have gone over it; the last one counts as received.
  ///
  /// - Returns: how the driver ended, nil when the link broke before it did.
  mutating func connect(_ host: TestHost, pdus limit: Int = .max) throws -> TestAction? {
    let session = try host.open()
    var left = limit
    func lost() -> TestAction? { session.commit(.disconnected).actions.last }
    session.commit(.services(Self.services, service: 0x1810))
    for token in [UInt64(2), 1] {
      guard left > 0 else { return lost() }
      left -= 1
      session.commit(.subscribed(token: token))
    }
    for value in memory {
      guard left > 0 else { return lost() }
      left -= 1
      let unit = session.commit(.indication(20, value))
      for record in unit.records {
        if stored.updateValue(record, forKey: record.identity) != nil { repeated += 1 }
      }
      // The confirmation: it is lost when the link breaks here, and the monitor keeps the record.
      guard left > 0 else { return lost() }
      left -= 1
      if kind == .deletesOnConfirmation { memory.removeFirst() }
    }
    return session.commit(.timer(3)).actions.last
  }
}
