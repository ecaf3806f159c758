public import Foundation

/// A folder of one test's own, removed with the value. Its path is short enough for sockets.
public final class TemporaryFolder: Sendable {
  /// Where it is.
  public let url: URL

  /// Makes one.
  ///
  /// - Parameter inMemory: Where syncing costs nothing, for tests that open hundreds of folders.
  public init(inMemory: Bool = false) throws {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let parent =
      inMemory && FileManager.default.isWritableFile(atPath: memory.path)
      ? memory : FileManager.default.temporaryDirectory
    url = parent.appending(path: "mh-\(UUID().uuidString.prefix(12))")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Where it is, as the system takes it.
  public var path: String { url.path }

  /// A folder of a host's in it, which is not made yet.
  public var state: URL { url.appending(path: "state") }
}
