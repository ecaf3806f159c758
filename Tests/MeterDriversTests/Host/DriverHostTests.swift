import Foundation
import MeterCore
import MeterDrivers
import Synchronization
import TestSupport
import Testing

@Suite struct DriverHostTests {
  static func bundle(defines: [String] = []) throws -> VerifiedBundle {
    try BundleVerifier.verify(
      path: CompiledBundle.make(defines: defines).path, expectedHash: nil, rules: BundleRules(allowsMissingHash: true))
  }

  static func event(_ fact: DriverFact, _ sequence: UInt64 = 1) -> DriverEvent {
    DriverEvent(sequence: sequence, monotonicNanoseconds: 5, unixMicroseconds: 6, fact: fact)
  }

  private func host(
    _ isolation: DriverHostConfiguration.Isolation = .worker, limit: Duration = .seconds(10)
  ) -> DriverHost {
    DriverHost(configuration: DriverHostConfiguration(isolation: isolation, eventLimit: limit))
  }

  private func fault(
    _ driver: String, limit: Duration = .seconds(10), value: [UInt8] = [1]
  ) async throws -> DriverFault {
    let session = try await host(limit: limit).open(Self.bundle(), driver: driver, opening: DriverOpening())
    let fault = await #expect(throws: DriverFault.self) {
      try await session.handle(Self.event(.notification(handle: 3, value)))
    }
    let after = await #expect(throws: DriverFault.self) { try await session.handle(Self.event(.timer, 2)) }
    #expect(after?.code == .closed)
    await session.close()
    // The host goes on with another session of the same bundle.
    let good = try await host().open(Self.bundle(), driver: "good", opening: DriverOpening())
    #expect(try await good.handle(Self.event(.notification(handle: 3, [62]))).records.count == 1)
    await good.close()
    return try #require(fault)
  }

  @Test func crashIsAFaultThatNamesTheSignal() async throws {
    let fault = try await fault("crash")
    #expect(fault.code == .crashed && fault.driver == "crash" && fault.message.contains("SIGSEGV"))
  }

  @Test func exitIsAFaultThatNamesTheStatus() async throws {
    let fault = try await fault("leave")
    #expect(fault.code == .crashed && fault.message.contains("exit status 7"))
  }

  @Test func endlessLoopIsStoppedByItsCPUTime() async throws {
    let fault = try await fault("spin")
    #expect(fault.code == .hung && fault.rule == "R16" && fault.message.contains("CPU"))
  }

  @Test(arguments: ["spin", "block"]) func hangIsStoppedByTheWallClock(driver: String) async throws {
    let fault = try await fault(driver, limit: .milliseconds(200))
    #expect(fault.code == .hung && fault.message.contains("in time"))
  }

  @Test(arguments: [0, 2, 8, 9, 11] as [UInt8]) func garbageThroughAWorkerIsTheSameFault(lie: UInt8) async throws {
    let remote = try await fault("garbage", value: [lie])
    let session = try await host(.inProcess).open(Self.bundle(), driver: "garbage", opening: DriverOpening())
    let local = await #expect(throws: DriverFault.self) {
      try await session.handle(Self.event(.notification(handle: 3, [lie])))
    }
    #expect(remote == local)
  }

  @Test func workersAndTheirFaultsAreCounted() async throws {
    let host = host()
    let heard = Mutex<[CountedEvent]>([])
    host.counted.listen { event in heard.withLock { $0.append(event) } }
    let good = try await host.open(Self.bundle(), driver: "good", opening: DriverOpening())
    _ = try await good.handle(Self.event(.notification(handle: 3, [62])))
    await good.close()
    let bad = try await host.open(Self.bundle(), driver: "crash", opening: DriverOpening())
    await #expect(throws: DriverFault.self) { try await bad.handle(Self.event(.notification(handle: 3, [1]))) }
    await bad.close()
    #expect(
      heard.withLock(\.self) == [
        .workerStarted(driver: "good"), .workerStarted(driver: "crash"), .workerFailed(driver: "crash", rule: "R24"),
      ])
  }

  @Test func crashAtEntryIsAFault() async throws {
    let bundle = try Self.bundle(defines: ["CRASHES_AT_ENTRY"])
    let fault = await #expect(throws: DriverFault.self) {
      try await host().open(bundle, driver: "good", opening: DriverOpening())
    }
    #expect(fault?.code == .crashed && fault?.message.contains("SIGABRT") == true)
  }

  @Test func refusalsComeThrough() async throws {
    let bundle = try Self.bundle()
    for isolation in DriverHostConfiguration.Isolation.allCases {
      let refused = await #expect(throws: DriverFault.self) {
        try await host(isolation).open(bundle, driver: "refuse", opening: DriverOpening())
      }
      #expect(refused?.code == .refused)
      let unknown = await #expect(throws: DriverFault.self) {
        try await host(isolation).open(bundle, driver: "nobody", opening: DriverOpening())
      }
      #expect(unknown?.code == .unknownDriver)
    }
  }

  @Test func missingWorkerIsAFaultThatNamesThePlace() async throws {
    let host = DriverHost(configuration: DriverHostConfiguration(workerPath: "/nowhere/worker"))
    let fault = await #expect(throws: DriverFault.self) {
      try await host.open(Self.bundle(), driver: "good", opening: DriverOpening())
    }
    #expect(fault?.code == .workerFailed && fault?.message.contains("/nowhere/worker") == true)
  }

  @Test func aWorkerThatIsSomethingElseIsAFault() async throws {
    let host = DriverHost(configuration: DriverHostConfiguration(workerPath: "/bin/true"))
    let fault = await #expect(throws: DriverFault.self) {
      try await host.open(Self.bundle(), driver: "good", opening: DriverOpening())
    }
    #expect(fault?.code == .workerFailed && fault?.cause?.contains("exit status 0") == true)
  }

  @Test func cancellationClosesTheSession() async throws {
    let session = try await host().open(Self.bundle(), driver: "block", opening: DriverOpening())
    let task = Task { try await session.handle(Self.event(.notification(handle: 3, [1]))) }
    task.cancel()
    let fault = await #expect(throws: DriverFault.self) { try await task.value }
    #expect(fault?.code == .cancelled)
    let after = await #expect(throws: DriverFault.self) { try await session.handle(Self.event(.timer)) }
    #expect(after?.code == .closed)
  }

  @Test func decodeIsTheSameOnBothSides() async throws {
    let items = (0..<9000).map { (number: Int) -> DecodeItem in
      let bytes = number % 7 == 0 ? [] : [UInt8(number % 256), UInt8(number % 3)]
      return DecodeItem(characteristic: 0x2a18, receivedMicroseconds: Int64(number), bytes: bytes)
    }
    let bundle = try Self.bundle()
    let remote = try await host().decode(bundle, driver: "good", opening: DriverOpening(), items: items)
    let local = try await host(.inProcess).decode(bundle, driver: "good", opening: DriverOpening(), items: items)
    #expect(remote == local)
    #expect(remote.count == 9000)
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt8]) func liesInDecodeAreTheSameFault(lie: UInt8) async throws {
    let items = [lie, 9].map { DecodeItem(characteristic: 1, receivedMicroseconds: 0, bytes: [$0]) }
    let bundle = try Self.bundle()
    var faults: [DriverFault?] = []
    for isolation in DriverHostConfiguration.Isolation.allCases {
      faults.append(
        await #expect(throws: DriverFault.self) {
          try await host(isolation).decode(bundle, driver: "garbage", opening: DriverOpening(), items: items)
        })
    }
    #expect(faults[0] == faults[1])
  }

  @Test func crashInDecodeIsAFault() async throws {
    let items = [DecodeItem(characteristic: 1, receivedMicroseconds: 0, bytes: [7])]
    let fault = await #expect(throws: DriverFault.self) {
      try await host().decode(Self.bundle(), driver: "garbage", opening: DriverOpening(), items: items)
    }
    #expect(fault?.code == .crashed)
  }

  @Test func driversOfABundleAreListedOnBothSides() async throws {
    let bundle = try Self.bundle()
    let remote = try await host().drivers(of: bundle)
    #expect(remote.count == 14)
    #expect(try await host(.inProcess).drivers(of: bundle) == remote)
  }

  @Test func closingTwiceIsHarmless() async throws {
    let session = try await host().open(Self.bundle(), driver: "good", opening: DriverOpening())
    await session.close()
    await session.close()
    let fault = await #expect(throws: DriverFault.self) { try await session.handle(Self.event(.timer)) }
    #expect(fault?.code == .closed)
  }
}
