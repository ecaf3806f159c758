import BluetoothWire
import MeterDrivers
import Synchronization
import TestSupport
import Testing
import VirtualMeter

@testable import MeterBluetooth

/// Behind the answer of a glucose meter its driver waits for contexts that come late; the meter counts its records as taken by then.
@Suite("A worker that is killed behind a meter's answer", .jumpingTime, .timeLimit(.minutes(60)))
struct LingeringWorkerTests {
  /// A meter whose second record announces a context that never comes.
  ///
  /// - Parameters:
  ///   - first: The number of its first record; the others follow.
  ///   - minute: When that was measured. Values are 100 and the minute.
  private static func meter(
    from first: Int, minutes: Range<Int>, _ behaviour: String = ""
  ) throws -> VirtualMeter {
    let records = minutes.enumerated().map { index, minute in
      let flags = index == 1 ? "13" : "03"
      return
        #"{"measurement": "\#(flags)\#(hex(first + index))00e407030e17\#(hex(minute))000000\#(hex(100 + minute))b011"}"#
    }
    return VirtualMeter(
      script: try MeterScript.parse(
        json: #"""
          {"name": "bench", "manufacturer": "bench", "address": "00:00:00:00:00:01",
           "advertisement": {"services": ["1808"], "local_name": "bench"},
           "services": [{"uuid": "1808", "characteristics": [
             {"uuid": "2A18", "properties": ["notify"]}, {"uuid": "2A34", "properties": ["notify"]},
             {"uuid": "2A52", "properties": ["write", "indicate"]}]},
             {"uuid": "180A", "characteristics": [{"uuid": "2A25", "properties": ["read"], "text": "B-1"}]}],
           "behaviour": {"kind": "glucose"\#(behaviour)}, "records": [\#(records.joined(separator: ","))]}
          """#), clock: .ofTest)
  }

  private static func hex(_ number: Int) -> String { (number < 16 ? "0" : "") + String(number, radix: 16) }

  private func values(_ bench: ReadBench) throws -> [Double] { try bench.readings.map(\.value).sorted() }

  /// Reads until nothing is left to read.
  private func readOn(_ bench: ReadBench, _ place: String) async throws {
    for _ in 0..<2 {
      let clean = try await bench.read(1000)
      #expect(clean.end == "completed", "\(place): \(clean.words) \(clean.error?.message ?? "")")
    }
  }

  @Test(
    "loses and doubles nothing, whether the meter keeps what it has sent or deletes it",
    arguments: ["", #", "delete_on_confirmation": true"#], ["", #", "order": "newest-first""#])
  func afterTheAnswer(memory: String, order: String) async throws {
    let worker = try KillableWorker()
    let radio = SwitchedRadio(try Self.meter(from: 10, minutes: 0..<5, memory + order)) { number in
      if number == 1 { worker.kill() }
    }
    let bench = try ReadBench(radio, worker: worker.path)
    let broken = try await bench.read(1000)
    #expect(broken.error?.code == .driverCrashed && worker.isKilled, "\(broken.words)")
    radio.use(nil)
    try await readOn(bench, memory + order)
    #expect(try values(bench) == [100, 101, 102, 103, 104])
  }

  @Test("loses and doubles nothing of a memory that is judged as a whole, behind whichever answer", arguments: 1...2)
  func judgedTogether(answer: Int) async throws {
    let worker = try KillableWorker()
    let radio = SwitchedRadio(try Self.meter(from: 10, minutes: 0..<5))
    let bench = try ReadBench(radio, worker: worker.path)
    try await readOn(bench, "before")
    // Its numbering has begun again: behind the first answer everything is asked for.
    radio.use(try Self.meter(from: 1, minutes: 30..<33)) { number in
      if number == answer { worker.kill() }
    }
    let broken = try await bench.read(1000)
    #expect(broken.error?.code == .driverCrashed && worker.isKilled, "\(broken.words)")
    radio.use(nil)
    try await readOn(bench, "answer \(answer)")
    #expect(try values(bench) == [100, 101, 102, 103, 104, 130, 131, 132])
  }
}

/// A radio with one meter, which can be taken for another, and that tells of each confirmation that has gone to it.
private final class SwitchedRadio: WrappingRadio {
  private struct State {
    var base: BenchRadio
    var confirmed: (@Sendable (Int) -> Void)?
  }

  private let state: Mutex<State>

  /// - Parameter confirmed: Told which confirmation of its link it is.
  init(_ meter: VirtualMeter, confirmed: (@Sendable (Int) -> Void)? = nil) {
    state = Mutex(State(base: BenchRadio([meter]), confirmed: confirmed))
  }

  var base: BenchRadio { state.withLock(\.base) }

  /// From now on this meter is there, or the same as before, and this is told.
  func use(_ meter: VirtualMeter?, confirmed: (@Sendable (Int) -> Void)? = nil) {
    state.withLock { state in
      if let meter { state.base = BenchRadio([meter]) }
      state.confirmed = confirmed
    }
  }

  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    let confirmed = state.withLock(\.confirmed)
    let bearer = try await base.connect(to: address)
    guard let confirmed else { return bearer }
    return ConfirmingBearer(base: bearer, confirmed: confirmed)
  }
}

private final class ConfirmingBearer: ATTBearer {
  private let base: any ATTBearer
  private let confirmed: @Sendable (Int) -> Void
  private let count = Mutex(0)

  init(base: any ATTBearer, confirmed: @escaping @Sendable (Int) -> Void) {
    (self.base, self.confirmed) = (base, confirmed)
  }

  func send(_ pdu: [UInt8]) async throws(GATTError) {
    try await base.send(pdu)
    guard pdu.first == ATTOpcode.handleValueConfirmation.rawValue else { return }
    let number = count.withLock { count in
      count += 1
      return count
    }
    confirmed(number)
  }

  func receive() async throws(GATTError) -> [UInt8]? { try await base.receive() }
  func close() { base.close() }
}
