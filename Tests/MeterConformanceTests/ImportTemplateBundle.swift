import Foundation
import MeterConformance
import TestSupport

/// The driver of `driver new --kind import` as an author has it on the first day, with a change of its sources.
struct ImportTemplateBundle {
  struct NotThere: Error { let text: String }

  let folder: URL

  /// - Parameters:
  ///   - file: The source that is changed.
  ///   - old: What is replaced in it; nil: nothing.
  ///   - exports: Files of `exports/` by their names; nil: the template's own.
  init(_ file: String = "", replacing old: String? = nil, with new: String = "", exports: [String: String]? = nil)
    throws
  {
    let template = CompiledBundle.root.appending(path: "SDK/templates/import-c")
    folder = FileManager.default.temporaryDirectory.appending(path: "mh-export-\(UUID().uuidString.prefix(12))")
    let sources = folder.appending(path: "Sources")
    for place in [sources, folder.appending(path: "drivers"), folder.appending(path: "exports")] {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    }
    // The compiler takes along what is named after the first file, and finds the headers beside it.
    for (name, copy) in [
      ("reader.c", "driver.c"), ("line.c", "driver_line.c"), ("output.c", "driver_output.c"),
      ("entry.c", "driver_entry.c"), ("include/reader.h", "reader.h"), ("include/line.h", "line.h"),
      ("include/output.h", "output.h"),
    ] {
      var text = try String(contentsOf: template.appending(path: "Sources/\(name)"), encoding: .utf8)
      if name == file, let old {
        guard text.contains(old) else { throw NotThere(text: old) }
        text = text.replacing(old, with: new)
      }
      try Data(text.utf8).write(to: sources.appending(path: copy))
    }
    let library = try CompiledBundle.compile(
      sources.appending(path: "driver.c"), include: CompiledBundle.root.appending(path: "SDK/include"), isBundle: true)
    try FileManager.default.copyItem(at: library, to: folder.appending(path: "drivers/libmh-template-export.so"))
    try FileManager.default.copyItem(
      at: template.appending(path: "fragment.json"), to: folder.appending(path: "fragment.json"))
    let sample = try String(contentsOf: template.appending(path: "exports/sample.csv"), encoding: .utf8)
    for (name, text) in exports ?? ["sample.csv": sample] {
      try Data(text.utf8).write(to: folder.appending(path: "exports/\(name)"))
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
