public import Foundation

/// A sealed registry with many drivers, of which one can be loaded: the library of every other is a pipe that nobody
/// writes to.
public struct ManyDrivers {
  /// How the registry is spread over files.
  public enum Form: Sendable, CaseIterable {
    /// registry.json holds all.
    case oneFile
    /// A fragment for each driver.
    case fragments
  }

  /// A tool of the tests failed.
  public struct Failure: Error {
    /// What it could not do.
    public let message: String
  }

  /// The folder of the libraries.
  public let libraries: URL
  /// registry.json.
  public let registry: URL
  /// The drop-in folder.
  public let fragments: URL
  /// The name of the one library that is one.
  public static let chosenLibrary = "libmh-thermometer.so"

  /// Writes a registry of `count` drivers below a folder; the thermometer is in the middle.
  public init(_ count: Int, _ form: Form, in folder: URL, of installation: Installation) throws {
    registry = folder.appending(path: "registry.json")
    fragments = folder.appending(path: "registry.d")
    libraries = (form == .oneFile ? folder : fragments).appending(path: "drivers")
    try FileManager.default.createDirectory(at: fragments, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(at: libraries, withIntermediateDirectories: true)
    let source = try JSONSerialization.jsonObject(with: Data(contentsOf: installation.registry))
    guard var base = source as? [String: Any], let drivers = base["drivers"] as? [[String: Any]],
      let peripherals = base["peripherals"] as? [[String: Any]],
      let driver = drivers.first(where: { $0["id"] as? String == "org.meterhost.thermometer" }),
      let peripheral = peripherals.first(where: { $0["id"] as? Int == 4000 })
    else { throw Failure(message: "the installation's registry has no thermometer") }
    var entries: [(driver: [String: Any], peripheral: [String: Any])] = []
    for number in 0..<count {
      guard number != count / 2 else {
        entries.append((driver, peripheral))
        continue
      }
      entries.append(Self.entry(number, like: driver, peripheral))
      guard mkfifo(libraries.appending(path: "lib\(number).so").path, 0o600) == 0 else {
        throw Failure(message: "no pipe could be made")
      }
    }
    try FileManager.default.copyItem(
      at: installation.library("thermometer"), to: libraries.appending(path: Self.chosenLibrary))
    base["drivers"] = form == .oneFile ? entries.map(\.driver) : []
    base["peripherals"] = form == .oneFile ? entries.map(\.peripheral) : []
    try Self.write(base, to: registry)
    guard form == .fragments else { return }
    for (number, entry) in entries.enumerated() {
      let fragment: [String: Any] = [
        "registry_version": 1, "drivers": [entry.driver], "peripherals": [entry.peripheral],
      ]
      try Self.write(fragment, to: fragments.appending(path: "\(number).json"))
    }
  }

  private static func entry(
    _ number: Int, like driver: [String: Any], _ peripheral: [String: Any]
  ) -> (driver: [String: Any], peripheral: [String: Any]) {
    var (driver, peripheral) = (driver, peripheral)
    driver["id"] = "org.example.driver\(number)"
    driver["library"] = "drivers/lib\(number).so"
    peripheral["id"] = 910_000 + number
    peripheral["name"] = "Example thermometer \(number)"
    peripheral["generic"] = false
    peripheral["driver"] = driver["id"]
    peripheral["match"] = [["services": ["1809"], "name_prefix": "EX\(number)-"]]
    return (driver, peripheral)
  }

  private static func write(_ value: [String: Any], to file: URL) throws {
    try JSONSerialization.data(withJSONObject: value, options: .withoutEscapingSlashes).write(to: file)
  }
}
