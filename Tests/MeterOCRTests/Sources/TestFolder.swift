import Foundation

/// A folder for one test.
final class TestFolder {
  let url = FileManager.default.temporaryDirectory.appending(path: "meterhost-frames-\(UUID().uuidString)")

  /// Its path.
  var root: String { url.path }

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }

  @discardableResult
  func write(_ bytes: [UInt8], _ name: String) throws -> String {
    try Data(bytes).write(to: url.appending(path: name))
    return path(name)
  }
}
