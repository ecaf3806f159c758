public import Foundation

/// A registry with the drivers of Tests/Fixtures/Displays: the number of a meter says what the driver of displays does wrong
/// with it (display.h).
public struct DisplayRegistry: Sendable {
  /// The id of the driver of displays.
  public static let display = "org.example.display"
  /// The id of the driver of pictures that goes with it.
  public static let images = "org.example.images"
  /// The id of the driver of pictures that ships.
  public static let shippedImages = "org.meterhost.image-codec"

  /// Who decodes pictures.
  public enum Decoder: Sendable, Hashable {
    /// The bundle that ships.
    case shipped
    /// The driver of the fixture, which does what a file says.
    case fixture
    /// The same, and nobody can load it.
    case broken
  }

  /// The registry file.
  public let file: URL

  /// Writes a registry into a new folder of a sandbox.
  ///
  /// - Parameters:
  ///   - meters: The ids of its OCR peripherals.
  ///   - offence: What the driver of displays does when it is loaded: `abort`, `spin`, `status`.
  public init(
    in sandbox: Sandbox, meters: [UInt32], loading offence: String? = nil, decoder: Decoder = .shipped
  ) throws {
    let folder = sandbox.root.appending(path: "registry")
    let drivers = folder.appending(path: "drivers")
    try FileManager.default.createDirectory(at: drivers, withIntermediateDirectories: true)
    file = folder.appending(path: "registry.json")
    let parsed = try JSONSerialization.jsonObject(with: Data(contentsOf: Installation.shared().registry))
    guard var content = parsed as? [String: Any], let families = content["families"] as? [[String: Any]],
      let entries = content["drivers"] as? [[String: Any]],
      let shipped = entries.first(where: { $0["id"] as? String == Self.shippedImages })
    else { throw Installation.Missing(file: "a registry with \(Self.shippedImages)") }
    // Without hashes: each test has another bundle.
    content["development"] = true
    content["families"] = families + [["id": "example", "name": "Example"]]
    content["peripherals"] = meters.map(Self.peripheral)
    var files = ["weights": "mhsw", "frame": "<svg/>"]
    files["offence"] = offence
    for (name, text) in files { try Data(text.utf8).write(to: drivers.appending(path: name)) }
    try FileManager.default.copyItem(
      at: CompiledBundle.make(
        ["entry.c", "display.c", "images.c"], in: "Displays", defines: decoder == .broken ? ["SHORT_IMAGES"] : []),
      to: drivers.appending(path: "displays.so"))
    func driver(_ id: String, _ name: String, assets: [String] = []) -> [String: Any] {
      var entry = shipped
      entry["sha256"] = nil
      (entry["id"], entry["version"], entry["vendor"], entry["family"]) = (id, "1.0.0", "Example", "example")
      (entry["library"], entry["extensions"]) = ("drivers/displays.so", ["meterhost.\(name)/1-draft"])
      entry["assets"] = assets.map { ["name": $0, "file": "drivers/\($0)"] }
      return entry
    }
    let reader = driver(Self.display, "ocr", assets: files.keys.sorted())
    switch decoder {
    case .shipped:
      try FileManager.default.copyItem(
        at: Installation.shared().library("image-codec"), to: drivers.appending(path: "libmh-image-codec.so"))
      content["drivers"] = [reader, shipped]
    case .fixture, .broken: content["drivers"] = [reader, driver(Self.images, "image")]
    }
    try JSONSerialization.data(withJSONObject: content).write(to: file)
  }

  private static func peripheral(_ id: UInt32) -> [String: Any] {
    [
      "id": Int(id), "kind": "ocr", "name": "Display \(id)", "manufacturer": "", "model": "", "type": "glucose_meter",
      "instructions": "Hold still.", "supported_since": "0.1.0", "maturity": "alpha", "driver": Self.display,
      "units": ["mg/dL"],
    ]
  }
}
