import BluetoothWire
import Foundation
import MeterDrivers
import Synchronization
import TestSupport
import Testing
import VirtualMeter

@testable import MeterBluetooth
@testable import MeterCore

/// One meter in the virtual air, the host beside it, and what goes between them.
struct CentralBench {
  let meter: VirtualMeter
  let bench: ReadBench

  /// - Parameters:
  ///   - script: A shipped script, or the text of one.
  ///   - merge: A JSON object that is merged into it (RFC 7396).
  static func with(
    _ script: String, _ merge: String..., body: (CentralBench) async throws -> Void
  ) async throws {
    let isText = script.hasPrefix("{") || script.contains("\n")
    var text = isText ? script : try String(contentsOf: BuildProducts.meterScript(script), encoding: .utf8)
    for patch in merge { text = MatrixScript.merge(patch, into: text) }
    let meter = VirtualMeter(script: try MeterScript.parse(json: text), clock: .ofTest)
    try await ReadBench.withAir([meter], isolation: .inProcess) { bench, _ in
      try await body(CentralBench(meter: meter, bench: bench))
    }
  }

  /// Reads to the end. The person gives these answers in turn, and refuses the next question.
  func read(
    _ peripheral: UInt32, answers: [String] = [], _ change: (inout ReadOptions) -> Void = { _ in }
  ) async throws -> ReadResult {
    let asked = Mutex(0)
    return try await bench.read(
      peripheral,
      .with { options in
        options.answersQuestions = !answers.isEmpty
        change(&options)
      }
    ) { event in
      guard case .question(let question) = event else { return }
      let number = asked.withLock { number in
        number += 1
        return number
      }
      if number <= answers.count {
        bench.controller.answer(question.id, answers[number - 1])
      } else {
        bench.controller.refuse(question.id)
      }
    }
  }

  /// Reads, and expects that it completes, and how much is new.
  @discardableResult
  func complete(
    _ peripheral: UInt32, new: Int? = nil, location: SourceLocation = #_sourceLocation
  ) async throws -> ReadResult {
    let read = try await read(peripheral)
    #expect(
      read.end == "completed" && read.submitted.count == new ?? read.submitted.count,
      "\(read.words) \(read.error?.message ?? "")", sourceLocation: location)
    return read
  }

  /// What the body sends to the meter over one link.
  func sent(during body: () async throws -> Void) async throws -> [ATTPDU] {
    let events = meter.events()
    try await body()
    var pdus: [ATTPDU] = []
    var isConnected = false
    // What is left of an earlier link may be told late.
    for await event in events {
      if case .connected = event { isConnected = true }
      guard isConnected else { continue }
      if case .pdu(_, .in, let bytes) = event, let pdu = try? ATTPDU(decoding: bytes) { pdus.append(pdu) }
      if case .disconnected = event { break }
    }
    return pdus
  }

  /// Every value of every record in the queue.
  var readings: [Reading] {
    get throws {
      try bench.store.queueSnapshot().flatMap { entry in entry.record.map { Reading.all($0, entry.state) } ?? [] }
    }
  }

  /// The first value of each record in the queue, as text.
  var values: [String] {
    get throws { try bench.readings.map { "\($0.metric) \($0.value)" }.sorted() }
  }
}

extension [ATTPDU] {
  /// What was written, in its order.
  var writes: [[UInt8]] {
    compactMap { if case .writeRequest(_, let value) = $0 { value } else { nil } }
  }
}
