import BluetoothWire
import HostPrimitives

/// The last report of each meter that somebody wants, with bounded memory: known meters and unknown ones have one of their own
/// each, so that no crowd pushes out what a known meter has shown.
struct RecentReports {
  struct Heard {
    var report: AdvertisingReport
    var time: HostInstant
    /// What the meter showed when its last work ended.
    var settled: [UInt8]?
    var advertisement: [UInt8]
    var answer: [UInt8]
  }

  /// Most meters of one generation; two are kept, so that none is forgotten that was heard lately.
  static let maximumMeters = 4096

  private struct Memory {
    var young: [BluetoothAddress: Heard] = [:]
    var old: [BluetoothAddress: Heard] = [:]

    subscript(address: BluetoothAddress) -> Heard? { young[address] ?? old[address] }

    mutating func keep(_ heard: Heard, of address: BluetoothAddress) {
      if young[address] == nil, young.count >= RecentReports.maximumMeters {
        old = young
        young = [:]
      }
      young[address] = heard
    }

    mutating func forget(_ address: BluetoothAddress) {
      young[address] = nil
      old[address] = nil
    }
  }

  private var known = Memory()
  private var unknown = Memory()

  subscript(address: BluetoothAddress) -> Heard? { known[address] ?? unknown[address] }

  /// Keeps a report. The answer to a scan request is kept behind the advertisement that it belongs to: some meters are
  /// recognised by both.
  mutating func put(_ report: AdvertisingReport, at time: HostInstant, isKnown: Bool = true) {
    let before = self[report.address]
    let settled = before?.settled
    let isAnswer = report.eventType == .scanResponse
    let advertisement = isAnswer ? before?.advertisement ?? [] : report.data
    let answer = isAnswer ? report.data : before?.answer ?? []
    var whole = isAnswer ? before?.report ?? report : report
    whole.data = Array((advertisement + answer).prefix(255))
    whole.rssi = report.rssi
    let heard = Heard(report: whole, time: time, settled: settled, advertisement: advertisement, answer: answer)
    guard isKnown || known[report.address] != nil else { return unknown.keep(heard, of: report.address) }
    unknown.forget(report.address)
    known.keep(heard, of: report.address)
  }

  /// Whether the meter shows something else than when its last work ended.
  func isNews(_ address: BluetoothAddress) -> Bool {
    guard let heard = self[address], let settled = heard.settled else { return false }
    return settled != heard.report.data
  }

  /// A work with this meter has ended: what it shows now is known.
  mutating func settle(_ address: BluetoothAddress) {
    guard var heard = self[address] else { return }
    heard.settled = heard.report.data
    if known[address] != nil { known.keep(heard, of: address) } else { unknown.keep(heard, of: address) }
  }
}
