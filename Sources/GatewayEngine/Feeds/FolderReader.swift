import Foundation
import GatewayAPI
import Glibc
import HostPrimitives
import Synchronization

/// Looks into one watched folder, on threads of its own: on a network mount that hangs a look does not come back, and the threads that
/// everything shares are few. A folder at which a look hangs is not looked at again until it comes back.
final class FolderReader: Sendable {
  /// What a look has found.
  struct Listing: Sendable {
    var sights: [WatchedFolder.Sight]
    /// Whether there were more files than are looked at.
    var isCut: Bool
  }

  /// More files of a folder are left out.
  static let mostFiles = 10_000
  /// How long a look may take.
  static let limit = Duration.seconds(30)

  let path: String
  private let clock: any HostClock
  /// Looks that nobody waits for any more, and that have not come back.
  private let hanging = Mutex(0)

  init(path: String, clock: any HostClock) { (self.path, self.clock) = (path, clock) }

  /// The files that may be exports by their names.
  ///
  /// - Throws: ``GatewayError`` with code `watch_folder`, or `cancelled`.
  func list() async throws(GatewayError) -> Listing {
    try await perform { [path] () throws(GatewayError) -> Listing in try Self.list(path) }
  }

  /// What a file may be; nil when it is no export by its first bytes, or is gone.
  ///
  /// - Throws: as ``list()``.
  func glance(_ name: String) async throws(GatewayError) -> ExportGlance? {
    try await perform { [path] () throws(GatewayError) -> ExportGlance? in ExportGlance(Self.head("\(path)/\(name)")) }
  }

  private func perform<Value: Sendable>(
    _ work: @escaping @Sendable () throws(GatewayError) -> Value
  ) async throws(GatewayError) -> Value {
    guard hanging.withLock(\.self) == 0 else { throw Self.hangs(path) }
    let outcome = FirstOutcome<Result<Value, GatewayError>>()
    Thread.detachNewThread { [self] in
      let result: Result<Value, GatewayError>
      do throws(GatewayError) { result = .success(try work()) } catch { result = .failure(error) }
      if !outcome.settle(result) { hanging.withLock { $0 -= 1 } }
    }
    let giveUp = { @Sendable [self] (error: GatewayError) in
      if outcome.settle(.failure(error)) { hanging.withLock { $0 += 1 } }
    }
    let timer = Task { [clock, path] in
      if await clock.elapsed(Self.limit) { giveUp(Self.hangs(path)) }
    }
    defer { timer.cancel() }
    let result = await withTaskCancellationHandler {
      await outcome.value
    } onCancel: {
      giveUp(GatewayError(.cancelled, code: "cancelled", "interrupted"))
    }
    return try result.get()
  }

  private static func list(_ path: String) throws(GatewayError) -> Listing {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path, String(cString: strerror(errno))) }
    close(descriptor)
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
      throw unreadable(path, "it cannot be listed")
    }
    var sights: [WatchedFolder.Sight] = []
    for name in names where ExportName(name, isFolder: false) == .file {
      guard sights.count < mostFiles else { return Listing(sights: sights, isCut: true) }
      var status = stat()
      // A link leads to what is not the folder's, and a pipe would wait for its writer.
      guard lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
        continue
      }
      sights.append(
        WatchedFolder.Sight(
          name: name, size: Int64(status.st_size), seconds: Int64(status.st_mtim.tv_sec),
          nanoseconds: Int64(status.st_mtim.tv_nsec)))
    }
    return Listing(sights: sights, isCut: false)
  }

  /// The first bytes of a file; none of what is no file.
  private static func head(_ file: String) -> [UInt8] {
    let descriptor = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
    var bytes = [UInt8](repeating: 0, count: ExportGlance.length)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(count, 0)))
  }

  private static func unreadable(_ path: String, _ reason: String) -> GatewayError {
    GatewayError(
      .usage, code: "watch_folder", "the folder \(path) cannot be looked at (\(reason))",
      hint: "name a folder that is there and that the host's user may read")
  }

  private static func hangs(_ path: String) -> GatewayError {
    GatewayError(
      .temporary, code: "watch_folder", "the file system of \(path) does not answer",
      hint: "look at what is mounted there")
  }
}
