import DriverContract
import DriverRuntime
import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

@Suite struct WorkerProcessTests {
  private func start() throws -> (WorkerProcess, socket: Int32) {
    try WorkerProcess.start(path: WorkerLocation.find(nil))
  }

  @Test func killedWorkerIsReapedOnce() throws {
    let (process, socket) = try start()
    defer { close(socket) }
    process.kill()
    #expect(process.end(patience: .seconds(10)) == .killed(signal: SIGKILL))
    #expect(process.end(patience: .zero) == .killed(signal: SIGKILL))
    process.kill()
  }

  /// Programs in the place of the worker: what they do before a bundle runs is no fault of the bundle.
  @Test(arguments: [
    ("exit 76", DriverFault.Code.workerFailed), ("exit 71", .workerFailed),
    // The head of a frame of version 9; one that is too long; a message that comes later.
    ("printf '\\000\\000\\000\\000\\100\\011\\000\\000' >&3; read answer <&3", .workerFailed),
    ("printf '\\377\\377\\377\\377\\100\\004\\000\\000' >&3; read answer <&3", .workerFailed),
    ("printf '\\000\\000\\000\\000\\101\\004\\000\\000' >&3; read answer <&3", .workerFailed),
    ("exit 3", .workerFailed), ("exit 0", .workerFailed), ("kill -SEGV $$", .workerFailed),
    ("exec 3>&-; exec sleep 1000", .workerFailed),
    ("kill -TERM $$", .killed), ("kill -HUP $$", .killed), ("kill -KILL $$", .killed),
  ])
  func aWorkerThatIsNotOursIsNoFaultOfTheDriver(script: String, code: DriverFault.Code) async throws {
    try await Sandbox.with { sandbox in
      let worker = try sandbox.file("worker", "#!/bin/sh\n\(script)\n", mode: 0o755)
      let host = DriverHost(configuration: DriverHostConfiguration(workerPath: worker, spares: 0))
      let fault = await #expect(throws: DriverFault.self) {
        _ = try await host.open(DriverHostTests.bundle(), driver: "drivers", opening: DriverOpening())
      }
      #expect(fault?.code == code, "\(script): \(fault.map { "\($0)" } ?? "")")
      #expect(fault.map(QuarantinePolicy().isOffence) == false)
    }
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT])
  func aWorkerOutlivesWhatStopsAWholeService(signal: Int32) throws {
    let (process, socket) = try start()
    let client = WorkerClient(socket: socket, driver: "d", services: KeyService())
    _ = try client.load(DriverHostTests.bundle().descriptor, name: "drivers", within: .seconds(10))
    process.signal(signal)
    #expect(throws: WorkerFailure.self) { try client.open(DriverOpening(), within: .seconds(10)) }
    #expect(process.isRunning)
  }

  /// A driver can stop its own clock; the one that its host has set it cannot, also when nobody waits for it.
  @Test func aWorkerThatIsBusyBetweenTwoEventsEnds() throws {
    let (process, socket) = try start()
    let client = WorkerClient(socket: socket, driver: MisbehavingDriver.id, services: KeyService()) {
      process.grantCPU(milliseconds: $0)
    }
    _ = try client.load(MisbehavingDriver.bundle().descriptor, name: "kit", within: .seconds(60))
    try client.open(MisbehavingDriver.opening("spin-behind", at: .event), within: .seconds(60))
    for sequence in 1...2 {
      let event = DriverEvent(
        sequence: UInt64(sequence), monotonicNanoseconds: UInt64(sequence), unixMicroseconds: 0, fact: .timer)
      _ = try client.handle(event, within: .seconds(60))
    }
    #expect(process.end(patience: .seconds(600)) == .killed(signal: SIGXCPU))
  }

  @Test func workerGoesWhenItsHostGoes() throws {
    let (process, socket) = try start()
    close(socket)
    #expect(process.end(patience: .seconds(10)) == .exited(0))
  }

  @Test(arguments: ["spin", "block"]) func hungWorkerGoesWhenItsHostGoes(driver: String) throws {
    let (process, socket) = try start()
    try hang(WorkerClient(socket: socket, driver: driver, services: KeyService()))
    guard case .exited(0) = process.end(patience: .seconds(10)) else {
      Issue.record("the worker outlived its host")
      return
    }
  }

  /// The client takes its socket away with it when it goes.
  private func hang(_ client: consuming WorkerClient) throws {
    _ = try client.load(DriverHostTests.bundle().descriptor, name: "drivers", within: .seconds(10))
    try client.open(DriverOpening(), within: .seconds(10))
    let event = DriverHostTests.event(.notification(handle: 3, [1]))
    let failure = #expect(throws: WorkerFailure.self) { try client.handle(event, within: .milliseconds(50)) }
    guard case .late = failure else {
      Issue.record("the driver came back")
      return
    }
  }

  @Test(
    arguments: [
      [255, 255, 255, 255, 1, 1, 0, 0], [0, 0, 0, 0, 99, 1, 0, 0], [0, 0, 0, 0, 1, 9, 0, 0],
      [2, 0, 0, 0, 1, 1, 0, 0, 1, 1],
      [8, 0, 0, 0, 4, 1, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255],
    ] as [[UInt8]])
  func workerRefusesAHostThatTalksNonsense(bytes: [UInt8]) throws {
    let (process, socket) = try start()
    defer { close(socket) }
    #expect(write(socket, bytes, bytes.count) == bytes.count)
    #expect(process.end(patience: .seconds(10)) == .exited(76))
  }

  @Test func everyPlaceIsNamedWhenTheWorkerIsMissing() throws {
    #expect(
      WorkerLocation.besides("/opt/bin") == [
        "/opt/bin/meterhost-worker", "/opt/bin/../libexec/meterhost/meterhost-worker",
      ])
    #expect(try WorkerLocation.find(nil).hasSuffix("/meterhost-worker"))
  }
}
