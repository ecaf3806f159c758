import Foundation
import MeterCore
import TestSupport
import Testing

@testable import MeterDrivers

/// Records sessions with the driver of Tests/Fixtures/DriverBundle/recorded.c and of drivers.c.
enum RecordingBench {
  static func bundle(defines: [String] = []) throws -> VerifiedBundle {
    try BundleVerifier.verify(
      path: CompiledBundle.make(["recorded.c"], defines: defines).path, expectedHash: nil,
      rules: BundleRules(allowsMissingHash: true))
  }

  static let key = Array("a key that is used by name only".utf8)
  static let readable = Array("a key that may be read".utf8)

  static func keys() -> KeyService {
    KeyService(keys: [
      "credential/key": SessionKey(key, isReadable: false),
      "credential/readable": SessionKey(readable, isReadable: true),
    ])
  }

  static let opening = DriverOpening(
    peripheralID: 1000, unixMicroseconds: 1_700_000_000_000_000, address: [1, 2, 3, 4, 5, 6],
    storage: ["user/cursor": [1, 2, 3]], assets: ["table": [9, 9, 9]])

  static func events(_ values: [[UInt8]]) -> [DriverEvent] {
    ([DriverFact.connected(mtu: 23)] + values.map { DriverFact.notification(handle: 3, $0) }).enumerated().map {
      DriverEvent(
        sequence: UInt64($0 + 1), monotonicNanoseconds: UInt64($0) * 1_000_000, unixMicroseconds: Int64($0), fact: $1)
    }
  }

  /// Runs a session and gives what was recorded of it.
  ///
  /// - Parameter refusing: A fault that the host finds in the last output.
  static func record(
    _ values: [[UInt8]], bundle: VerifiedBundle? = nil, driver: String = "recorded",
    isolation: DriverHostConfiguration.Isolation = .worker, limits: SessionRecorder.Limits = .init(),
    limit: Duration = .seconds(10), refusing: DriverFault? = nil, worker: String? = nil,
    before: (Int) -> Void = { _ in }
  ) async throws -> Recording {
    let bundle = try bundle ?? self.bundle()
    let recorder = SessionRecorder(limits: limits)
    let host = DriverHost(
      configuration: DriverHostConfiguration(isolation: isolation, workerPath: worker, eventLimit: limit))
    if let session = try? await host.open(
      bundle, driver: driver, opening: opening, services: keys(), recorder: recorder)
    {
      for (number, event) in events(values).enumerated() {
        before(number)
        guard let unit = try? await session.handle(event), unit.sessionGoesOn else { break }
      }
      await session.close()
    }
    if let refusing { recorder.refuseOutput(refusing) }
    return try recording(recorder, bundle, driver)
  }

  static func recording(_ recorder: SessionRecorder, _ bundle: VerifiedBundle, _ driver: String) throws -> Recording {
    try Recording(head: head(recorder, bundle, driver), content: recorder.content)
  }

  static func head(_ recorder: SessionRecorder, _ bundle: VerifiedBundle, _ driver: String) -> RecordingHead {
    RecordingHead(
      id: [UInt8](repeating: 7, count: 16), origin: .session, createdMicroseconds: 1_700_000_000_000_000,
      driver: driver, driverVersion: "1.0.0", bundleName: bundle.name, bundleHash: bundle.hash, contract: .host,
      hostVersion: "test", peripheral: 1000, meterTag: [1, 2, 3, 4, 5, 6, 7, 8],
      end: recorder.fault == nil ? .orderly : .fault, fault: recorder.fault?.code.rawValue ?? "",
      events: recorder.extent.events, isTruncated: recorder.extent.isTruncated)
  }

  static func replay(
    _ recording: Recording, bundle: VerifiedBundle? = nil, isolation: DriverHostConfiguration.Isolation = .worker,
    limit: Duration = .seconds(10)
  ) async throws -> ReplayReport {
    let host = DriverHost(configuration: DriverHostConfiguration(isolation: isolation, eventLimit: limit))
    return try await RecordingReplay(host: host).run(
      recording, bundle: bundle ?? self.bundle(), allowingOther: bundle != nil)
  }
}

/// A state folder of one test's own.
final class RecordingState {
  let url: URL
  let store: MeterStore

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "mh-rec-\(UUID().uuidString)")
    store = try MeterStore(folder: url)
  }

  /// A copy of another one's files, as another process finds them.
  init(copying other: RecordingState) throws {
    url = FileManager.default.temporaryDirectory.appending(path: "mh-rec-\(UUID().uuidString)")
    try FileManager.default.copyItem(at: other.url, to: url)
    store = try MeterStore(folder: url)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var names: [String] { store.recordings.files.map(\.name) }

  /// A recorder that holds one orderly session, and what it ran.
  func recorder(_ values: [[UInt8]] = [[9]]) async throws -> (SessionRecorder, VerifiedBundle) {
    let recorder = SessionRecorder()
    let bundle = try RecordingBench.bundle()
    let session = try await DriverHost(configuration: DriverHostConfiguration(isolation: .inProcess)).open(
      bundle, driver: "recorded", opening: RecordingBench.opening, services: RecordingBench.keys(), recorder: recorder)
    for event in RecordingBench.events(values) { _ = try await session.handle(event) }
    await session.close()
    return (recorder, bundle)
  }

  /// Writes one recording.
  func write(_ address: [UInt8] = [1, 2, 3, 4, 5, 6]) async throws -> String {
    let (recorder, bundle) = try await recorder()
    var opening = RecordingBench.opening
    opening.address = address
    return try RecordingWriter(store: store).write(
      recorder, bundle: bundle, driver: try Self.entry, opening: opening,
      generation: try store.currentSession().generation, knowsDate: true)
  }

  /// The driver's entry, as the repository's registry has one.
  static var entry: DriverEntry {
    get throws {
      let registry = try Registry.load(
        RegistrySources(base: CompiledBundle.root.appending(path: "registry.json").path))
      return try #require(registry.drivers.first { $0.id.contains("glucose") })
    }
  }
}
