import CMeterDriver
import Foundation

/// A bundle of this repository that has vectors: a folder of Plugins with a vectors.json. A new one is tested without being
/// listed anywhere.
struct Plugin: CustomStringConvertible, Sendable {
  /// The folder's name.
  let folder: String

  static let all: [Plugin] = {
    let plugins = packageFolder().appendingPathComponent("Plugins")
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: plugins.path)) ?? []
    return folders.sorted().filter {
      FileManager.default.fileExists(atPath: plugins.appendingPathComponent("\($0)/vectors.json").path)
    }.map { Plugin(folder: $0) }
  }()

  var description: String { folder }

  /// The bundle's name: the folder's in words joined by hyphens, or as one word.
  var bundle: String {
    let hyphenated = folder.enumerated().map { index, letter in
      (index > 0 && letter.isUppercase ? "-" : "") + letter.lowercased()
    }.joined()
    let names = [hyphenated, folder.lowercased()]
    return names.first {
      FileManager.default.fileExists(atPath: bundleFolder().appendingPathComponent("libmh-\($0).so").path)
    } ?? hyphenated
  }

  /// The vectors that are values of a characteristic or an advertisement.
  var vectors: [Vector] { Vector.load(folder).filter { !$0.isPrimitive } }
}

/// What registry.json says about one driver's own codes.
struct DriverCodes: Decodable {
  struct Code: Decodable {
    let code: UInt16
    let name: String
  }

  struct Registry: Decodable { let drivers: [DriverCodes] }

  let id: String
  let metrics: [Code]
  let parameters: [Code]

  static func load(driver id: String) throws -> DriverCodes {
    let data = try Data(contentsOf: packageFolder().appendingPathComponent("registry.json"))
    let all = try JSONDecoder().decode(Registry.self, from: data).drivers
    return all.first { $0.id == id } ?? DriverCodes(id: id, metrics: [], parameters: [])
  }

  /// The opening that a vector is decoded under: its parameters, by their names in the contract or the registry.
  func opening(_ vector: Vector) throws -> TestOpening {
    let contract: [String: UInt32] = [
      "context_decides": MH_PARAM_CONTEXT_DECIDES, "ketone_meal_code": MH_PARAM_KETONE_MEAL_CODE,
      "user_slot": MH_PARAM_USER_SLOT, "racp_all_only": MH_PARAM_RACP_ALL_ONLY, "no_clock": MH_PARAM_NO_CLOCK,
      "set_clock": MH_PARAM_SET_CLOCK,
    ]
    var opening = TestOpening()
    for (name, value) in vector.parameters ?? [:] {
      guard let code = contract[name] ?? parameters.first(where: { $0.name == name }).map({ UInt32($0.code) }) else {
        throw TestFailure("\(vector.id): \(id) has no parameter \(name)")
      }
      opening.parameters[code] = value
    }
    return opening
  }
}

extension TestHost {
  /// Decodes one vector as it says.
  func decode(_ vector: Vector, _ opening: TestOpening) -> TestOutcome {
    decode([(vector.uuid, vector.bytes)], opening, areServiceData: vector.service_data ?? false)[0]
  }
}
