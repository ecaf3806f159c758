import DriverRuntime
import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

/// Extensions of any kind in the real worker: what no host says is a typed refusal, and no crash.
@Suite("Payloads of extensions", .timeLimit(.minutes(60))) struct ExtensionPayloadTests {
  /// A driver that offers an extension, and what it is opened with.
  private static func subject(
    _ kind: DriverExtension
  ) throws -> (bundle: VerifiedBundle, driver: String, opening: ExtensionPayload) {
    switch kind {
    case .ocr:
      (try DisplayBench.bundle(), DisplayBench.display, DisplayClient.opening(assets: DisplayBench.files))
    case .image: (try DisplayBench.bundle(), DisplayBench.images, ExtensionPayload())
    case .conversation:
      (
        try ConversationBench.bundle(), ConversationBench.driver,
        ConversationClient.opening(ConversationOpening(source: "groups"))
      )
    case .import:
      (try ImportBench.bundle(), ImportBench.driver, ImportClient.opening(ImportOpening(source: "lines")))
    }
  }

  /// A client of a worker in which the driver's bundle is loaded.
  private static func client(_ kind: DriverExtension) throws -> (WorkerProcess, WorkerClient, ExtensionPayload) {
    let subject = try subject(kind)
    let (process, socket) = try WorkerProcess.start(path: BuildProducts.worker.path)
    let client = WorkerClient(socket: socket, driver: subject.driver)
    _ = try client.load(subject.bundle.descriptor, name: subject.bundle.name, within: .seconds(10))
    return (process, client, subject.opening)
  }

  private static func refusal(_ body: () throws(WorkerFailure) -> Void) -> DriverFault? {
    do throws(WorkerFailure) {
      try body()
      return nil
    } catch {
      guard case .fault(let fault) = error else {
        Issue.record("\(error)")
        return nil
      }
      return fault
    }
  }

  private static func kind(_ id: DriverExtension) throws -> ExtensionKind {
    try #require(ExtensionServers.kind(id.rawValue))
  }

  @Test("what means nothing is refused, and the worker can be asked on", arguments: DriverExtension.allCases)
  func garbage(id: DriverExtension) throws {
    let kind = try Self.kind(id)
    let driver = try Self.subject(id).driver
    let (process, client, opening) = try Self.client(id)
    let limit = Duration.seconds(10)
    let unopened = Self.refusal { () throws(WorkerFailure) in
      _ = try client.call(kind, ExtensionPayload(), within: limit)
    }
    #expect(unopened?.code == .closed)
    for payload in [[9], [UInt8](repeating: 255, count: 40), opening.bytes + [0]] as [[UInt8]] {
      let fault = Self.refusal { () throws(WorkerFailure) in
        try client.open(kind, ExtensionPayload(payload), within: limit)
      }
      #expect(fault?.code == .refused && fault?.driver == driver, "\(payload.count) bytes")
      #expect(fault.map(QuarantinePolicy().isOffence) == false)
    }
    try client.open(kind, opening, within: limit)
    var random = SeededGenerator(seed: 41)
    let payloads: [[UInt8]] =
      [[], [0], [255], [UInt8](repeating: 255, count: 64)]
      + (0..<64).map { _ in
        [255] + (0..<Int.random(in: 0...48, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
    for payload in payloads {
      let fault = Self.refusal { () throws(WorkerFailure) in
        _ = try client.call(kind, ExtensionPayload(payload), within: limit)
      }
      #expect(fault?.code == .refused, "\(payload)")
    }
    #expect(process.isRunning)
    try client.close(within: limit)
  }

  @Test("a payload above what its kind allows is not sent", arguments: DriverExtension.allCases)
  func tooLong(id: DriverExtension) throws {
    let kind = try Self.kind(id)
    let (process, client, opening) = try Self.client(id)
    try client.open(kind, opening, within: .seconds(10))
    let payload = ExtensionPayload([UInt8](repeating: 0, count: kind.longestQuestion + 1))
    #expect(throws: WorkerFailure.self) { try client.call(kind, payload, within: .seconds(10)) }
    #expect(process.isRunning)
  }
}
