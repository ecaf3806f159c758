import CLinux
import Glibc

/// What a worker gives up before a bundle's code runs in it (rules R7, R8, R16).
enum WorkerSandbox {
  /// What the worker itself may need beside its driver: frames and output on their way.
  static let ownMemory: UInt64 = 32 << 20
  /// Enough to load libraries; the bundle and the socket are among them.
  static let descriptors: UInt32 = 32

  /// Where the loader looks for libraries that a bundle needs.
  private static let libraries = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"]

  /// When the worker starts: from now on it can read libraries, and nothing else of the machine's files.
  ///
  /// - Returns: 0 or -errno.
  static func enter() -> Int32 {
    clinux_print_by_lines()
    let outlives = clinux_outlive_requests()
    guard outlives == 0 else { return outlives }
    let given = clinux_give_up_rights(descriptors)
    guard given == 0 else { return given }
    let locked = lockFiles()
    // A kernel without Landlock: system calls are filtered all the same, and files can be read only while libraries load.
    guard locked >= 0 || locked == -EOPNOTSUPP else { return locked }
    return 0
  }

  /// Before the bundle is mapped, when the worker's own threads run: no further one can start.
  static func beginLoading(_ limits: DriverLimits) -> Int32 {
    let limited = clinux_limit_memory(ownMemory + UInt64(limits.memoryMebibytes) << 20)
    return limited == 0 ? clinux_filter_calls(Int32(CLINUX_CALLS_LOADING)) : limited
  }

  /// When the bundle is mapped and has said what it holds.
  static func beginServing() -> Int32 { clinux_filter_calls(Int32(CLINUX_CALLS_SERVING)) }

  private static func lockFiles() -> Int32 {
    var paths: [UnsafePointer<CChar>?] = libraries.map { UnsafePointer(strdup($0)) }
    defer { for path in paths { free(UnsafeMutablePointer(mutating: path)) } }
    return clinux_lock_files(&paths, Int32(paths.count))
  }
}
