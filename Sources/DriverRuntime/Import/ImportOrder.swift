package import DriverContract

/// Which facts an import may still be told, what its samples' indices mean, and whether it comes to an end. A value: it knows no
/// process and no file.
package struct ImportOrder: Sendable {
  private enum State: Sendable {
    case unstarted
    case going
    /// The source is gone: the driver is told so, and nothing after that.
    case ended
    /// The driver is told nothing more.
    case over
  }

  private let driver: String
  /// Bytes of the source; nil: it does not say.
  let size: UInt64?
  /// Whether what was given counts against the driver, and not what it has asked for.
  private let givesLess: Bool
  private var state = State.unstarted
  /// Pulls that wait for an answer.
  private var waiting = 0
  private var pulls: UInt64 = 0
  private var pulled: UInt64 = 0
  /// How many events there were.
  package private(set) var sequence: UInt64 = 0
  /// The names so far.
  package private(set) var names = ImportNames()
  /// Whether a sample that is no part has come.
  private(set) var hasWhole = false

  /// The order of a new import.
  ///
  /// - Parameters:
  ///   - size: Bytes of the source; nil: it does not say.
  ///   - givesLess: Whether this host gives less than is asked for on purpose, so that pulls are many and none of that is the driver's
  ///     doing.
  package init(driver: String, size: UInt64?, givesLess: Bool = false) {
    self.driver = driver
    self.size = size
    self.givesLess = givesLess
  }

  /// Nobody answers any more.
  var hasEnded: Bool { state == .ended }

  /// Notes a fact, or refuses it.
  ///
  /// - Throws: `DriverFault` `closed` when the import is over, `refused` for a fact that cannot be.
  package mutating func admit(_ fact: ImportFact) throws(DriverFault) {
    switch (state, fact) {
    case (.over, _), (.ended, _):
      throw DriverFault(.closed, driver: driver, message: "the import has ended; open a new one")
    case (.unstarted, .started): state = .going
    case (.unstarted, _): throw refused("an import begins with its start")
    case (.going, .started): throw refused("an import starts once")
    case (.going, .ended): state = .ended
    case (.going, .bytes), (.going, .nothing):
      guard waiting > 0 else { throw refused("no pull waits for an answer") }
      waiting -= 1
      if givesLess, case .bytes(let bytes, _, _, _) = fact { pulled += UInt64(bytes.count) }
    }
    sequence += 1
  }

  /// Takes what the event that was noted last has led to.
  ///
  /// - Throws: `DriverFault` `brokeRule` for a driver that would never come to an end.
  package mutating func take(_ unit: ImportUnit) throws(DriverFault) -> ImportTurn {
    guard unit.isTaken else {
      state = .over
      let words = "the driver gave up with \(statusName(unit.status)); try again, and report it when it happens again"
      return ImportTurn(
        sequence: sequence, names: names, actions: [.fail(number: 0, text: words)], logs: unit.logs, isLast: true,
        gaveUp: true)
    }
    names = unit.names
    hasWhole = unit.hasWhole
    if !unit.goesOn || state == .ended {
      state = .over
    } else {
      try note(unit.actions)
    }
    return ImportTurn(
      sequence: sequence, batches: unit.batches, names: names, actions: unit.actions, logs: unit.logs,
      isLast: state == .over)
  }

  /// A driver that has failed is told nothing more.
  package mutating func fail() { state = .over }

  private mutating func note(_ actions: [ImportAction]) throws(DriverFault) {
    for case .pull(_, let count, _) in actions {
      waiting += 1
      pulls += 1
      if !givesLess { pulled += UInt64(count) }
    }
    guard waiting > 0 else {
      throw ImportCheck(driver: driver).fault(
        "it pulls nothing and does not say that it is done, so nothing can follow")
    }
    guard let size else { return }
    // Room for the directory of an archive, the pages of a database, and for going over everything several times.
    guard pulled / 16 <= min(size, .max >> 1) + (4 << 20), pulls <= size / 1024 + 65_536 else {
      throw ImportCheck(driver: driver).fault(
        "it has pulled \(pulled) bytes in \(pulls) pieces of a source of \(size) bytes, and goes on", rule: "R16")
    }
  }

  private func refused(_ words: String) -> DriverFault {
    DriverFault(.refused, driver: driver, rule: "R18", message: "\(words); report this host")
  }
}
