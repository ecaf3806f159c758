import Foundation
import MeterCore
import TestSupport
import Testing
import VirtualMeter

@testable import MeterBluetooth

/// One way of a meter to be, and what it must be read to: a shipped script, or the same with a harsher behaviour.
struct MatrixMeter: Sendable, CustomTestStringConvertible {
  var testDescription: String
  /// The script of SDK/meters; of a meter of the bench, its own text.
  var script: String
  var text: String?
  var peripheral: UInt32
  /// A JSON object that is merged into the script (RFC 7396).
  var merge = "{}"
  /// The meter's user whose readings are wanted.
  var slot: UInt16?
  /// What the person answers to every question.
  var answer: String?
  /// Records of the script that this read must not bring: failed measurements, fillers, another user's.
  var passedOver = 0
  /// Every value of every record that the meter holds for this person, written from the script's notes.
  var expected: [Reading]

  init(_ script: String, _ peripheral: UInt32, _ expected: [[Reading]]) {
    testDescription = "\(script) as \(peripheral)"
    self.script = script
    self.peripheral = peripheral
    self.expected = expected.flatMap { $0 }
    records = expected.count
  }

  /// A glucose meter of the bench: five records, every second one with a context.
  static func bench(_ how: String, behaviour: String) -> MatrixMeter {
    let records = BenchMeter.glucoseReadings().enumerated().map { index, reading in
      let meal = index % 2 == 1 ? ["relationship_to_meal 1 1"] : []
      return [reading] + record(reading.civilTime, ["sample_type 1 1", "sample_location 1 1"] + meal)
    }
    return MatrixMeter("bench", 1000, records).with { $0.text = BenchMeter.glucoseText() }
      .but(how, behaviour: behaviour)
  }

  /// How many records the expected readings stand in.
  private(set) var records: Int

  func with(_ change: (inout MatrixMeter) -> Void) -> MatrixMeter {
    var copy = self
    change(&copy)
    return copy
  }

  /// The same meter with a harsher behaviour.
  func but(_ how: String, behaviour: String) -> MatrixMeter {
    with {
      $0.testDescription += ", \(how)"
      $0.merge = MatrixScript.merge(#"{"behaviour": \#(behaviour)}"#, into: $0.merge)
    }
  }

  /// The meter with faults. One whose end shows by its silence alone closes the link, so that no read waits for that.
  func make(faults: [String] = []) throws -> VirtualMeter {
    let text = try text ?? String(contentsOf: BuildProducts.meterScript(script), encoding: .utf8)
    let faults = #"{"faults": [\#(faults.joined(separator: ","))]}"#
    var script = try MeterScript.parse(json: MatrixScript.merge(faults, into: MatrixScript.merge(merge, into: text)))
    switch script.behaviour {
    case .indicateOnConnect, .scale: script.disconnectsAfterProcedure = true
    default: break
    }
    return VirtualMeter(script: script, clock: .ofTest)
  }

  func options(_ change: (inout ReadOptions) -> Void = { _ in }) -> ReadOptions {
    .with { options in
      options.userSlot = slot
      options.answersQuestions = answer != nil
      change(&options)
    }
  }

  /// What may stand in the store twice: a reading without a time of its own is no other than its repeat to the host.
  func isLive(_ reading: Reading) -> Bool { reading.civilTime == nil }

  /// What is wrong with these readings; nil: nothing.
  ///
  /// - Parameter brokenLinks: How many links broke: each may double one record that has no identity, because its
  ///   confirmation was lost.
  func problem(with found: [Reading], brokenLinks: Int) -> String? {
    let wanted = Self.counts(expected)
    let counts = Self.counts(found.map { isLive($0) && brokenLinks > 0 ? untimed($0) : $0 })
    var problems = wanted.keys.filter { counts[$0] == nil }.map { "lost: \($0)" }
    for (reading, count) in counts {
      guard let expected = wanted[reading] else {
        problems.append("wrong: \(reading)")
        continue
      }
      if count < expected { problems.append("lost: \(reading)") }
      if count > expected + (isLive(reading) ? brokenLinks : 0) { problems.append("\(count) times: \(reading)") }
    }
    return problems.isEmpty ? nil : problems.sorted().joined(separator: "\n")
  }

  /// One that has waited over a broken link is held, as nobody knows any more when it was.
  private func untimed(_ reading: Reading) -> Reading {
    var reading = reading
    if reading.state == .held { reading.state = .pending }
    return reading
  }

  private static func counts(_ readings: [Reading]) -> [Reading: Int] {
    Dictionary(readings.map { ($0, 1) }, uniquingKeysWith: +)
  }
}

extension MeterScript.Behaviour {
  /// Whether a client that asks hears that there is nothing new. A meter that does not waits for somebody to measure,
  /// or hangs up.
  func answersWhenEmpty(_ script: MeterScript) -> Bool {
    switch self {
    case .glucose, .taidoc, .oneTouch, .keyed, .stream, .responder: true
    case .indicateOnConnect(let options):
      options.resendsAll && !options.deletesOnConfirmation && !script.records.isEmpty
    case .scale, .advertise, .database: false
    }
  }
}

extension MatrixMeter {
  /// Whether all that it holds has a time of its own, by which a reading can be told to be somebody else's.
  var hasHistory: Bool { expected.allSatisfy { !isLive($0) } }
}

extension MeterScript.Behaviour {
  /// What becomes of a record that the client has got.
  enum Memory {
    /// It stays, and can be read again.
    case keeps
    /// It is gone, or never sent again, when its indication was confirmed.
    case endsWithConfirmation
    /// It is gone when the client has asked for that, or when the procedure is over.
    case endsWithProcedure
  }

