import DriverRuntime

extension DriverEntry {
  /// Loads a bundle in a worker and compares its tables with this entry (rule R19).
  ///
  /// - Throws: ``PackageError`` with code `driver_refused`.
  func checkStart(of bundle: VerifiedBundle, in host: DriverHost) async throws(PackageError) {
    let drivers: [DriverDescription]
    do throws(DriverFault) { drivers = try await host.drivers(of: bundle) } catch {
      throw PackageError(.driverRefused, "\(error)", cure: "ask its maker for one that works")
    }
    if let (reason, cure) = disagreement(with: drivers) {
      throw PackageError(.driverRefused, "\(reason) [rule R19]", cure: cure)
    }
  }
}
