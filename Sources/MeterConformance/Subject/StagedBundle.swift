import Foundation

/// A registry of the bundle's own, in a folder that goes with this value: the dictionary of the installed one, and nothing
/// else installed, so that no other driver has a say.
final class StagedBundle: Sendable {
  let folder: URL

  var registry: String { folder.appendingPathComponent("registry.json").path }
  var fragments: String { folder.appendingPathComponent("registry.d").path }

  init(base: String) throws(ConformanceError) {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("mh-test-\(UUID().uuidString.prefix(12))")
    do {
      try FileManager.default.createDirectory(atPath: fragments, withIntermediateDirectories: true)
      let data = try Data(contentsOf: URL(fileURLWithPath: base))
      guard var object = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
        throw ConformanceError(.unreadable, "the registry \(base) is no JSON object")
      }
      for list in ["families", "drivers", "peripherals"] { object[list] = [Any]() }
      object["development"] = true
      object["$schema"] = nil
      try write(object, to: registry)
    } catch let error as ConformanceError {
      throw error
    } catch {
      throw ConformanceError(
        .unreadable, "the registry \(base) cannot be used (\(error.localizedDescription)); name it with --registry")
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Puts a fragment and the files that it names in their places.
  func add(_ fragment: URL, from bundle: BundleFolder) throws(ConformanceError) {
    do {
      let data = try Data(contentsOf: fragment)
      try data.write(to: URL(fileURLWithPath: fragments).appendingPathComponent(fragment.lastPathComponent))
      let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
      for driver in object?["drivers"] as? [[String: Any]] ?? [] {
        if let path = driver["library"] as? String, Self.staysInside(path) {
          guard let library = bundle.library(path, of: fragment) else {
            throw ConformanceError(
              .notBuilt, "\(path), which \(fragment.lastPathComponent) names, is not in \(bundle.root.path); build it")
          }
          try place(library, at: path)
        }
        for asset in driver["assets"] as? [[String: Any]] ?? [] {
          guard let path = asset["file"] as? String, Self.staysInside(path) else { continue }
          guard let file = bundle.asset(path, of: fragment) else {
            throw ConformanceError(
              .notBuilt,
              "\(path), which \(fragment.lastPathComponent) names, is not in \(bundle.root.path); put it there")
          }
          try place(file, at: path)
        }
      }
    } catch let error as ConformanceError {
      throw error
    } catch {
      throw ConformanceError(.unreadable, "\(fragment.path) cannot be used: \(error.localizedDescription)")
    }
  }

  /// Writes a fragment for a library that has none.
  func add(_ fragment: [String: Any], library: URL, at path: String) throws(ConformanceError) {
    do {
      try place(library, at: path)
      try write(fragment, to: "\(fragments)/bundle.json")
    } catch {
      throw ConformanceError(.system, "the folder \(folder.path) cannot be written: \(error.localizedDescription)")
    }
  }

  /// The registry refuses any other path: its own words are better than a file in a wrong place.
  private static func staysInside(_ path: String) -> Bool {
    !path.hasPrefix("/") && !path.split(separator: "/").contains("..")
  }

  private func place(_ library: URL, at path: String) throws {
    let target = URL(fileURLWithPath: fragments).appendingPathComponent(path)
    guard !FileManager.default.fileExists(atPath: target.path) else { return }
    try FileManager.default.createDirectory(
      at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(contentsOf: library).write(to: target)
  }

  private func write(_ object: [String: Any], to path: String) throws {
    try JSONSerialization.data(withJSONObject: object, options: .sortedKeys).write(to: URL(fileURLWithPath: path))
  }
}
