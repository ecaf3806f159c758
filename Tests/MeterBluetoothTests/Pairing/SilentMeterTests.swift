import BluetoothWire
import MeterDrivers
import Synchronization
import TestSupport
import Testing
import VirtualMeter

@testable import MeterBluetooth

/// Some meters do not even refuse before the link is encrypted: they say nothing at all.
@Suite("A meter that is silent until it is paired", .jumpingTime, .timeLimit(.minutes(60)))
struct SilentMeterTests {
  private static func meter() throws -> VirtualMeter {
    VirtualMeter(
      script: try MeterScript.parse(json: MatrixScript.merge(#"{"pairing": {}}"#, into: BenchMeter.glucoseText())),
      clock: .ofTest)
  }

  @Test("is paired when that was asked for, and read", arguments: [false, true])
  func paired(forgetsWhatWasAsked: Bool) async throws {
    try await ReadBench.withAir(
      [try Self.meter()], isolation: .inProcess,
      radio: { MuteRadio(base: $0, forgetsWhatWasAsked: forgetsWhatWasAsked) }
    ) { bench, _ in
      let first = try await bench.read(1000, ReadOptions.with { $0.pairs = true })
      #expect(first.end == "completed" && first.submitted.count == 5, "\(first.words) \(first.error?.message ?? "")")
      // The bond is there: nobody has to ask for it again.
      let second = try await bench.read(1000)
      #expect(second.end == "completed", "\(second.words) \(second.error?.message ?? "")")
    }
  }

  @Test("is named for what it may be where nobody asked to pair it")
  func unpaired() async throws {
    try await ReadBench.withAir(
      [try Self.meter()], isolation: .inProcess, radio: { MuteRadio(base: $0, forgetsWhatWasAsked: true) }
    ) { bench, _ in
      let read = try await bench.read(1000)
      #expect(read.error?.code == .readingTimeout)
      #expect(read.error?.message.contains("`meterhost pair 1000`") == true, "\(read.error?.message ?? "")")
    }
  }
}

/// A radio whose meters hear nothing on a link that is not encrypted.
private final class MuteRadio: WrappingRadio {
  let base: VirtualRadio
  private let forgetsWhatWasAsked: Bool
  private let link = Mutex<MuteBearer?>(nil)

  init(base: VirtualRadio, forgetsWhatWasAsked: Bool) {
    self.base = base
    self.forgetsWhatWasAsked = forgetsWhatWasAsked
  }

  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    let bearer = MuteBearer(base: try await base.connect(to: address))
    link.withLock { $0 = bearer }
    return bearer
  }

  func pair(
    with address: BluetoothAddress, asking person: PairingPerson
  ) async throws(BluetoothError) -> PairedLink {
    let paired = try await base.pair(with: address, asking: person)
    if let bearer = link.withLock({ $0 }) { await bearer.encrypt(forgetting: forgetsWhatWasAsked) }
    return paired
  }
}

private final class MuteBearer: ATTBearer {
  let base: any ATTBearer
  private let state = Mutex((isEncrypted: false, waiting: [[UInt8]]()))

  init(base: any ATTBearer) { self.base = base }

  func encrypt(forgetting: Bool) async {
    let waiting = state.withLock { state in
      defer { state = (true, []) }
      return state.waiting
    }
    guard !forgetting else { return }
    for pdu in waiting { try? await base.send(pdu) }
  }

  func send(_ pdu: [UInt8]) async throws(GATTError) {
    let isHeard = state.withLock { state in
      if !state.isEncrypted { state.waiting.append(pdu) }
      return state.isEncrypted
    }
    if isHeard { try await base.send(pdu) }
  }

  func receive() async throws(GATTError) -> [UInt8]? { try await base.receive() }
  func close() { base.close() }
}
