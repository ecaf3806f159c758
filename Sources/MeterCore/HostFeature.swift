internal import Foundation

/// The parts of the host that a program may be built with. An integrator links only those it needs.
public enum HostFeature: String, Sendable, Hashable, Codable, CaseIterable {
  /// Sessions, records, queue, uploads: product MeterCore.
  case core
  /// Meters over Bluetooth LE: product MeterBluetooth.
  case bluetooth
  /// Displays with a camera: product MeterOCR.
  case ocr
  /// Exports of phones' health stores: product MeterHealth.
  case health

  /// A class of the module, which the runtime finds in a program that links it.
  private var witness: String {
    switch self {
    case .core: "MeterCore.MeterStore"
    case .bluetooth: "MeterBluetooth.PeripheralController"
    case .ocr: "MeterOCR.OCRController"
    case .health: "MeterHealth.HealthImporter"
    }
  }

  /// Whether this program was built with it.
  public var isBuiltIn: Bool { NSClassFromString(witness) != nil }
}

/// Whether this program was built with a part of the host.
public func hasFeature(_ feature: HostFeature) -> Bool { feature.isBuiltIn }
