import BluetoothWire
import DriverContract
import Foundation
import MeterDrivers
import Synchronization
import Testing
import VirtualMeter
import TestSupport

@testable import MeterBluetooth
@testable import MeterCore

/// A meter that wants a pairing says so by an ATT error, at any moment.
@Suite("Pairing on an ATT error", .jumpingTime, .timeLimit(.minutes(60)))
struct SecurityTests {
  private static let passkey = "042817"

  /// What is protected: a characteristic of the script, and what its error is without a bond.
  private static func meter(_ uuid: String, requires: String = "authentication") throws -> VirtualMeter {
    let text = BenchMeter.glucoseText().replacingOccurrences(
      of: #"{"uuid": "\#(uuid)","#, with: #"{"uuid": "\#(uuid)", "requires": "\#(requires)","#)
    return VirtualMeter(
      script: try MeterScript.parse(
        json: MatrixScript.merge(#"{"pairing": {"passkey": "\#(passkey)"}}"#, into: text)), clock: .ofTest)
  }

  private func read(
    _ bench: ReadBench, pairs: Bool = true, answer: String = passkey
  ) async throws -> (ReadResult, questions: Int) {
    let questions = Mutex(0)
    let options = ReadOptions.with {
      $0.pairs = pairs
      $0.answersQuestions = true
    }
    let result = try await bench.read(1000, options) { event in
      guard case .question(let question) = event else { return }
      questions.withLock { $0 += 1 }
      bench.controller.answer(question.id, answer)
    }
    return (result, questions.withLock { $0 })
  }

  @Test(
    "the request is sent again behind the pairing, and the driver hears of the second answer only",
    arguments: ["2A18", "2A34", "2A52", "2A25"], ["authentication", "encryption"])
  func pairs(uuid: String, requires: String) async throws {
    let meter = try Self.meter(uuid, requires: requires)
    try await ReadBench.withAir([meter], isolation: .inProcess) { bench, _ in
      let (refused, none) = try await read(bench, pairs: false)
      if uuid == "2A34" {
        // The driver goes on without contexts.
        #expect(refused.end == "completed")
        try bench.start("grace")
      } else {
        #expect(refused.error?.code == .notPaired && none == 0, "\(refused.words)")
        #expect(refused.error?.message.contains("`meterhost pair 1000`") == true, "\(refused.error?.message ?? "")")
      }
      let (first, asked) = try await read(bench)
      #expect(first.end == "completed" && asked == 1, "\(first.words) \(first.error?.message ?? "")")
      #expect(first.words.contains("paired") && first.submitted.count == 5)
      #expect(try bench.controller.pairedMeters().map(\.name) == ["B-1"])
      // From now on the link is encrypted before the first request.
      let (second, again) = try await read(bench, pairs: false)
      #expect(second.end == "completed" && again == 0 && second.submitted.isEmpty, "\(second.words)")
    }
  }

  @Test("a wrong passkey is asked for once, and is another failure than a meter outside its pairing mode")
  func failures() async throws {
    let meter = try Self.meter("2A18")
    try await ReadBench.withAir([meter], isolation: .inProcess) { bench, _ in
      let (wrong, asked) = try await read(bench, answer: "000000")
      #expect(wrong.error?.code == .pairingFailure && wrong.error?.pairingFailure == .authenticationFailed)
      #expect(asked == 1 && wrong.error?.message.contains("passkey") == true, "\(wrong.words)")
      meter.setPairingMode(false)
      let (closed, unasked) = try await read(bench)
      #expect(closed.error?.code == .pairingFailure && closed.error?.pairingFailure == .notInPairingMode)
      #expect(unasked == 0 && closed.error?.message.contains("pairing mode") == true)
      meter.setPairingMode(true)
      #expect(try await read(bench).0.end == "completed")
    }
  }

  @Test("a meter that has forgotten its bond is named, and paired again when that is asked for")
  func bondLost() async throws {
    let meter = try Self.meter("2A18")
    try await ReadBench.withAir([meter], isolation: .inProcess) { bench, _ in
      _ = try await read(bench)
      meter.forgetBonds()
      let (refused, _) = try await read(bench, pairs: false)
      #expect(refused.error?.code == .notPaired && refused.error?.pairingFailure == .bondLost)
      let message = refused.error?.message ?? ""
      #expect(message.contains("has forgotten this gateway") && message.contains("`meterhost pair 1000`"), "\(message)")
      let (again, asked) = try await read(bench)
      // A new bond is a new beginning: nothing that was cached counts.
      #expect(again.end == "completed" && asked == 1, "\(again.words) \(again.error?.message ?? "")")
      #expect(!again.summary.usedCache)
      let (last, _) = try await read(bench, pairs: false)
      #expect(last.end == "completed" && last.summary.usedCache)
    }
  }

  @Test(
    "a meter that was bonded is not read in the clear, though it would let itself be read", arguments: [true, false])
  func neverInTheClear(byAddress: Bool) async throws {
    let meter = try BenchMeter.glucose()
    let radio = BenchRadio([meter])
    let bench = try ReadBench(radio, isolation: .inProcess)
    radio.loseBond()
    let identity = MeterIdentity(serial: "B-1", model: nil, systemID: nil, address: "")
    try bench.store.notePairing(
      MeterSighting(
        identity, peripheral: 1000, address: byAddress ? meter.script.address.description : "0A:00:00:00:00:01",
        addressKind: nil, isRead: false), bond: .bluetoothd)
    let refused = try await bench.read(1000)
    #expect(refused.error?.code == .notPaired && refused.error?.pairingFailure == .bondLost, "\(refused.words)")
    #expect(try bench.readings.isEmpty)
    let paired = try await bench.read(1000, .with { $0.pairs = true })
    #expect(paired.end == "completed" && radio.pairings == 1, "\(paired.words)")
  }

  @Test(
    "a meter that refuses behind a pairing, too, is asked twice and not a third time",
    arguments: ["0x05", "0x0C", "0x0F"])
  func refusedStill(code: String) async throws {
    let fault = #"{"kind": "error", "operation": "subscribe", "characteristic": "2A18", "code": "\#(code)"}"#
    let (meter, plain) = (try BenchMeter.glucose(faults: fault), try BenchMeter.glucose())
    let radio = BenchRadio([meter])
    let bench = try ReadBench(radio, isolation: .inProcess)
    let read = try await bench.read(1000)
    #expect(read.error?.code == .notPaired && radio.pairings == 1, "\(read.words)")
    #expect(read.error?.message.contains("forget it") == true)
    let other = try ReadBench(BenchRadio([plain]), isolation: .inProcess)
    _ = try await other.read(1000)
    #expect(meter.counters.pdusIn <= plain.counters.pdusIn)
  }

  @Test("while somebody pairs, what the meter notifies is heard")
  func notificationsFlow() async throws {
    let heard = Gate()
    let bearer = ScriptedBearer { pdu, number in
      guard number == 0 else { return ATTPDU.writeResponse.reply }
      return ATTPDU.error(pdu, .insufficientAuthentication)
        + [ATTPDU.handleValueNotification(handle: 3, value: [7]).encoded]
    }
    let att = ATTClient(bearer: bearer, clock: .ofTest)
    await att.start()
    let security = LinkSecurity(
      radio: SlowPairing(until: heard), address: Beacon.address(1), mayPair: {}, clock: .ofTest,
      person: PairingPerson(passkey: { nil }, confirms: { _ in false }, show: { _ in }))
    let database = GATTDatabase(
      services: [.init(uuid: 0x1808, firstHandle: 1, lastHandle: 9)],
      characteristics: [
        .init(serviceIndex: 0, uuid: 0x2A18, valueHandle: 3, properties: 0x3A, configurationHandle: 4)
      ])
    let link = ConnectedLink(
      client: GATTClient(att: att, security: security), database: database, clock: .ofTest, pair: { 0 },
      notify: { _ in })
    let words = Mutex<[String]>([])
    let listening = Task {
      await link.listen { input in
        switch input {
        case .fact(.notification, _):
          words.withLock { $0.append("notification") }
          heard.open()
        case .procedureDone(.subscribed(_, let status), _): words.withLock { $0.append("subscribed \(status)") }
        default: break
        }
      }
    }
    await link.run(.subscribe(handle: 3, enable: true, token: 1))
    await link.close()
    await listening.value
    #expect(words.withLock { $0 } == ["notification", "subscribed 0"])
    #expect(bearer.sent.count == 2)
  }

  @Test("reasons of the Security Manager and of HCI are told apart")
  func reasons() {
    #expect(PairingFailure(securityManagerReason: 0x04) == .authenticationFailed)
    #expect(PairingFailure(securityManagerReason: 0x05) == .notInPairingMode)
    #expect(PairingFailure(securityManagerReason: 0x08) == .refused)
    #expect(PairingFailure(hciError: 0x05) == .authenticationFailed)
    #expect(PairingFailure(hciError: 0x06) == .bondLost)
    #expect(PairingFailure(hciError: 0x18) == .notInPairingMode)
    #expect(PairingFailure(hciError: 0x13) == nil)
    #expect(BluetoothError(pairing: .bondLost).code == .notPaired)
    for failure in PairingFailure.allCases where failure != .bondLost {
      #expect(BluetoothError(pairing: failure).code == .pairingFailure)
    }
  }
}

/// A radio that pairs as soon as a door opens.
private struct SlowPairing: ConnectionlessAir {
  let gate: Gate

  init(until gate: Gate) { self.gate = gate }

  func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> { AsyncThrowingStream { $0.finish() } }

  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    throw BluetoothError(.connectionFailure, "nobody takes connections here")
  }

  func pair(
    with address: BluetoothAddress, asking person: PairingPerson
  ) async throws(BluetoothError) -> PairedLink {
    await gate.pass()
    return PairedLink(level: 2, identity: address)
  }
}
