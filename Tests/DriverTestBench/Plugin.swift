import CMeterDriver
import Foundation
import TestSupport

/// A bundle of this repository that is registered and has vectors: a folder of Plugins with a vectors.json. A new one is
/// tested without being listed.
struct Plugin: CustomStringConvertible, Sendable {
  /// The folder's name.
  let folder: String
  /// The bundle's name, between `libmh-` and `.so`: that of the folder, with or without hyphens between its words.
  let bundle: String

  static let all: [Plugin] = {
    let plugins = packageFolder().appendingPathComponent("Plugins")
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: plugins.path)) ?? []
    let bundles = ((try? DriverCodes.registered()) ?? []).map(\.bundle)
    return folders.sorted().compactMap { folder in
      let file = plugins.appendingPathComponent("\(folder)/vectors.json")
      guard FileManager.default.fileExists(atPath: file.path),
        let bundle = bundles.first(where: { $0.replacing("-", with: "") == folder.lowercased() })
      else { return nil }
      return Plugin(folder: folder, bundle: bundle)
    }
  }()

  var description: String { folder }

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
  let library: String
  let metrics: [Code]
  let parameters: [Code]

  var bundle: String {
    String((library.split(separator: "/").last ?? "").dropFirst("libmh-".count).dropLast(".so".count))
  }

  static func registered() throws -> [DriverCodes] {
    let data = try Data(contentsOf: packageFolder().appendingPathComponent("registry.json"))
    return try JSONDecoder().decode(Registry.self, from: data).drivers
  }

  static func load(driver id: String) throws -> DriverCodes {
    guard let found = try registered().first(where: { $0.id == id }) else {
      throw TestFailure("registry.json has no driver \(id)")
    }
    return found
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
  /// Decodes one vector as it says, or with other flags.
  func decode(_ vector: Vector, _ opening: TestOpening, flags: UInt16? = nil) -> TestOutcome {
    let number = (try? DecodeNumbers(driver: text(driver.id)))?.number(of: vector.characteristic, vector.peripheral)
    return decode([(number ?? vector.uuid, vector.bytes)], opening, flags: flags ?? vector.flags)[0]
  }
}
