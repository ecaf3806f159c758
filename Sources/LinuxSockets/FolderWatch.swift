internal import CLinux
internal import Glibc

/// Tells when something has come into a folder, or the folder itself has gone (inotify(7)).
public final class FolderWatch: Sendable {
  private let queue: DescriptorQueue<Bool>

  /// Watches a folder that is there; what happens from now on is told.
  ///
  /// - Throws: ``SocketError`` with code `not_found` where there is no such folder, or `system` where the kernel has no watch left for
  ///   this user.
  public init(_ path: String) throws(SocketError) {
    let descriptor = mh_folder_watch(path)
    guard descriptor >= 0 else {
      let isMissing = descriptor == -ENOENT || descriptor == -ENOTDIR
      throw SocketError(
        isMissing ? .notFound : .system, trying: "watch the folder “\(path)”", errno: -descriptor)
    }
    queue = try DescriptorQueue(descriptor: descriptor, attempt: Self.attempt)
  }

  deinit { queue.close() }

  /// Returns when something has come into the folder; false when the folder has gone, or the watch was closed.
  ///
  /// - Throws: ``SocketError``, `CancellationError`.
  public func waitForChange() async throws -> Bool { try await queue.next() ?? false }

  /// Ends all waiting.
  public func close() { queue.close() }

  @Sendable private static func attempt(_ descriptor: Int32) -> DescriptorQueue<Bool>.Attempt {
    switch mh_folder_changes(descriptor) {
    case 1: .element(true)
    case 0: .end
    case -EAGAIN: .nothingYet
    case let error: .failed(SocketError(trying: "watch a folder", errno: -error))
    }
  }
}
