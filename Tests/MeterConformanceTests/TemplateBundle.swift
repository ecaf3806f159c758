import Foundation
import MeterConformance
import TestSupport

/// The driver of `driver new --language c` as an author has it on the first day, with changes of its session and its files.
struct TemplateBundle {
  struct NotThere: Error { let text: String }

  let folder: URL

  /// - Parameters:
  ///   - session: What is replaced in `session.c`.
  ///   - change: Changes the fragment, the meter or the vectors, by file name.
  init(session: [(old: String, new: String)] = [], change: (String, String) throws -> String = { $1 }) throws {
    let template = CompiledBundle.root.appending(path: "SDK/templates/c")
    folder = FileManager.default.temporaryDirectory.appending(path: "mh-template-\(UUID().uuidString.prefix(12))")
    let sources = folder.appending(path: "Sources")
    let drivers = folder.appending(path: "drivers")
    for place in [sources, drivers] {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    }
    // The compiler takes along what is named after the first file, and finds the headers beside it.
    for (name, copy) in [
      ("session.c", "driver.c"), ("measurement.c", "driver_measurement.c"), ("entry.c", "driver_entry.c"),
      ("include/session.h", "session.h"), ("include/measurement.h", "measurement.h"),
    ] {
      var text = try String(contentsOf: template.appending(path: "Sources/\(name)"), encoding: .utf8)
      if name == "session.c" {
        for (old, new) in session {
          guard text.contains(old) else { throw NotThere(text: old) }
          text = text.replacing(old, with: new)
        }
      }
      try Data(text.utf8).write(to: sources.appending(path: copy))
    }
    let library = try CompiledBundle.compile(
      sources.appending(path: "driver.c"), include: CompiledBundle.root.appending(path: "SDK/include"),
      isBundle: true)
    try FileManager.default.copyItem(at: library, to: drivers.appending(path: "libmh-template-meter.so"))
    for name in ["fragment.json", "meter.json", "vectors.json"] {
      let text = try String(contentsOf: template.appending(path: name), encoding: .utf8)
      try Data(try change(name, text).utf8).write(to: folder.appending(path: name))
    }
  }

  /// Runs the suite over the folder, and removes it.
  func test(_ rules: String...) async throws -> ConformanceReport {
    defer { try? FileManager.default.removeItem(at: folder) }
    let target = ConformanceTarget(
      folder.path, registry: CompiledBundle.root.appending(path: "registry.json").path,
      worker: BuildProducts.worker.path)
    return try await ConformanceSuite(target, rules: Set(rules.compactMap { Rule($0) })).run()
  }
}