  /// Whether a client confirms each record.
  var indicatesRecords: Bool {
    switch self {
    case .indicateOnConnect, .scale: true
    default: false
    }
  }

  var memory: Memory {
    switch self {
    case .indicateOnConnect(let options):
      options.resendsAll && !options.deletesOnConfirmation ? .keeps : .endsWithConfirmation
    case .scale: .endsWithConfirmation
    case .glucose(let options): options.deletesOnConfirmation ? .endsWithProcedure : .keeps
    case .keyed(let options): options.deletesOnAcknowledgement ? .endsWithProcedure : .keeps
    case .oneTouch(let options): options.forgetsAcknowledged ? .endsWithProcedure : .keeps
    case .taidoc, .stream, .advertise, .database, .responder: .keeps
    }
  }
}

/// Values of one record.
func record(_ civilTime: String?, _ values: String..., state: DeliveryState = .pending) -> [Reading] {
  record(civilTime, values, state: state)
}

/// Values of one record.
func record(_ civilTime: String?, _ values: [String], state: DeliveryState = .pending) -> [Reading] {
  values.map { text in
    let parts = text.split(separator: " ").map(String.init)
    return Reading(
      metric: parts[0], value: Double(parts[1]) ?? .nan, unit: parts.count > 2 ? parts[2] : "", civilTime: civilTime,
      state: state)
  }
}

/// Changes to scripts as text.
enum MatrixScript {
  /// Merges one JSON object into another (RFC 7396).
  static func merge(_ patch: String, into text: String) -> String {
    guard let patch = object(patch), let target = object(text),
      let data = try? JSONSerialization.data(withJSONObject: merge(patch, into: target), options: .sortedKeys)
    else { return "a script or its change is no JSON object" }
    return String(decoding: data, as: UTF8.self)
  }

  private static func object(_ text: String) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
  }

  private static func merge(_ patch: [String: Any], into target: [String: Any]) -> [String: Any] {
    var result = target
    for (key, value) in patch {
      switch value {
      case is NSNull: result[key] = nil
      case let value as [String: Any]: result[key] = merge(value, into: target[key] as? [String: Any] ?? [:])
      default: result[key] = value
      }
    }
    return result
  }
}
