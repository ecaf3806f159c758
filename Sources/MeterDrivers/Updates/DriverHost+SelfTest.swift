import DriverContract
import DriverRuntime

extension DriverHost {
  /// Starts a bundle in a worker, compares its tables with its drivers' entries, and calls `self_test` of each driver that
  /// has one. No meter has a part in it.
  ///
  /// - Returns: What it fails with; nil: with nothing.
  package func selfTest(_ bundle: VerifiedBundle, entries: [DriverEntry]) async -> String? {
    for driver in entries {
      do throws(DriverFault) {
        let told = try await drivers(of: bundle)
        if let (reason, _) = driver.disagreement(with: told) { return reason }
      } catch {
        // What the machine has done to a worker says nothing about the bundle.
        if error.condemnsBundle { return error.message }
        continue
      }
      guard let function = driver.functions.first(where: { $0.name == "self_test" }),
        let call = try? FunctionCall(function.name, function.signature, [])
      else { continue }
      do throws(DriverFault) {
        let answer = try await self.call(bundle, driver: driver, call)
        guard answer.status == 0 else { return answer.explanation ?? answer.statusName }
      } catch {
        if error.condemnsBundle { return error.message }
      }
    }
    return nil
  }
}
