package import GatewayAPI
import Foundation
import MeterBluetooth
import MeterCore
internal import MeterDrivers

extension QuarantineListRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> [OffenceDescription] {
    let offences = try owner.store.offences().filter { driver == nil || $0.driver == driver }
    return offences.map { OffenceDescription($0, now: MeterStore.wallClockMicroseconds) }
  }
}

extension QuarantineLiftRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `not_in_quarantine`.
  package func perform(on owner: GatewayOwner) throws -> [OffenceDescription] {
    let lifted = try owner.store.offences().filter {
      $0.driver == driver && (meter == nil || $0.meter?.name.uppercased() == meter?.uppercased())
    }
    guard !lifted.isEmpty else {
      throw GatewayError(
        .usage, code: "not_in_quarantine",
        "nothing is noted against driver \(driver)\(meter.map { " with meter \($0)" } ?? "")",
        hint: "`meterhost driver quarantine` shows what is")
    }
    for bundle in Set(lifted.map(\.bundle)) {
      try owner.store.changeOffences(of: bundle) { $0.filter { !lifted.contains($0) } }
    }
    owner.retryPassive()
    return lifted.map { OffenceDescription($0, now: MeterStore.wallClockMicroseconds) }
  }
}

extension SelfTestFaultRequest: HandledRequest {
  /// - Returns: What is noted against the driver now.
  /// - Throws: ``GatewayError``, `StoreError`, `BundleError`.
  package func perform(on owner: GatewayOwner) throws -> [OffenceDescription] {
    let gateway = owner.gateway
    guard let code = DriverFault.Code(rawValue: code) else { return [] }
    let bundle = try gateway.bundles.bundle(for: try gateway.driver(driver))
    _ = try Quarantine(store: owner.store).noteSelfTest(
      DriverFault(code, driver: driver, rule: rule, message: message), bundle: bundle)
    return try QuarantineListRequest(driver: driver).perform(on: owner)
  }
}
