import Foundation

/// A registry with many drivers, once in one file and once with a fragment for each, in a folder that goes again. Their
/// libraries do not exist: a list that looked at one would fail.
struct ManyDrivers {
  private let folder: URL

  var oneFile: String { folder.appending(path: "all.json").path }
  var base: String { folder.appending(path: "base.json").path }
  var fragments: String { folder.appending(path: "registry.d").path }

  /// Copies every driver of Bluetooth meters of a sealed registry, with a peripheral each, until there are enough.
  ///
  /// - Parameter match: The match rules of the n-th.
  init(
    _ count: Int, like registry: String,
    match: (Int) -> [[String: Any]] = { [["services": ["1809"], "name_prefix": "EX\($0)-"]] }
  ) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "meterhost-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "registry.d"), withIntermediateDirectories: true)
    let source = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: registry)))
    guard var base = source as? [String: Any], let drivers = base["drivers"] as? [[String: Any]],
      let peripherals = base["peripherals"] as? [[String: Any]]
    else { throw BenchmarkError("\(registry) is no registry") }
    // What a radio hears: a display has no rules by which it is matched.
    let heard = peripherals.filter { $0["kind"] as? String == "bluetooth" }
    let models = drivers.compactMap { driver in
      heard.first { $0["driver"] as? String == driver["id"] as? String }.map { (driver, $0) }
    }
    guard !models.isEmpty else { throw BenchmarkError("\(registry) has no driver with a Bluetooth peripheral") }
    var all: (drivers: [[String: Any]], peripherals: [[String: Any]]) = ([], [])
    for number in 0..<count {
      var (driver, peripheral) = models[number % models.count]
      driver["id"] = "org.example.driver\(number)"
      driver["library"] = "drivers/lib\(number).so"
      peripheral["id"] = 910_000 + number
      peripheral["name"] = "Example meter \(number)"
      peripheral["generic"] = false
      peripheral["driver"] = driver["id"]
      peripheral["match"] = match(number)
      all.drivers.append(driver)
      all.peripherals.append(peripheral)
      let fragment: [String: Any] = ["registry_version": 1, "drivers": [driver], "peripherals": [peripheral]]
      try write(fragment, "registry.d/\(number).json")
    }
    (base["drivers"], base["peripherals"]) = ([Any](), [Any]())
    try write(base, "base.json")
    (base["drivers"], base["peripherals"]) = (all.drivers, all.peripherals)
    try write(base, "all.json")
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  private func write(_ value: [String: Any], _ name: String) throws {
    try JSONSerialization.data(withJSONObject: value, options: [.withoutEscapingSlashes, .sortedKeys, .prettyPrinted])
      .write(to: folder.appending(path: name))
  }
}
