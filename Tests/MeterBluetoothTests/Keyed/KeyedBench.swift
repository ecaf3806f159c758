import BluetoothWire
import CCrypto
import Foundation
import HostPrimitives
import MeterDrivers
import VirtualMeter
import TestSupport

@testable import MeterBluetooth
@testable import MeterCore

/// The keyed test meter on the virtual air, and a host whose person answers as the test says.
final class KeyedBench: Sendable {
  static let peripheral: UInt32 = 10500
  static let key = "8f1d2c3b4a5968778695a4b3c2d1e0f0"
  static let keyBytes = [UInt8](hexadecimal: key.utf8) ?? []
  static let passkey = "042817"
  static let licenceName = "keyed-meter.license"

  let meter: VirtualMeter
  let bench: ReadBench
  private let running: Task<Void, any Error>
  private let folder: TemporaryFolder

  init(
    isolation: DriverHostConfiguration.Isolation = .worker, licence: [UInt8]? = Licence().bytes,
    change: (String) -> String = { $0 }
  ) throws {
    folder = try TemporaryFolder()
    let air = VirtualAir(folder: folder.url.path)
    let meter = try BenchMeter.shipped("keyed-meter", change: change)
    self.meter = meter
    running = Task { try await meter.run(in: air) }
    bench = try ReadBench(VirtualRadio(air: air, clock: .ofTest), isolation: isolation)
    if let licence { try bench.store.setCredential(licence, name: Self.licenceName, scope: .gateway) }
  }

  func end() async {
    running.cancel()
    _ = await running.result
  }

  /// The same meter after a reset would be another bench; this is another host beside it with the same store of bonds.
  var store: MeterStore { bench.store }

  /// Pairs; `answers` are given in turn, nil refuses, and nobody answers after the last.
  func pair(_ answers: [String?], options: ReadOptions = .asking) async throws -> (ReadResult, [ReadQuestion]) {
    try await run(answers, try bench.controller.pair(peripheral: Self.peripheral, options: options))
  }

  func read(_ answers: [String?] = [], options: ReadOptions = .asking) async throws -> (ReadResult, [ReadQuestion]) {
    try await run(answers, try bench.controller.read(peripheral: Self.peripheral, options: options))
  }

  private func run(
    _ answers: [String?], _ events: AsyncStream<ReadEvent>
  ) async throws -> (ReadResult, [ReadQuestion]) {
    var result = ReadResult()
    var questions: [ReadQuestion] = []
    for await event in events {
      result.add(event)
      guard case .question(let question) = event else { continue }
      questions.append(question)
      guard questions.count <= answers.count else {
        bench.controller.cancel()
        continue
      }
      if let answer = answers[questions.count - 1] {
        bench.controller.answer(question.id, answer)
      } else {
        bench.controller.refuse(question.id)
      }
    }
    return (result, questions)
  }

  /// Stores the meter's key as a person would with `meterhost key set`.
  func storeKey() throws {
    let identity = MeterIdentity(
      serial: "KT-0001", model: "Keyed test meter", systemID: nil, address: meter.script.address.description)
    try store.setCredential(Self.keyBytes, name: "meter-key", scope: .meter(identity.peripheralUUID))
  }

  var keysOfMeters: [StoredCredential] {
    get throws {
      try store.credentials().filter { if case .meter = $0.scope { true } else { false } }
    }
  }
}

extension ReadOptions {
  static var asking: ReadOptions { .with { $0.answersQuestions = true } }
}

/// A licence of the test meter, as its maker's tool would write it.
struct Licence {
  var product = "org.meterhost.keyed-meter"
  var expires = "2099-12-31"
  var licensee = "Example Clinic"

  var bytes: [UInt8] {
    let text = "meterhost-licence 1\nproduct: \(product)\nlicensee: \(licensee)\nexpires: \(expires)\n"
    // The key in the bundle's source, filled up with zeros to a block.
    let key = Array("a public key for the test licence of the keyed test meter".utf8)
    var mac = [UInt8](repeating: 0, count: 32)
    key.withUnsafeBufferPointer { key in
      Array(text.utf8).withUnsafeBufferPointer { text in
        _ = ccrypto_hmac_sha256(
          ccrypto_bytes(p: key.baseAddress, n: key.count), ccrypto_bytes(p: text.baseAddress, n: text.count), &mac)
      }
    }
    let digits = mac.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return Array("\(text)mac: \(digits)\n".utf8)
  }
}
