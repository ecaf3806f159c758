import DriverRuntime
import DriverContract
import Foundation
import Glibc
import TestSupport
import Testing

@testable import MeterDrivers

/// Real workers, and a stand-in for the kernel's control groups.
@Suite("A worker in a group", .timeLimit(.minutes(60))) struct GroupedWorkerTests {
  private static let name = "meterhost.worker.1"

  private func host(_ kernel: SimulatedControlGroups, worker: String = BuildProducts.worker.path) throws -> DriverHost {
    let host = DriverHost(configuration: DriverHostConfiguration(workerPath: worker))
    host.group(by: try WorkerGroups(process: 1, files: kernel) { Issue.record("\($0)") })
    return host
  }

  private func open(_ host: DriverHost) async throws -> any DriverSession {
    try await host.open(DriverHostTests.bundle(), driver: "good", opening: DriverOpening())
  }

  private let value = DriverHostTests.event(.notification(handle: 3, [62]))

  @Test("is in it for its session, with the limits of its work, and it goes with the worker")
  func session() async throws {
    let kernel = SimulatedControlGroups()
    let session = try await open(try host(kernel))
    #expect(kernel.processes(in: Self.name).count == 1)
    #expect(kernel.limits(of: Self.name)["memory.max"] == "\(DriverLimits.greatest.workerBytes)")
    #expect(try await session.handle(value).records.count == 1)
    #expect(await session.close() == nil)
    #expect(kernel.groups == ["meterhost.host"])
  }

  @Test("is in it while it waits, with the limit of the largest work, and gets its own before it has its bundle")
  func spare() async throws {
    let kernel = SimulatedControlGroups()
    let host = try host(kernel)
    host.pool.fill(to: 1)
    #expect(kernel.processes(in: Self.name).count == 1)
    #expect(kernel.limits(of: Self.name)["memory.max"] == "\(WorkerGroups.ofAnyWork.workerBytes)")
    kernel.forgetLog()
    let session = try await open(host)
    // No group is made, and no process is moved, while a meter waits.
    #expect(kernel.log == ["\(Self.name)/memory.max = \(DriverLimits.greatest.workerBytes)"])
    #expect(try await session.handle(value).records.count == 1)
    #expect(await session.close() == nil)
    #expect(kernel.groups == ["meterhost.host"])
  }

  /// The counter of ended processes alone tells nothing: it counts as well who had to go because the machine was short of memory.
  @Test(
    "that the kernel ends is the driver's offence when its own group was full",
    arguments: [
      (1, SIGKILL, .brokeRule, "R16"), (0, SIGKILL, .killed, nil), (1, SIGSEGV, .crashed, "R24"),
    ] as [(Int, Int32, DriverFault.Code, String?)])
  func ended(oom: Int, signal: Int32, code: DriverFault.Code, rule: String?) async throws {
    let kernel = SimulatedControlGroups()
    let session = try await open(try host(kernel))
    kernel.count(Self.name, oom: oom, kills: 1)
    for process in kernel.processes(in: Self.name) where process > 1 { kill(process, signal) }
    let fault = await #expect(throws: DriverFault.self) { try await session.handle(value) }
    #expect(fault?.code == code && fault?.message.contains("memory") == (code != .crashed))
    #expect(fault?.rule == rule)
    #expect(fault.map(QuarantinePolicy().isOffence) == (code != .killed))
    await session.close()
    #expect(kernel.groups == ["meterhost.host"])
  }

  @Test("that is ended before it has its bundle is no offence of the bundle") func endedAtStart() async throws {
    try await Sandbox.with { sandbox in
      let kernel = SimulatedControlGroups()
      let worker = try sandbox.file("worker", "#!/bin/sh\nexec sleep 1000\n", mode: 0o755)
      let host = try host(kernel, worker: worker)
      kernel.endWhoEnters()
      let fault = await #expect(throws: DriverFault.self) { _ = try await open(host) }
      #expect(fault?.code == .workerFailed && fault?.cause?.contains("control group") == true)
      #expect(fault.map(QuarantinePolicy().isOffence) == false)
      #expect(kernel.groups == ["meterhost.host"])
    }
  }

  @Test(
    "whose group cannot be made reads all the same", arguments: ["/meterhost.worker.1", "memory.max", "cgroup.procs"])
  func withoutGroup(path: String) async throws {
    let kernel = SimulatedControlGroups()
    let host = DriverHost(configuration: DriverHostConfiguration(workerPath: BuildProducts.worker.path))
    host.group(by: try WorkerGroups(process: 1, files: kernel) { _ in })
    kernel.fail(path, EACCES)
    let session = try await open(host)
    #expect(try await session.handle(value).records.count == 1)
    #expect(await session.close() == nil)
  }
}
