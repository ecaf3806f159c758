public import DriverContract
public import MeterCore
public import MeterDrivers

/// A meter whose display is read by a camera, with everything that is needed to look at it.
public struct OCRPeripheral: Sendable, Hashable, Identifiable {
  /// The number in the catalogue of kind `ocr`.
  public let id: UInt32
  /// The name for pickers.
  public let name: String
  /// What it measures.
  public let type: PeripheralType
  /// A picture of it: an https URL, or a path relative to the registry's folder.
  public let imageURL: String?
  /// What to do to get a reading on the display.
  public let instructions: String
  /// The units that its display may be set to, the default first; empty for a meter with one.
  public let units: [MetricUnit]
  /// Where its rows lie.
  public let layout: DisplayLayout
  /// The drawing that is laid over the preview: SVG.
  public let overlay: String

  /// A peripheral from its parts.
  public init(
    id: UInt32, name: String, type: PeripheralType, imageURL: String? = nil, instructions: String = "",
    units: [MetricUnit] = [], layout: DisplayLayout, overlay: String
  ) {
    self.id = id
    self.name = name
    self.type = type
    self.imageURL = imageURL
    self.instructions = instructions
    self.units = units
    self.layout = layout
    self.overlay = overlay
  }

  /// A catalogue entry with what its driver says of its display.
  ///
  /// - Throws: `DriverFault` when the driver does not know the meter, or has no drawing for it.
  public init(_ entry: Peripheral, _ reader: DisplayReader) async throws(DriverFault) {
    let layout = try await reader.layout(meter: entry.id)
    guard let asset = reader.asset(layout.overlay), let overlay = String(validating: asset, as: UTF8.self) else {
      throw DriverFault(
        .brokeRule, driver: entry.driverID ?? entry.name, rule: "R17",
        message: "the overlay \"\(layout.overlay)\" of \(entry.name) is no text in UTF-8; report the driver")
    }
    self.init(
      id: entry.id, name: entry.name, type: entry.type, imageURL: entry.imageURL, instructions: entry.instructions,
      units: entry.units.compactMap { MetricUnit.withUCUM($0) }, layout: layout, overlay: overlay)
  }

  /// Whether a person has to say in which unit the display is. The values of a scale in its two units overlap and are
  /// written alike, so that no default is safe; those of glucose meters and thermometers tell their unit.
  public var needsStatedUnit: Bool { Self.needsStatedUnit(type, units: units.count) }

  /// Whether a person has to say in which unit the displays of meters of a type with so many units are.
  public static func needsStatedUnit(_ type: PeripheralType, units: Int) -> Bool {
    type == .weightScale && units > 1
  }

  /// The unit to choose when the meter shows its other one.
  ///
  /// - Parameter unit: The code of the unit that is chosen; nil: the default.
  public func otherUnit(than unit: UInt16?) -> MetricUnit? {
    guard let chosen = unit ?? units.first?.code else { return nil }
    return units.first { $0.code != chosen }
  }
}

extension Registry {
  /// The catalogue entries of meters whose displays are read, of one type or of all, without the disabled
  /// ones. Ids of this catalogue are a space of their own.
  public func ocrPeripherals(of type: PeripheralType? = nil) -> [Peripheral] {
    peripherals.filter { $0.kind == .ocr && !$0.isDisabled && (type == nil || $0.type == type) }
  }

  /// The catalogue entry of a meter whose display is read, a disabled one too.
  public func ocrPeripheral(id: UInt32) -> Peripheral? { peripheral(id: id, kind: .ocr) }
}
