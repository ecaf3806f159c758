import DriverContract

/// Serves a reader of displays in a worker.
final class DisplayServer: ExtensionServer {
  static let kind = ExtensionKind(.ocr, openingCPU: { $0.loadCPUMilliseconds })

  private let driver: String
  private let display: LocalDisplay

  init(
    tables: any ExtensionTables, driver: String, opening: ExtensionPayload, limits: DriverLimits
  ) throws(DriverFault) {
    let assets = try opening.understood(Self.kind, driver) { reader throws(WireError) in
      try DriverOpening.table(&reader)
    }
    self.driver = driver
    display = try LocalDisplay(tables: tables, driver: driver, assets: assets)
  }

  func answer(_ question: ExtensionPayload) throws(DriverFault) -> ExtensionPayload {
    let asked = try question.understood(Self.kind, driver) { reader throws(WireError) in
      try DisplayQuestion(from: &reader)
    }
    switch asked {
    case .layout(let meter):
      let layout = try display.rawLayout(meter: meter)
      return ExtensionPayload { layout.encode(to: &$0) }
    case .recognize(let meter, let frame):
      let reading = try display.rawReading(frame, meter: meter)
      return ExtensionPayload { reading.encode(to: &$0) }
    case .interpret(let meter, let unit, let texts):
      let interpretation = try display.rawInterpretation(texts, meter: meter, unit: unit)
      return ExtensionPayload { interpretation.encode(to: &$0) }
    }
  }
}
