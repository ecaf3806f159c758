import DriverContract
import Foundation
import Glibc
import TestSupport
import Testing

@testable import MeterDrivers

/// Rule R18: an export is read with the real worker. Whatever a driver says or does, what leaves the host is checked, or it is a
/// fault; and an import comes to an end.
@Suite("R18 an import", .timeLimit(.minutes(60))) struct ImportTests {
  typealias Offence = ImportBench.Offence

  @Test("reads a file to its end", arguments: DriverHostConfiguration.Isolation.allCases)
  func whole(isolation: DriverHostConfiguration.Isolation) async throws {
    let reading = try await ImportBench.open(isolation)
    var host = ImportingHost()
    try await host.read(with: reading)
    #expect(
      host.samples == [
        "steps Phone 12e0 0", "steps Watch 7e0 60 line:note=over the hill, and back", "weight Scale 8162e-2 100",
        "sleep Watch deep 0", "steps Phone 5e0 120",
      ])
    #expect(host.end == .done && host.counted == 5 && host.refused == [.value: 1, .time: 1, .form: 1])
    #expect(host.batches.compactMap(\.exportedMicroseconds) == [1_700_000_000_000_000])
    #expect(host.names.types.map(\.quantity) == [.steps, .weight, .sleep] && host.names.units == ["count", "kg"])
    let after = await #expect(throws: DriverFault.self) { try await reading.tell(.ended) }
    #expect(after?.code == .closed)
    #expect(await reading.close() == nil)
  }

  @Test(
    "what does not fit a round or an event comes in the next one",
    arguments: DriverHostConfiguration.Isolation.allCases)
  func large(isolation: DriverHostConfiguration.Isolation) async throws {
    let source = (0..<40_000).flatMap { Array("steps,Phone,\($0),\($0 + 1),1\n".utf8) }
    let reading = try await ImportBench.open(isolation, source: "large", size: source.count)
    var host = ImportingHost(source: source)
    try await host.read(with: reading)
    #expect(host.end == .done && host.counted == 40_000)
    let starts = host.batches.flatMap { $0.samples.map(\.startMicroseconds) }
    #expect(starts == (0..<Int64(40_000)).map { $0 * 1_000_000 })
    #expect(host.batches.allSatisfy { $0.samples.count <= 4_096 } && host.names.sources.count == 1)
    await reading.close()
  }

  @Test("a file that goes away in the middle leaves what was read, as a part") func ended() async throws {
    let reading = try await ImportBench.open()
    #expect(try await reading.tellFirstBytes().batches.first?.samples.count == 1)
    let turn = try await reading.tell(.ended)
    #expect(turn.isLast && turn.batches.contains(where: \.isPartial) && turn.actions.isEmpty)
    await reading.close()
  }

  @Test("a file that cannot be read is the driver's to say what to do") func unreadable() async throws {
    let reading = try await ImportBench.open()
    _ = try await reading.tell(.started)
    let turn = try await reading.tell(.nothing(status: -5, token: 7))
    #expect(
      turn.isLast && turn.actions == [.fail(number: 2, text: "the file cannot be read; look whether it is there")])
    await reading.close()
  }

  // MARK: - Faults

  /// What is wrong with one row of an otherwise good unit.
  static let rows: [Offence] = [
    .type, .source, .unit, .nameGap, .nameKind, .nameEmpty, .textBeyond, .textFar, .textLong, .attributes, .leftOver,
    .exponent, .backwards, .noFlag, .year, .flag, .word, .part, .offset, .countType, .countZero, .reason, .exported,
    .sinkFlags,
  ]

  static let lies: [(offence: Offence, rule: String)] =
    [
      (.counts, "R13"), (.full, "R13"), (.fullForever, "R13"), (.samples, "R16"), (.status, "R18"), (.behind, "R18"),
      (.silent, "R18"),
    ] + rows.map { (offence: $0, rule: "R18") }

  @Test("a lie is a broken rule", arguments: lies.indices, DriverHostConfiguration.Isolation.allCases)
  func lie(index: Int, isolation: DriverHostConfiguration.Isolation) async throws {
    let (offence, rule) = Self.lies[index]
    let reading = try await ImportBench.open(isolation, source: "\(offence.rawValue)")
    let fault = await #expect(throws: DriverFault.self) { try await reading.tellFirstBytes() }
    #expect(
      fault?.code == .brokeRule && fault?.rule == rule && fault?.driver == ImportBench.driver,
      "\(offence): \(String(describing: fault))")
    let after = await #expect(throws: DriverFault.self) { try await reading.tell(.ended) }
    #expect(after?.code == .closed)
  }

  @Test("a driver that never comes to an end is stopped") func again() async throws {
    let reading = try await ImportBench.open(source: "\(Offence.again.rawValue)")
    var host = ImportingHost()
    let fault = await #expect(throws: DriverFault.self) { try await host.read(with: reading) }
    #expect(fault?.code == .brokeRule && fault?.rule == "R16", "\(String(describing: fault))")
    #expect((200...300).contains(host.events))
  }

  @Test(
    "an end is a fault, and the next one opens", arguments: [(Offence.spin, DriverFault.Code.hung), (.abort, .crashed)])
  func end(offence: Offence, code: DriverFault.Code) async throws {
    let reading = try await ImportBench.open(source: "\(offence.rawValue)", milliseconds: 200)
    let fault = await #expect(throws: DriverFault.self) { try await reading.tellFirstBytes() }
    #expect(fault?.code == code && fault?.message.contains("meter again") == false, "\(String(describing: fault))")
    #expect(fault.map(QuarantinePolicy().isOffence) == true)
    let next = try await ImportBench.open()
    #expect(try await next.tellFirstBytes().batches.count == 1)
    await next.close()
  }

  @Test("a worker that is killed in the middle is a typed fault") func killed() async throws {
    let reading = try await ImportBench.open()
    _ = try await reading.tellFirstBytes()
    let process = try #require(await reading.process)
    process.signal(SIGABRT)
    let fault = await #expect(throws: DriverFault.self) { try await reading.tell(.ended) }
    #expect(fault?.code == .crashed && fault?.driver == ImportBench.driver, "\(String(describing: fault))")
  }

  @Test("a caller who gives up stops the worker, and nobody has failed") func cancelled() async throws {
    let reading = try await ImportBench.open(source: "\(Offence.spin.rawValue)", milliseconds: 60_000)
    let task = Task { try await reading.tellFirstBytes() }
    task.cancel()
    let fault = await #expect(throws: DriverFault.self) { try await task.value }
    #expect(fault?.code == .cancelled && fault.map(QuarantinePolicy().isOffence) == false)
  }

  @Test("what no import is given is not taken, and the driver can do without") func acknowledges() async throws {
    let reading = try await ImportBench.open(source: "\(Offence.acknowledges.rawValue)")
    let turn = try await reading.tellFirstBytes()
    #expect(turn.actions == [.done] && turn.isLast)
    #expect(turn.logs.contains { $0.message.contains("action 2") && $0.isHosts })
    await reading.close()
  }

  @Test("a driver that gives up has nothing taken") func givesUp() async throws {
    let reading = try await ImportBench.open(source: "\(Offence.givesUp.rawValue)")
    let turn = try await reading.tellFirstBytes()
    guard turn.isLast, turn.batches.isEmpty, case .fail? = turn.actions.first else { throw CancellationError() }
    await reading.close()
  }

  @Test("a source that is gone is not pulled from") func latePull() async throws {
    let reading = try await ImportBench.open(source: "\(Offence.latePull.rawValue)")
    _ = try await reading.tellFirstBytes()
    let fault = await #expect(throws: DriverFault.self) { try await reading.tell(.ended) }
    #expect(fault?.rule == "R18")
  }

  @Test("what no driver is told is refused and harms nothing", arguments: DriverHostConfiguration.Isolation.allCases)
  func refusedFacts(isolation: DriverHostConfiguration.Isolation) async throws {
    let reading = try await ImportBench.open(isolation)
    let chunk = [UInt8](repeating: 0, count: 262_145)
    for fact in [ImportFact.ended, .nothing(status: -1, token: 7), .bytes(chunk, offset: 0, isLast: false, token: 7)] {
      let fault = await #expect(throws: DriverFault.self) { try await reading.tell(fact) }
      #expect(fault?.code == .refused)
    }
    #expect(try await reading.tellFirstBytes().batches.count == 1)
    await reading.close()
  }

  @Test("a source that the driver does not read, and an entry that does not list the extension, are refused")
  func opening() async throws {
    let source = await #expect(throws: DriverFault.self) { try await ImportBench.open(source: "letters") }
    #expect(source?.code == .refused && source?.message.contains("letters") == true)
    let unlisted = await #expect(throws: DriverFault.self) {
      try await DriverImport.open(
        host: ImportBench.host(), bundle: ImportBench.bundle(), entry: ImportBench.entry(extensions: [.conversation]),
        opening: ImportOpening(source: "lines"))
    }
    #expect(unlisted?.code == .unknownDriver)
  }
}
