import BluetoothWire
import Foundation
import MeterDrivers
import VirtualMeter
import TestSupport

@testable import MeterBluetooth

extension ReadBench {
  /// A host and meters that share a virtual air, until the body is through.
  static func withAir(
    _ meters: [VirtualMeter], staged: StagedRegistry? = nil,
    isolation: DriverHostConfiguration.Isolation = .worker, radio: (VirtualRadio) -> any Radio = { $0 },
    _ body: (ReadBench, VirtualAir) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let air = VirtualAir(folder: folder.url.path)
    let running = meters.map { meter in Task { try await meter.run(in: air) } }
    let result: Result<Void, any Error>
    do {
      result = .success(
        try await body(
          ReadBench(radio(VirtualRadio(air: air, clock: .ofTest)), staged: staged, isolation: isolation), air))
    } catch {
      result = .failure(error)
    }
    for task in running {
      task.cancel()
      _ = await task.result
    }
    try result.get()
  }
}
