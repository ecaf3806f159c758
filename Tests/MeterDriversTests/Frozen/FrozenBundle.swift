import Foundation
import TestSupport

/// A bundle that ships, with its vectors, as a script of the frozen host wants them (Tests/Frozen/next/host.h).
struct FrozenBundle {
  struct Missing: Error { let what: String }

  struct Vector: Decodable, Sendable {
    struct Record: Decodable, Sendable {
      let kind: String?
      let values: [Value]
    }
    struct Value: Decodable, Sendable {
      let metric: String
      let value: Double
      let unit: String
      let qualifier: String?
    }

    let id: String
    let characteristic: String
    let hex: String
    let error: String?
    let records: [Record]?
    let parameters: [String: Int]?
    let service_data: Bool?
    let peripheral: UInt32?

    /// What the contract says of a value without a reading.
    var status: Int {
      switch error {
      case nil: 0
      case "no_value": -9
      case "unsupported": -2
      default: -3
      }
    }
  }

  private struct Registry: Decodable {
    struct Driver: Decodable {
      let id: String
      let library: String
      let capabilities: [String]
      let metrics: [Code]
      let parameters: [Code]
    }
    struct Code: Decodable {
      let code: Int
      let name: String
    }
    struct Dictionary: Decodable {
      let metrics: [Code]
      let units: [Unit]
    }
    struct Unit: Decodable {
      let code: Int
      let ucum: String
    }
    let drivers: [Driver]
    let dictionary: Dictionary
  }

  /// Between `libmh-` and `.so`.
  let name: String
  let id: String
  let canDecode: Bool
  /// Codes by name, and units by UCUM: the dictionary's, then the driver's own.
  private let metrics: [String: Int]
  private let units: [String: Int]
  private let parameters: [String: Int]
  private let numbers: DecodeNumbers
  /// Values of characteristics and advertisements; empty for a bundle without a vectors.json.
  let vectors: [Vector]

  init(_ name: String) throws {
    let file = CompiledBundle.root.appending(path: "registry.json")
    let registry = try JSONDecoder().decode(Registry.self, from: Data(contentsOf: file))
    guard let driver = registry.drivers.first(where: { $0.library.hasSuffix("/libmh-\(name).so") }) else {
      throw Missing(what: "registry.json has no bundle \(name)")
    }
    self.name = name
    id = driver.id
    canDecode = driver.capabilities.contains("decode")
    metrics = Self.codes(registry.dictionary.metrics + driver.metrics)
    units = Dictionary(registry.dictionary.units.map { ($0.ucum, $0.code) }) { $1 }
    let contract = try ContractLayout.today().constants.filter { $0.key.hasPrefix("MH_PARAM_") }
    let named = contract.map { ($0.key.dropFirst("MH_PARAM_".count).lowercased(), Int($0.value)) }
    parameters = Dictionary(named) { $1 }.merging(Self.codes(driver.parameters)) { $1 }
    numbers = try DecodeNumbers(driver: driver.id)
    vectors = try Self.vectors(name)
  }

  /// The characteristic of a vector as the script names it: four hexadecimal digits.
  func characteristic(of vector: Vector) -> String {
    numbers.number(of: vector.characteristic, vector.peripheral).map { String($0, radix: 16) } ?? vector.characteristic
  }

  /// A line of the script.
  func slice(_ vector: Vector) -> String {
    let hex = vector.hex.isEmpty ? "-" : vector.hex
    return "slice \(characteristic(of: vector)) \(hex) flags=\(vector.service_data == true ? 1 : 0)"
  }

  private static func codes(_ list: [Registry.Code]) -> [String: Int] {
    Dictionary(list.map { ($0.name, $0.code) }) { $1 }
  }

  /// The folder of Plugins has the bundle's name without its hyphens.
  private static func vectors(_ name: String) throws -> [Vector] {
    let plugins = CompiledBundle.root.appending(path: "Plugins")
    let folders = try FileManager.default.contentsOfDirectory(atPath: plugins.path)
    guard let folder = folders.first(where: { $0.lowercased() == name.replacing("-", with: "") }) else {
      throw Missing(what: "Plugins has no folder of \(name)")
    }
    let file = plugins.appending(path: "\(folder)/vectors.json")
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    return try JSONDecoder().decode([Vector].self, from: Data(contentsOf: file)).filter { $0.records != nil }
  }

  /// Vectors that are decoded under the same parameters, as many as the host takes at once.
  var batches: [(vectors: [Vector], decode: String)] {
    let groups = Dictionary(grouping: vectors) { arguments($0.parameters ?? [:]) }
    return groups.sorted { $0.key < $1.key }.flatMap { arguments, vectors in
      stride(from: 0, to: vectors.count, by: 64).map { first in
        (Array(vectors[first..<min(first + 64, vectors.count)]), "decode 1\(arguments)")
      }
    }
  }

  /// Parameters that some vector needs: enough for a session to open.
  var someArguments: String { arguments(vectors.lazy.compactMap(\.parameters).first ?? [:]) }

  private func arguments(_ given: [String: Int]) -> String {
    given.sorted { $0.key < $1.key }.map { " param=\(parameters[$0.key] ?? 0):\($0.value)" }.joined()
  }

  /// What the host must print of a vector: kinds, then each value's metric, unit, qualifier and number; the status last.
  func expected(_ vector: Vector) -> [String] {
    let kinds = ["measurement", "context", "device_info", "diagnostic"]
    let qualifiers = ["exact", "above", "below", "questionable"]
    let records = (vector.records ?? []).flatMap { record in
      ["record \((kinds.firstIndex(of: record.kind ?? "measurement") ?? -2) + 1)"]
        + record.values.map {
          "value \(metrics[$0.metric] ?? -1) \(units[$0.unit] ?? -1) \(qualifiers.firstIndex(of: $0.qualifier ?? "exact") ?? -1) "
            + "\($0.value)"
        }
    }
    return records + ["slice \(vector.status)"]
  }

  /// The lines of a decode as `expected` has them, one list a slice.
  static func decoded(_ lines: [String]) -> [[String]] {
    var slices: [[String]] = [[]]
    for line in lines {
      let words = line.split { $0 == " " || $0 == "=" }.map(String.init)
      switch words.first {
      case "record": slices[slices.count - 1].append("record \(words[2])")
      case "value":
        // value METRIC unit=N raw=N exp=N qualifier=N flags=N value=X
        slices[slices.count - 1].append("value \(words[1]) \(words[3]) \(words[9]) \(Double(words[13]) ?? .nan)")
      case "slice":
        slices[slices.count - 1].append(line)
        slices.append([])
      default: break
      }
    }
    return slices.dropLast()
  }
}
