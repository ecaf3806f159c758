internal import CLinux

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

  /// What the part's module has put into the section `mh_features`.
  var mark: UInt8 {
    switch self {
    case .core: 1
    case .bluetooth: 2
    case .ocr: 3
    case .health: 4
    }
  }

  /// Whether this program was built with it.
  public var isBuiltIn: Bool {
    var count = 0
    let marks = UnsafeBufferPointer(start: mh_linked_features(&count), count: count)
    return marks.contains(mark)
  }
}

/// Whether this program was built with a part of the host.
public func hasFeature(_ feature: HostFeature) -> Bool { feature.isBuiltIn }

/// `HostFeature.core`, in every program that this module is linked into.
@section("mh_features") @used private let coreFeature: UInt8 = 1
