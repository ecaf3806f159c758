import BluetoothWire
import Foundation
import GRDB
import MeterDrivers
import Testing
import VirtualMeter

@testable import MeterBluetooth
@testable import MeterCore

/// A fresh host beside a fresh meter of the matrix.
struct MatrixBench {
  var subject: MatrixMeter
  let meter: VirtualMeter
  let bench: ReadBench
  private let isolation: DriverHostConfiguration.Isolation

  /// - Parameter radio: What stands between the meter and the host.
  init(
    _ subject: MatrixMeter, faults: [String] = [], isolation: DriverHostConfiguration.Isolation = .inProcess,
    worker: String? = nil, radio: (VirtualMeter) -> any Radio = { BenchRadio([$0]) }
  ) throws {
    self.subject = subject
    self.isolation = isolation
    meter = try subject.make(faults: faults)
    bench =
      if let worker {
        try ReadBench(radio(meter), isolation: isolation, worker: worker)
      } else {
        try ReadBench(radio(meter), isolation: isolation)
      }
    guard case .keyed(let options) = meter.script.behaviour else { return }
    try bench.store.setCredential(Licence().bytes, name: KeyedBench.licenceName, scope: .gateway)
    try bench.store.setCredential(options.key, name: "meter-key", scope: .meter(identity.peripheralUUID))
  }

  /// What the host knows this meter by.
  private var identity: MeterIdentity {
    let texts = Dictionary(
      meter.script.services.flatMap(\.characteristics).map { ($0.uuid, String(decoding: $0.value, as: UTF8.self)) },
      uniquingKeysWith: { first, _ in first })
    return MeterIdentity(
      serial: texts[0x2A25], model: texts[0x2A24], systemID: nil, address: meter.script.address.description)
  }

  /// Reads to the end.
  func read(_ change: (inout ReadOptions) -> Void = { _ in }) async throws -> ReadResult {
    try await bench.read(subject.peripheral, subject.options(change)) { event in
      guard case .question(let question) = event else { return }
      if let answer = subject.answer { bench.controller.answer(question.id, answer) }
    }
  }

  /// The values of each record in the queue.
  var wholeRecords: [[Reading]] {
    get throws {
      try bench.store.queueSnapshot().compactMap { entry in entry.record.map { Reading.all($0, entry.state) } }
    }
  }

  /// Every value of every record in the queue.
  var readings: [Reading] { get throws { try wholeRecords.flatMap { $0 } } }

  /// How many records are in the queue.
  var records: Int { get throws { try bench.store.queueSnapshot().count } }

  /// What every store must be, whatever has happened: each record has one place in the queue and one name.
  func checkQueue(_ place: String) throws {
    let entries = try bench.store.queueSnapshot()
    #expect(Set(entries.map(\.logID)).count == entries.count, "\(place): a name is there twice")
    #expect(entries.allSatisfy { $0.record?.flags.contains(.identitySuspect) == false }, "\(place): a suspect")
    let (records, deliveries) = try bench.store.database.read { db in
      (
        try Int.fetchOne(db, sql: "SELECT count(*) FROM record"),
        try Int.fetchOne(db, sql: "SELECT count(DISTINCT record) FROM delivery")
      )
    }
    #expect(records == entries.count && deliveries == entries.count, "\(place): a record has no place of its own")
  }

  /// Reads until nothing more comes, and checks that everything is there once.
  ///
  /// - Parameter readsAgain: Reads once more what is known then: by day a sample does, of those whose driver is in this process,
  ///   because what a worker does is the same and takes long to start.
  func finish(_ place: String, brokenLinks: Int, readsAgain: Bool = true) async throws {
    let clean = try await read()
    // All of it may be here already, and the meter say no more.
    let mayBeEmpty = clean.submitted.isEmpty && clean.summary.duplicates == 0
    try expectEnd(of: clean, mayBeEmpty: mayBeEmpty, place)
    try checkReadings(place, brokenLinks: brokenLinks)
    guard isolation == .inProcess && readsAgain || Nightly.isOn else { return }
    let again = try await read()
    #expect(again.submitted.isEmpty, "\(place): a read of what is known brought \(again.submitted.count) readings")
    try expectEnd(of: again, mayBeEmpty: true, place)
    try checkReadings(place, brokenLinks: brokenLinks)
  }

  /// A read completes; of a meter that does not answer when it has nothing, it may end with the link.
  func expectEnd(of read: ReadResult, mayBeEmpty: Bool, _ place: String) throws {
    let isEmpty =
      mayBeEmpty && !meter.script.behaviour.answersWhenEmpty(meter.script) && read.error?.isBrokenLink == true
    #expect(read.end == "completed" || isEmpty, "\(place): \(read.words) \(read.error?.message ?? "")")
  }

  func checkReadings(_ place: String, brokenLinks: Int) throws {
    let found = try readings
    if let problem = subject.problem(with: found, brokenLinks: brokenLinks) { Issue.record("\(place): \(problem)") }
    try checkQueue(place)
  }
}

extension BluetoothError {
  /// What the host may say when a link breaks.
  var isBrokenLink: Bool { code == .communicationFailure }
}

extension Reading {
  /// Every value of a record.
  static func all(_ record: MeterCore.Record, _ state: DeliveryState) -> [Reading] {
    record.values.indices.map { Reading(record, state, value: $0) }
  }
}

extension DriverHostConfiguration.Isolation {
  /// How the driver runs whose read is disturbed at the n-th place: by day in this process but for a sample, by night in a worker.
  /// With the worker the store is on the real disk, else in memory.
  static func ofPlace(_ number: Int) -> DriverHostConfiguration.Isolation {
    Nightly.isOn || number % 8 == 0 ? .worker : .inProcess
  }
}

/// Whether the suite may take its time: scripts/nightly says so.
enum Nightly {
  static let isOn = ProcessInfo.processInfo.environment["METERHOST_NIGHTLY"] == "1"
}
