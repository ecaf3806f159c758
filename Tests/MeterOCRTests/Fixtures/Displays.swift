import DriverContract
import MeterOCR

/// Displays and what is read of them, without a camera.
enum Displays {
  static let glucose = layout([.value])
  static let pressure = layout([.systolic, .diastolic, .pulse])

  static func layout(
    _ roles: [DisplayRole], optional: Set<Int> = [], blinking: Set<Int> = [], aspect: Double = 1
  ) -> DisplayLayout {
    DisplayLayout(
      aspect: aspect, overlay: "overlay.svg",
      rows: roles.enumerated().map { index, role in
        DisplayRow(
          role: role, isOptional: optional.contains(index), blinks: blinking.contains(index),
          box: ImageBox(
            x: 0.1, y: (Double(index) + 0.1) / Double(roles.count), width: 0.8, height: 0.8 / Double(roles.count)),
          characters: "0123456789.Lo")
      })
  }

  /// A reading with these texts; an empty one is an empty row, "?" one that cannot be read.
  static func reading(
    _ texts: String..., confidence: Double = 0.95, advice: DisplayAdvice = .none, glare: [ImageBox] = []
  ) -> DisplayReading { reading(texts, confidence: confidence, advice: advice, glare: glare) }

  static func reading(
    _ texts: [String], confidence: Double = 0.95, advice: DisplayAdvice = .none, glare: [ImageBox] = []
  ) -> DisplayReading {
    let rows = texts.enumerated().map { index, text in
      RowReading(
        state: text.isEmpty ? .empty : text == "?" ? .unreadable : .text, text: text == "?" ? "" : text,
        confidence: text.isEmpty || text == "?" ? 0 : confidence,
        corners: [(0.0, 0.0), (30, 0), (30, 10), (0, 10)].map { corner in
          ImagePoint(x: corner.0, y: corner.1 + 20 * Double(index))
        })
    }
    return DisplayReading(rows: rows, advice: advice, glareAreas: glare)
  }

  /// What a driver would say: a glucometer of 20 to 600 mg/dL, or three rows of a blood-pressure monitor, of which the third
  /// may be missing.
  static func verdict(_ texts: [String]) -> DisplayVerdict {
    guard texts.count == 1 else { return pressureVerdict(texts) }
    guard !texts[0].isEmpty else { return .incomplete }
    if texts[0] == "Lo" { return .valid([record([20], .below)]) }
    if texts[0].contains(".") { return .otherUnit }
    guard let value = Int64(texts[0]) else { return .notAValue }
    if value == 888 { return .notAValue }
    return value < 20 ? .notAValue : value <= 600 ? .valid([record([value])]) : .wrongMeter
  }

  private static func pressureVerdict(_ texts: [String]) -> DisplayVerdict {
    let numbers = texts.map { Int64($0) }
    guard let systolic = numbers[0], let diastolic = numbers[1] else { return .incomplete }
    if texts.allSatisfy({ $0 == "888" }) || diastolic >= systolic { return .notAValue }
    return .valid([record(numbers.compactMap(\.self))])
  }

  static func record(_ values: [Int64], _ qualifier: DriverQualifier = .exact) -> DriverRecord {
    DriverRecord(
      kind: .measurement,
      values: values.map {
        DriverValue(metric: 1, unit: 2, exponent: 0, qualifier: qualifier, value: Double($0), raw: $0)
      })
  }
}
