import Foundation
import Glibc
import MeterCore

/// What is looked up when somebody asks for metrics.
struct HostFigures: Sendable, Hashable {
  var store = StoreFigures()
  /// What this user may still write on the file system of the state folder, in bytes; nil where it does not say.
  var freeBytes: Double?
  var process = ProcessFigures()

  /// Looks it up: it waits for the disk.
  static func now(of store: MeterStore, withMeters: Bool) throws(StoreError) -> HostFigures {
    HostFigures(
      store: try store.figures(withMeters: withMeters), freeBytes: freeBytes(of: store.folder.path),
      process: .now)
  }

  private static func freeBytes(of folder: String) -> Double? {
    var system = statvfs()
    guard statvfs(folder, &system) == 0 else { return nil }
    return Double(system.f_bavail) * Double(system.f_frsize)
  }
}
