import DriverContract
import Foundation
import MeterCore
import MeterDrivers
import MeterOCR
import Synchronization
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayEngine
import GatewayTools

/// R24: who is set aside when a driver fails while a display is read, and who is not.
@Suite("R24 quarantine of drivers that read displays", .timeLimit(.minutes(60))) struct DisplayQuarantineTests {
  /// Meters by what the driver does with them: numbers of display.h.
  private static let good: UInt32 = 1
  private static let other: UInt32 = 2
  private static let layoutOffence: UInt32 = 101
  private static let lies: [UInt32] = [200, 201, 202]
  private static let spin: UInt32 = 220
  private static let abort: UInt32 = 221
  private static let verdictOffence: UInt32 = 300
  private static let meters = [good, other, layoutOffence] + lies + [spin, abort, verdictOffence]

  private struct Bench {
    let sandbox: Sandbox
    let registry: URL
    let gateway: Gateway
    let owner: GatewayOwner

    init(_ sandbox: Sandbox, loading offence: String? = nil, decoder: DisplayRegistry.Decoder = .shipped) throws {
      self.sandbox = sandbox
      registry = try DisplayRegistry(
        in: sandbox, meters: DisplayQuarantineTests.meters, loading: offence, decoder: decoder
      ).file
      gateway = try Self.gateway(registry, sandbox, worker: Installation.shared().worker.path)
      owner = GatewayOwner(
        gateway: gateway, store: try MeterStore(folder: URL(filePath: sandbox.path("state"))))
    }

    private static func gateway(_ registry: URL, _ sandbox: Sandbox, worker: String) throws -> Gateway {
      var settings = GatewayLocations.Settings()
      settings.registry = registry.path
      settings.fragments = try Installation.shared().fragments.path
      settings.state = sandbox.path("state")
      settings.worker = worker
      return try Gateway(locations: GatewayLocations(settings: settings))
    }

    /// The owner of the store, behind a socket.
    var judge: DisplayJudge {
      let owner = owner
      return DisplayJudge(
        verdict: { try Self.sent($0).perform(on: owner) }, note: { _ = try Self.sent($0).perform(on: owner) })
    }

    static func sent<R: ControlRequest>(_ request: R) throws -> R {
      try JSONDecoder().decode(R.self, from: JSONEncoder().encode(request))
    }

    func open(_ meter: UInt32) async throws(GatewayError) -> DisplayDesk {
      try await DisplayDesk.open(meter, in: gateway, judge: judge)
    }

    /// What opening a meter fails with; nil when it opens.
    func refusal(_ meter: UInt32, isJudged: Bool = true) async -> GatewayError? {
      await refusal(meter, in: gateway, isJudged ? judge : nil)
    }

    /// The same in a gateway that can start no worker.
    func refusalWithoutWorker(_ meter: UInt32) async throws -> GatewayError? {
      await refusal(meter, in: try Self.gateway(registry, sandbox, worker: "/nonexistent/worker"), judge)
    }

    private func refusal(_ meter: UInt32, in gateway: Gateway, _ judge: DisplayJudge?) async -> GatewayError? {
      do throws(GatewayError) {
        let desk = try await DisplayDesk.open(meter, in: gateway, judge: judge)
        await desk.close()
        return nil
      } catch { return error }
    }

    /// Looks at one frame, with a worker of its own.
    func look(_ meter: UInt32) async throws -> DriverFault? {
      let desk = try await open(meter)
      do throws(DriverFault) {
        _ = try await desk.recogniser.recognize(DisplayQuarantineTests.frame, meter: meter)
        await desk.close()
        return nil
      } catch {
        await desk.close()
        return error
      }
    }

    var hash: BundleHash {
      get throws {
        try gateway.registry.displayDriver(for: gateway.display(DisplayQuarantineTests.good)).bundle.hash
      }
    }

    /// 112 mg/dL, read by a bundle.
    func submission(_ meter: UInt32, bundle: BundleHash?) throws -> DisplaySubmitRequest {
      let metric = try #require(Metric.named("blood_glucose").first)
      let unit = try #require(MetricUnit.withUCUM("mg/dL"))
      let value = DisplayMeasurement.Value(metric: metric.code, unit: unit.code, raw: 112, exponent: 0)
      var request = DisplaySubmitRequest(
        reading: UUID(), peripheral: meter, generation: try DisplayStartRequest().perform(on: owner).generation,
        measurements: [DisplayMeasurement(flags: 0, values: [value])], moment: .now(clockIsVouched: true), picture: nil)
      request.delivers = false
      request.bundle = bundle?.description
      return request
    }
  }

  private static let frame = DisplayFrame(
    image: GreyImage(width: 64, height: 48, pixels: [UInt8](repeating: 255, count: 64 * 48)), isStill: false,
    place: .overlay(ImageBox(x: 4, y: 4, width: 40, height: 30)))

  private func with(
    loading offence: String? = nil, decoder: DisplayRegistry.Decoder = .shipped, _ body: (Bench) async throws -> Void
  ) async throws {
    try await Sandbox.with { try await body(Bench($0, loading: offence, decoder: decoder)) }
  }

  // MARK: - With a meter

  @Test("a second fault sets the meter aside before a worker is started, and other meters are read")
  func twoFaults() async throws {
    try await with { (bench: Bench) async throws in
      for count in 1...2 {
        #expect(try await bench.look(Self.abort)?.code == .crashed)
        let offence = try #require(try bench.owner.store.offences().first)
        #expect(offence.meter?.name == "display \(Self.abort)" && offence.count == count)
        #expect(offence.driver == DisplayRegistry.display && offence.code == "crashed" && offence.recording == nil)
      }
      let refused = try #require(try await bench.refusalWithoutWorker(Self.abort))
      #expect(refused.code == "driver_quarantined" && refused.kind == .failed)
      #expect(refused.message.contains("meterhost driver quarantine"))
      #expect(try await bench.refusalWithoutWorker(Self.good)?.code == "driver_unavailable")
      #expect(try await bench.look(Self.good) == nil)
      // Another build starts anew; who tries it out without a judge may.
      let free = DisplayVerdictRequest(bundles: [BundleHash(of: [1])], peripheral: Self.abort)
      #expect(try free.perform(on: bench.owner).words == nil)
      #expect(await bench.refusal(Self.abort, isJudged: false) == nil)
      let lifted = try QuarantineLiftRequest(driver: DisplayRegistry.display, meter: "display \(Self.abort)")
        .perform(on: bench.owner)
      #expect(lifted.map(\.state) == [.setAside])
      #expect(await bench.refusal(Self.abort) == nil)
    }
  }

  @Test("a reading that the driver breaks off is noted once")
  func reading() async throws {
    try await with { (bench: Bench) async throws in
      let desk = try await bench.open(Self.abort)
      let controller = try desk.controller(.demo(["120", ""]))
      guard case .failed(.driver(let fault)) = await controller.result else {
        Issue.record("a driver that crashes has read a display")
        return
      }
      #expect(fault.code == .crashed)
      await controller.close()
      await desk.close()
      #expect(try bench.owner.store.offences().map(\.count) == [1])
    }
  }

  @Test("what a driver makes of texts is judged as well")
  func texts() async throws {
    try await with { (bench: Bench) async throws in
      let desk = try await bench.open(Self.verdictOffence)
      let fault = await #expect(throws: DriverFault.self) {
        try await desk.recogniser.interpret(["1", ""], meter: Self.verdictOffence, unit: nil)
      }
      #expect(fault?.code == .brokeRule)
      await desk.close()
      #expect(try bench.owner.store.offences().map(\.code) == ["broke_rule"])
    }
  }

  @Test("a bundle that fails with three meters is set aside for all")
  func threeMeters() async throws {
    try await with { (bench: Bench) async throws in
      for meter in Self.lies {
        #expect(await bench.refusal(Self.good) == nil)
        #expect(try await bench.look(meter)?.code == .brokeRule)
      }
      let refused = try await bench.refusalWithoutWorker(Self.good)
      #expect(refused?.code == "driver_quarantined" && refused?.message.contains("is in quarantine") == true)
    }
  }

  @Test("who gives up, and a worker that is killed from outside, count against nobody")
  func nobody() async throws {
    try await with { (bench: Bench) async throws in
      let desk = try await bench.open(Self.spin)
      let task = Task { try await desk.recogniser.recognize(Self.frame, meter: Self.spin) }
      task.cancel()
      let fault = await #expect(throws: DriverFault.self) { try await task.value }
      #expect(fault?.code == .cancelled)
      await desk.close()
      for code in [DriverFault.Code.killed, .cancelled, .closed, .refused, .workerFailed] {
        let fault = DriverFault(code, driver: DisplayRegistry.display, message: "it is not to blame")
        let request = DisplayFaultRequest(
          fault, driver: fault.driver, bundle: try bench.hash, peripheral: Self.spin)
        #expect(request == nil, "\(code)")
      }
      #expect(try bench.owner.store.offences().isEmpty)
    }
  }

  @Test("a reading that was submitted makes the next fault the first again")
  func success() async throws {
    try await with { (bench: Bench) async throws in
      #expect(try await bench.look(Self.abort)?.code == .crashed)
      let hash = try bench.hash
      for bundle in [nil, BundleHash(of: [1])] {
        _ = try await Bench.sent(bench.submission(Self.abort, bundle: bundle)).perform(on: bench.owner)
      }
      _ = try await bench.submission(Self.other, bundle: hash).perform(on: bench.owner)
      #expect(try bench.owner.store.offences().map(\.count) == [1])
      let answer = try await Bench.sent(bench.submission(Self.abort, bundle: hash)).perform(on: bench.owner)
      #expect(answer.records.map(\.outcome) == [.new])
      #expect(try bench.owner.store.offences().isEmpty)
    }
  }

  // MARK: - By itself

  @Test("a driver that crashes twice when it is loaded is set aside for all")
  func loading() async throws {
    try await with(loading: "abort") { (bench: Bench) async throws in
      #expect(await bench.refusal(Self.good, isJudged: false)?.code == "driver_fault")
      #expect(try bench.owner.store.offences().isEmpty)
      #expect(await bench.refusal(Self.good)?.code == "driver_fault")
      let offence = try #require(try bench.owner.store.offences().first)
      #expect(offence.meter == nil && offence.count == 1 && offence.driver == DisplayRegistry.display)
      #expect(try await bench.refusalWithoutWorker(Self.other)?.code == "driver_quarantined")
    }
  }

  @Test("so is one whose layout breaks a rule, and not one that refuses")
  func layout() async throws {
    try await with { (bench: Bench) async throws in
      #expect(await bench.refusal(Self.layoutOffence)?.code == "driver_fault")
      #expect(try await bench.refusalWithoutWorker(Self.good)?.code == "driver_quarantined")
    }
    try await with(loading: "status") { (bench: Bench) async throws in
      #expect(await bench.refusal(Self.good) != nil)
      #expect(try bench.owner.store.offences().isEmpty)
    }
  }

  private final class Attempts: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  @Test("a start that succeeds the second time is no offence")
  func secondStart() async throws {
    try await with { (bench: Bench) async throws in
      let driver = try bench.gateway.registry.displayDriver(for: bench.gateway.display(Self.good))
      let attempts = Attempts()
      let number = try await DisplayDesk.started(driver, bench.judge) { driver async throws(DriverFault) in
        let attempt = attempts.next()
        guard attempt > 1 else { throw DriverFault(.hung, driver: driver.entry.id, rule: "R16", message: "it hung") }
        return attempt
      }
      #expect(number == 2)
      #expect(try bench.owner.store.offences().isEmpty)
    }
  }

  @Test(
    "a failed self-test keeps the driver away from displays",
    arguments: [
      DisplayRegistry.display, DisplayRegistry.shippedImages,
    ])
  func selfTest(driver: String) async throws {
    try await with { (bench: Bench) async throws in
      let fault = DriverFault(.crashed, driver: driver, rule: "R24", message: "function self_test: the driver crashed")
      _ = try #require(SelfTestFaultRequest(driver: driver, fault)).perform(on: bench.owner)
      let refused = try await bench.refusalWithoutWorker(Self.good)
      #expect(refused?.code == "driver_quarantined" && refused?.message.contains(driver) == true)
    }
  }

  // MARK: - Pictures

  @Test("a decoder that nobody can load is set aside")
  func decoder() async throws {
    try await with(decoder: .broken) { (bench: Bench) async throws in
      #expect(await bench.refusal(Self.good)?.code == "driver_fault")
      #expect(try bench.owner.store.offences().map(\.driver) == [DisplayRegistry.images])
      let refused = try await bench.refusalWithoutWorker(Self.good)
      #expect(refused?.code == "driver_quarantined" && refused?.message.contains(DisplayRegistry.images) == true)
    }
  }

  @Test("a file that crashes the decoder is somebody's file")
  func hostileFile() async throws {
    try await with(decoder: .fixture) { (bench: Bench) async throws in
      // images.c: abort.
      let file = try bench.sandbox.file("picture", "P\u{6}\u{4}\u{0}\u{3}\u{0}")
      for _ in 1...3 {
        let desk = try await bench.open(Self.good)
        let controller = try desk.controller(.pictures([file]))
        guard case .failed(.source(let error)) = await controller.result else {
          Issue.record("a file that crashes its decoder was read")
          return
        }
        #expect(error.code == .decoderFailed)
        await controller.close()
        await desk.close()
      }
      #expect(try bench.owner.store.offences().isEmpty)
    }
  }
}
