import GatewayAPI
import GatewayEngine
import DriverContract
import MeterBluetooth
import MeterDrivers

/// The registry, and every driver of it in a worker.
extension Doctor {
  func examineDrivers() async -> [DoctorFinding] {
    let gateway: Gateway
    do {
      gateway = try Gateway(locations: locations)
    } catch {
      return [finding("registry", .failed, error.message, cure: error.hint)]
    }
    let registry = gateway.registry
    var findings = [
      registry.isDevelopment
        ? finding(
          "registry", .warning, "\(locations.registry) is marked development: drivers without a hash are accepted",
          cure: "seal the registry before it is used for readings (scripts/seal-registry)")
        : finding(
          "registry", .passed, "\(registry.peripherals.count) peripherals and \(registry.drivers.count) drivers")
    ]
    findings += registry.problems.map { finding("registry", .failed, $0.message, cure: nil) }
    findings += registry.warnings.map { finding("registry", .warning, $0.description, cure: nil) }
    findings += registry.ties().map { tie in
      let names = tie.map { "\(registry.peripheral(id: $0.id, kind: $0.kind)?.name ?? "") (\($0.id))" }
      return finding(
        "matching", .warning,
        "the rules of \(names.joined(separator: ", ")) tie: passive reading uses none of them [rule R21]",
        cure: "choose one for the device, or make one rule more specific; `meterhost driver why ID` shows the rules")
    }
    for driver in registry.drivers { findings.append(await examine(driver, gateway)) }
    return findings
  }

  /// Verifies a bundle, then starts it in a worker, which loads it and reads its tables: load, entry and isolation at once.
  private func examine(_ driver: DriverEntry, _ gateway: Gateway) async -> DoctorFinding {
    let check = "driver \(driver.id)"
    do {
      let bundle = try gateway.bundles.bundle(for: driver)
      if let (reason, cure) = driver.disagreement(with: try await gateway.drivers.drivers(of: bundle)) {
        return finding(check, .failed, "\(reason) [rule R19]", cure: cure)
      }
      return finding(check, .passed, "version \(driver.version), verified and started in a worker")
    } catch let error as BundleError {
      let refusal = Candidate(error)
      let rule = refusal.rule.map { " [rule \($0)]" } ?? ""
      return finding(check, .failed, "\(refusal.place): \(refusal.reason)\(rule)", cure: refusal.cure)
    } catch let error as RegistryError {
      return finding(check, .failed, "\(error.place): \(error.problem)", cure: error.cure)
    } catch let fault as DriverFault where fault.code == .workerFailed {
      return finding(
        check, .failed, fault.message,
        cure: "install MeterHost again, or name the worker with --worker or METERHOST_WORKER")
    } catch {
      return finding(check, .failed, "\(error)", cure: "install the driver again, or look at its maker's notes")
    }
  }
}
