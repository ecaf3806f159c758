import CMeterDriver
import Foundation
import FoundationXML
import Testing

@testable import DriverTestBench

@Suite struct LayoutTests {
  static let overlays = packageFolder().appendingPathComponent("Plugins/SegmentDisplay/assets/overlays")

  @Test func theRegistryHasEveryMeter() throws {
    let bundle = try DisplayBundle()
    let known = (UInt32(1)..<20_000).filter { bundle.layout($0).status == MH_OK }
    #expect(known == DisplayBundle.meters.map(\.id).sorted())
    #expect(DisplayBundle.meters.allSatisfy { $0.kind == "ocr" } && known.count >= 12)
    let types = Dictionary(grouping: DisplayBundle.meters, by: \.type).mapValues(\.count)
    #expect(types.count == 5 && types.values.allSatisfy { $0 >= 2 })
  }

  @Test func unknownMetersHaveNoLayout() throws {
    let bundle = try DisplayBundle()
    for meter: UInt32 in [0, 1, 10000, 10007, .max] { #expect(bundle.layout(meter).status == MH_E_NOT_FOUND) }
    var short = mh_ocr_layout()
    short.struct_size = 16
    #expect(bundle.table.layout(10001, &short) == MH_E_ARG)
    #expect(bundle.table.layout(10001, nil) == MH_E_ARG)
    #expect(bundle.driver.extension("meterhost.ocr/1") == nil)
  }

  @Test(arguments: DisplayBundle.meters) func rowsLieInTheOverlayAndApart(_ meter: Peripheral) throws {
    let layout = try #require(try DisplayBundle().layout(meter.id).layout)
    let roles = layout.rows.map(\.role)
    #expect(roles == Self.roles[meter.type])
    #expect((0.3...4).contains(layout.aspect))
    for row in layout.rows {
      let (x, y, width, height) = (row.box[0], row.box[1], row.box[2], row.box[3])
      #expect(x >= 0 && y >= 0 && width > 0.2 && height > 0.1 && x + width <= 1 && y + height <= 1)
      #expect(
        Set(row.characters).isSuperset(of: "0123456789") && row.characters.allSatisfy("0123456789.-LoHiEr".contains))
      #expect(Set(row.characters).count == row.characters.count)
    }
    for (upper, lower) in zip(layout.rows, layout.rows.dropFirst()) {
      #expect(upper.box[1] + upper.box[3] <= lower.box[1], "rows overlap, or do not come from the top")
    }
  }

  static let roles: [String: [UInt32]] = [
    "glucose_meter": [MH_OCR_ROLE_VALUE], "thermometer": [MH_OCR_ROLE_VALUE], "weight_scale": [MH_OCR_ROLE_VALUE],
    "blood_pressure": [MH_OCR_ROLE_SYSTOLIC, MH_OCR_ROLE_DIASTOLIC, MH_OCR_ROLE_PULSE],
    "pulse_oximeter": [MH_OCR_ROLE_OXYGEN_SATURATION, MH_OCR_ROLE_PULSE],
  ]

  /// The drawing and the table are the same: a person brings the display to where the rows are read.
  @Test(arguments: DisplayBundle.meters) func theOverlayShowsTheRows(_ meter: Peripheral) throws {
    let layout = try #require(try DisplayBundle().layout(meter.id).layout)
    #expect(layout.overlay == "\(meter.id).svg")
    let drawing = try Drawing(Self.overlays.appendingPathComponent(layout.overlay))
    let (width, height) = (drawing.viewBox[2], drawing.viewBox[3])
    #expect(Array(drawing.viewBox[0..<2]) == [0, 0] && abs(width / height - layout.aspect) < 0.001 * layout.aspect)
    #expect(drawing.rows.count == layout.rows.count)
    for (drawn, row) in zip(drawing.rows, layout.rows) {
      let fractions = [drawn[0] / width, drawn[1] / height, drawn[2] / width, drawn[3] / height]
      #expect(zip(fractions, row.box).allSatisfy { abs($0 - $1) < 0.001 }, "\(meter)")
    }
  }

  @Test func noDrawingIsLeftOver() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.overlays.path)
    #expect(Set(files) == Set(DisplayBundle.meters.map { "\($0.id).svg" }))
  }
}

/// The rectangles of an overlay that say which row they are. Anything that could act or load something is refused.
private final class Drawing: NSObject, XMLParserDelegate {
  var viewBox: [Double] = []
  var rows: [[Double]] = []
  var strangers: [String] = []

  init(_ file: URL) throws {
    super.init()
    let parser = XMLParser(data: try Data(contentsOf: file))
    parser.delegate = self
    guard parser.parse(), viewBox.count == 4, strangers.isEmpty else {
      throw TestFailure("\(file.lastPathComponent) is no overlay: \(strangers)")
    }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    if !["svg", "title", "rect", "text"].contains(name) { strangers.append(name) }
    strangers += attributes.keys.filter { $0.hasPrefix("on") || $0.contains("href") }
    if name == "svg" { viewBox = (attributes["viewBox"] ?? "").split(separator: " ").compactMap { Double($0) } }
    guard attributes["data-row"] == String(rows.count) else { return }
    rows.append(["x", "y", "width", "height"].compactMap { attributes[$0].flatMap(Double.init) })
  }
}
