import DriverContract
import MeterCore
public import MeterDrivers
public import MeterOCR

/// A message of the host as a sentence of the page.
func sentence(_ message: String) -> String {
  let text = message.prefix(1).uppercased() + message.dropFirst()
  return text.hasSuffix(".") ? text : text + "."
}

extension DeskMeter {
  /// An entry of the catalogue.
  public init(_ entry: Peripheral) {
    self.init(
      id: entry.id, name: entry.name, kind: entry.type.heading,
      units: entry.units.map { DeskUnit($0, title: unitTitle($0)) },
      needsUnit: OCRPeripheral.needsStatedUnit(entry.type, units: entry.units.count))
  }
}

extension PeripheralType {
  /// The heading over the meters of this type.
  var heading: String {
    switch self {
    case .none: "Other meters"
    case .thermometer: "Thermometers"
    case .bloodPressure: "Blood pressure monitors"
    case .heartRate: "Heart rate monitors"
    case .glucoseMeter: "Glucose meters"
    case .weightScale: "Scales"
    case .pulseOximeter: "Pulse oximeters"
    case .inr: "Coagulation meters"
    case .peakFlow: "Peak flow meters"
    case .spirometer: "Spirometers"
    }
  }
}

/// A unit of the dictionary (UCUM) as it stands on meters.
func unitTitle(_ ucum: String) -> String {
  switch ucum {
  case "Cel": "°C"
  case "[degF]": "°F"
  case "mm[Hg]": "mmHg"
  case "[lb_av]": "lb"
  case "[stone_av]": "st"
  case "1": ""
  default: ucum.replacing("{", with: "").replacing("}", with: "")
  }
}

extension DisplayRole {
  /// What the row shows.
  var label: String {
    switch self {
    case .value: "Value"
    case .systolic: "Systolic"
    case .diastolic: "Diastolic"
    case .pulse: "Pulse"
    case .oxygenSaturation: "Oxygen saturation"
    }
  }

  /// The names that the dictionary has for what the row shows; none where the driver decides.
  fileprivate var metrics: [String] {
    switch self {
    case .value: []
    case .systolic: ["systolic"]
    case .diastolic: ["diastolic"]
    case .pulse: ["pulse", "heart_rate"]
    case .oxygenSaturation: ["spo2"]
    }
  }
}

extension PreviewAdvice {
  /// The driver's advice.
  init(_ advice: DisplayAdvice) {
    self =
      switch advice {
      case .none: .none
      case .blur: .blur
      case .glare: .glare
      case .align: .align
      case .dark: .dark
      }
  }
}

extension RelativeBox {
  /// A box of a preview; nil where there is none.
  init?(_ box: ImageBox, of size: ViewSize) {
    guard box.width > 0, box.height > 0, size.width > 0, size.height > 0 else { return nil }
    self.init(
      x: box.x / size.width, y: box.y / size.height, width: box.width / size.width, height: box.height / size.height)
  }
}

extension PartialReading {
  /// A frame in which texts were seen.
  ///
  /// - Parameter preview: The size in which the places of `partial` are; nil: they are in no preview yet.
  init(_ partial: OCRPartial, _ peripheral: OCRPeripheral, preview: ViewSize?) {
    let texts = partial.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let objection = partial.unitToChoose.map { "The meter shows \(unitTitle($0.ucum)). Cancel, and choose that unit." }
    self.init(
      rows: peripheral.layout.rows.enumerated().map { index, row in
        Row(label: row.role.label, text: index < texts.count ? texts[index] : "")
      },
      advice: PreviewAdvice(partial.advice), overlay: preview.flatMap { RelativeBox(partial.overlayFrame, of: $0) },
      glare: preview.map { size in partial.glareAreas.compactMap { RelativeBox($0, of: size) } } ?? [],
      objection: objection ?? partial.objection.map { sentence($0.message) })
  }
}

extension ReadingOutcome {
  /// How a reading ended that gave none.
  init(withoutReading result: OCRResult) {
    switch result {
    case .cancelled, .completed: self = .cancelled
    case .denied(let error): self = .failed(DeskError(error))
    case .failed(.source(let error)): self = .failed(DeskError(error))
    case .failed(let failure):
      self = .failed(DeskError(.failed, code: failure.code, message: sentence(failure.message), cause: failure))
    case .noValue(let none):
      self = .failed(DeskError(.failed, code: none.reason.rawValue, message: sentence(none.message)))
    }
  }
}

extension DeskError {
  /// A camera or file that gives no pictures.
  public init(_ error: FrameSourceError) {
    self.init(
      error.code == .cameraDenied ? .cameraDenied : .failed, code: error.code.rawValue,
      message: sentence(error.message), cause: error)
  }
}

/// What a metric of the dictionary is called on the page.
private func metricTitle(_ code: UInt16) -> String {
  guard let name = Metric.withCode(code)?.name else { return DisplayRole.value.label }
  if let role = DisplayRole.allCases.first(where: { $0.metrics.contains(name) }) { return role.label }
  return name.prefix(1).uppercased() + name.dropFirst().replacing("_", with: " ")
}

extension OCRReading {
  /// The values that the rows mean, in their order.
  var values: [DeskValue] {
    records.filter { $0.kind == .measurement }.flatMap(\.values).map { value in
      let number = ReportedNumber(mantissa: value.raw, exponent: value.exponent)
      let record = RecordValue(metric: value.metric, unit: value.unit, number: number)
      let unit = record.word == nil ? MetricUnit.withCode(value.unit)?.ucum : nil
      return DeskValue(
        name: metricTitle(value.metric), text: value.qualifier.mark + (record.word ?? number.description),
        unit: unit.map { unitTitle($0) } ?? "")
    }
  }
}

extension FinishedReading {
  /// A reading, to be looked at. A row's unit is that of the value that it became.
  init(_ reading: OCRReading, _ peripheral: OCRPeripheral, crop: [UInt8]) {
    let values = reading.values
    self.init(
      values: values,
      rows: zip(reading.rows, peripheral.layout.rows).map { row, layout in
        let value = row.role == .value ? values.first : values.first { $0.name == row.role.label }
        return Row(label: row.role.label, text: row.text, unit: value?.unit ?? "", isOptional: layout.isOptional)
      }, crop: crop)
  }
}

extension DriverQualifier {
  /// Before a number that is none of the scale.
  fileprivate var mark: String {
    switch self {
    case .exact: ""
    case .above: "> "
    case .below: "< "
    case .questionable: "? "
    }
  }
}
