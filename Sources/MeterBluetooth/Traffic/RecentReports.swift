import BluetoothWire
import HostPrimitives

/// The last report of each meter that somebody wants, with bounded memory.
struct RecentReports {
  struct Heard {
    var report: AdvertisingReport
    var time: HostInstant
    /// What the meter showed when its last work ended.
    var known: [UInt8]?
    var advertisement: [UInt8]
    var answer: [UInt8]
  }

  /// Most meters of one generation; two are kept, so that none is forgotten that was heard lately.
  static let maximumMeters = 4096

  private var young: [BluetoothAddress: Heard] = [:]
  private var old: [BluetoothAddress: Heard] = [:]

  subscript(address: BluetoothAddress) -> Heard? { young[address] ?? old[address] }

  /// Keeps a report. The answer to a scan request is kept behind the advertisement that it belongs to: some meters are
  /// recognised by both.
  mutating func put(_ report: AdvertisingReport, at time: HostInstant) {
    let before = self[report.address]
    let known = before?.known
    let isAnswer = report.eventType == .scanResponse
    let advertisement = isAnswer ? before?.advertisement ?? [] : report.data
    let answer = isAnswer ? report.data : before?.answer ?? []
    var whole = isAnswer ? before?.report ?? report : report
    whole.data = Array((advertisement + answer).prefix(255))
    whole.rssi = report.rssi
    if young[report.address] == nil, young.count >= Self.maximumMeters {
      old = young
      young = [:]
    }
    young[report.address] = Heard(
      report: whole, time: time, known: known, advertisement: advertisement, answer: answer)
  }

  /// Whether the meter shows something else than when its last work ended.
  func isNews(_ address: BluetoothAddress) -> Bool {
    guard let heard = self[address], let known = heard.known else { return false }
    return known != heard.report.data
  }

  /// A work with this meter has ended: what it shows now is known.
  mutating func settle(_ address: BluetoothAddress) {
    guard var heard = self[address] else { return }
    heard.known = heard.report.data
    young[address] = heard
  }
}
