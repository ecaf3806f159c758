import Foundation
import TestSupport
import Testing

@testable import MeterCore

extension TemporaryFolder {
  /// A folder in memory whose state folder holds these files, as a killed process may leave them.
  static func holding(_ files: [String: Data]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder(inMemory: true)
    try FileManager.default.createDirectory(
      at: folder.state.appending(path: "vault"), withIntermediateDirectories: true)
    for (name, bytes) in files {
      let path = folder.state.appending(path: name).path
      try #require(
        FileManager.default.createFile(atPath: path, contents: bytes, attributes: [.posixPermissions: 0o600]))
    }
    return folder
  }
}
