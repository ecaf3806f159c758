package import GatewayAPI
import Logging
import MeterCore
package import MeterDrivers

extension DisplayVerdictRequest: HandledRequest {
  /// Asks.
  package init(bundles: [BundleHash], peripheral: UInt32) {
    self.init(bundles: bundles.map(\.description), peripheral: peripheral)
  }

  /// - Throws: `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> Answer {
    let quarantine = Quarantine(store: owner.store)
    for bundle in bundles.compactMap({ BundleHash(hexadecimal: $0) }) {
      let verdict = try quarantine.verdict(on: bundle, meter: .display(peripheral))
      if let words = verdict.words { return Answer(words: words) }
    }
    return Answer(words: nil)
  }
}

extension DisplayFaultRequest: HandledRequest {
  /// Notes a fault; nil when it is not the driver's.
  package init?(_ fault: DriverFault, driver: String, bundle: BundleHash, peripheral: UInt32?) {
    guard QuarantinePolicy().isOffence(fault) else { return nil }
    self.init(
      driver: driver, bundle: bundle.description, peripheral: peripheral, code: fault.code.rawValue, rule: fault.rule,
      message: fault.message)
  }

  /// - Returns: What is noted against the driver now.
  /// - Throws: `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> [OffenceDescription] {
    guard let code = DriverFault.Code(rawValue: code), let bundle = BundleHash(hexadecimal: bundle) else { return [] }
    _ = try Quarantine(store: owner.store).note(
      DriverFault(code, driver: driver, rule: rule, message: message), bundle: bundle,
      meter: peripheral.map(OffendedMeter.display))
    return try QuarantineListRequest(driver: driver).perform(on: owner)
  }
}

extension DisplaySubmitRequest {
  /// A driver whose reading was submitted has done its work: its next fault with this meter is the first again.
  ///
  /// The reading is on disk, so what fails here is no failure of whoever has submitted it.
  func noteSuccess(in store: MeterStore) {
    guard let bundle = bundle.flatMap({ BundleHash(hexadecimal: $0) }) else { return }
    do throws(StoreError) {
      try Quarantine(store: store).noteSuccess(bundle: bundle, meter: .display(peripheral))
    } catch {
      LogArea.ocr.logger.warning("that a driver has read a display could not be noted: \(error.message)")
    }
  }
}

extension OffendedMeter {
  /// A meter whose display is read. It says nothing of itself that could be forged: a person has chosen it in the catalogue,
  /// which makes it a known one.
  static func display(_ peripheral: UInt32) -> OffendedMeter {
    OffendedMeter(key: "display/\(peripheral)", name: "display \(peripheral)", isKnown: true)
  }
}
