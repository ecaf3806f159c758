import BluetoothWire

/// The last report of each meter that somebody wants, with bounded memory.
struct RecentReports {
  struct Heard {
    var report: AdvertisingReport
    var time: ContinuousClock.Instant
    /// What the meter showed when its last work ended.
    var known: [UInt8]?
  }

  /// Most meters of one generation; two are kept, so that none is forgotten that was heard lately.
  static let maximumMeters = 4096

  private var young: [BluetoothAddress: Heard] = [:]
  private var old: [BluetoothAddress: Heard] = [:]

  subscript(address: BluetoothAddress) -> Heard? { young[address] ?? old[address] }

  mutating func put(_ report: AdvertisingReport, at time: ContinuousClock.Instant) {
    let known = self[report.address]?.known
    if young[report.address] == nil, young.count >= Self.maximumMeters {
      old = young
      young = [:]
    }
    young[report.address] = Heard(report: report, time: time, known: known)
  }

  /// Whether the meter shows something else than when its last work ended.
  func isNews(_ report: AdvertisingReport) -> Bool {
    guard let known = self[report.address]?.known else { return false }
    return known != report.data
  }

  /// A work with this meter has ended: what it shows now is known.
  mutating func settle(_ address: BluetoothAddress) {
    guard var heard = self[address] else { return }
    heard.known = heard.report.data
    young[address] = heard
  }
}
