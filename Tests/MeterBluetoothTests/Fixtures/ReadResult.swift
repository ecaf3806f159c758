import Foundation
import MeterBluetooth
import MeterCore

/// What a read came to.
struct ReadResult: Sendable {
  var words: [String] = []
  var summary = ReadSummary()
  var error: BluetoothError?
  var facts: [MeterFacts] = []
  var submitted: [CommitRecord] = []

  var end: String { words.last ?? "" }

  mutating func add(_ event: ReadEvent) {
    switch event {
    case .started: words.append("started")
    case .connected: words.append("connected")
    case .question: words.append("question")
    case .passkeyToEnter: words.append("passkey to enter")
    case .paired: words.append("paired")
    case .ready: words.append("ready")
    case .progress: words.append("progress")
    case .provisional: words.append("provisional")
    case .meterFacts(let facts):
      words.append("facts")
      self.facts.append(facts)
    case .shouldSubmit(let records):
      words.append("submit")
      submitted += records
    case .completed(let summary):
      words.append("completed")
      self.summary = summary
    case .alreadyDelivered(let summary):
      words.append("already delivered")
      self.summary = summary
    case .cancelled(let summary):
      words.append("cancelled")
      self.summary = summary
    case .failed(let error, let summary):
      words.append("failed \(error.code.rawValue)")
      self.error = error
      self.summary = summary
    }
  }
}

/// A reading as the expected readings write it.
struct Reading: Hashable, Sendable, CustomStringConvertible {
  var metric: String
  var value: Double
  var unit: String
  var civilTime: String?
  var state: DeliveryState = .pending

  init(metric: String, value: Double, unit: String, civilTime: String?, state: DeliveryState = .pending) {
    self.metric = metric
    self.value = value
    self.unit = unit
    self.civilTime = civilTime
    self.state = state
  }

  init(_ record: Record, _ state: DeliveryState, value index: Int = 0) {
    let value = record.values[index]
    self.init(
      metric: value.metricName, value: Self.double(value.number), unit: value.ucum,
      civilTime: record.time.kind == .none ? nil : record.time.civilMicroseconds.map(Self.text), state: state)
  }

  var description: String { "\(metric) \(value) \(unit) at \(civilTime ?? "-") \(state.rawValue)" }

  private static func double(_ number: ReportedNumber) -> Double {
    Double("\(number.mantissa)e\(number.exponent)") ?? .nan
  }

  private static func text(_ microseconds: Int64) -> String {
    let date = Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    return String(date.formatted(.iso8601).dropLast())
  }
}
