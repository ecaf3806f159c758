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

  private typealias Sight = WatchedFolder.Sight

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

  /// Whether a file begins as exports do; a folder that is listed is one by its name. What is gone is none.
  ///
  /// - Throws: as ``list()``.
  func isExport(_ name: String) async throws(GatewayError) -> Bool {
    try await perform { [path] () throws(GatewayError) -> Bool in
      var status = stat()
      guard lstat("\(path)/\(name)", &status) == 0 else { return false }
      return status.st_mode & S_IFMT == S_IFDIR || ExportGlance(Self.head("\(path)/\(name)")) != nil
    }
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
    for name in names {
      guard let sight = sight(of: name, in: path) else { continue }
      guard sights.count < mostFiles else { return Listing(sights: sights, isCut: true) }
      sights.append(sight)
    }
    return Listing(sights: sights, isCut: false)
  }

  /// A file or a folder as it looks now; nil of what is no export by its name or kind. A link leads to what is not the folder's, and a pipe
  /// would wait for its writer.
  private static func sight(of name: String, in path: String) -> Sight? {
    var status = stat()
    guard lstat("\(path)/\(name)", &status) == 0 else { return nil }
    let kind = status.st_mode & S_IFMT
    switch ExportName(name, isFolder: kind == S_IFDIR) {
    case .file: return kind == S_IFREG && status.st_size > 0 ? Sight(name, status) : nil
    case .exportFolder: return sight(ofFolder: "\(path)/\(name)", Sight(name, status))
    case .ignored: return nil
    }
  }

  /// A folder that is an export, as what lies right in it looks: all sizes, and the latest time. Its tables lie there.
  private static func sight(ofFolder folder: String, _ own: Sight) -> Sight {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.prefix(mostFiles).reduce(into: own) { sight, name in
      var status = stat()
      guard lstat("\(folder)/\(name)", &status) == 0 else { return }
      let entry = Sight(own.name, status)
      sight.size &+= entry.size
      if WatchedFolder.isOlder(sight, entry) { (sight.seconds, sight.nanoseconds) = (entry.seconds, entry.nanoseconds) }
    }
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

extension WatchedFolder.Sight {
  fileprivate init(_ name: String, _ status: stat) {
    self.init(
      name: name, size: Int64(status.st_size), seconds: Int64(status.st_mtim.tv_sec),
      nanoseconds: Int64(status.st_mtim.tv_nsec))
  }
}
