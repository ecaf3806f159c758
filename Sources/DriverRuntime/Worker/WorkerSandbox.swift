package import DriverContract
import CLinux
import Glibc

/// What a worker gives up before a bundle's code runs in it (rules R7, R8, R16).
package struct WorkerSandbox {
  /// What the worker itself may need beside its driver: frames and output on their way.
  package static let ownMemory: UInt64 = 32 << 20
  /// Enough to load libraries; the bundle and the socket are among them.
  package static let descriptors: UInt32 = 32
  /// Addresses for what is only read, beside the bundle's file: the gaps between its segments.
  package static let ownReadable: UInt64 = 16 << 20

  /// Where the loader looks for libraries that a bundle needs.
  private static let libraries = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"]

  /// To ask for this process's size with, when /proc is out of reach.
  private let memoryStatus: Int32

  /// When the worker starts: from now on it can read libraries, and nothing else of the machine's files.
  ///
  /// Nil where the kernel does not confine it.
  package init?() {
    memoryStatus = clinux_open_memory_status()
    guard memoryStatus >= 0, Self.enter() == 0 else { return nil }
  }

  private static func enter() -> Int32 {
    clinux_print_by_lines()
    let outlives = clinux_outlive_requests()
    guard outlives == 0 else { return outlives }
    let given = clinux_give_up_rights(descriptors)
    guard given == 0 else { return given }
    let locked = lockFiles()
    // A kernel without Landlock: the filter of system calls takes all files away before a bundle's code runs.
    guard locked >= 0 || locked == -EOPNOTSUPP else { return locked }
    return 0
  }

  /// Maps the libraries that a bundle needs, while files can still be opened.
  package func loadLibraries(of bundle: Int32, name: String) throws(DriverFault) {
    var words = [CChar](repeating: 0, count: 512)
    guard clinux_load_needed(bundle, &words, UInt32(words.count)) == 0 else {
      let cause = String(decoding: words.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      throw DriverFault(.loadFailed, driver: name, rule: "R20", message: "the bundle cannot be mapped", cause: cause)
    }
  }

  /// Before the bundle is mapped, when the worker's own threads run: no further one can start. From now on the loader can open
  /// this one bundle, and nobody can name a file.
  ///
  /// - Parameter addresses: What the worker may map without using it, beyond what one thread does.
  /// - Returns: 0 or -errno.
  package func beginLoading(_ bundle: Int32, _ limits: DriverLimits, addresses: UInt64 = 0) -> Int32 {
    let mapped = clinux_mapped_bytes(memoryStatus)
    close(memoryStatus)
    guard mapped >= 0 else { return Int32(mapped) }
    var facts = stat()
    guard fstat(bundle, &facts) == 0 else { return -errno }
    let readable = Self.ownReadable + UInt64(max(0, facts.st_size)) + addresses
    let most = Self.ownMemory + UInt64(limits.memoryMebibytes) << 20
    let limited = clinux_limit_memory(most, UInt64(mapped), readable)
    guard limited == 0 else { return limited }
    // Opened anew: the descriptor that came shares its position in the file with the host's and with every other worker's.
    let own = open("/proc/self/fd/\(bundle)", O_RDONLY | O_CLOEXEC)
    guard own >= 0 else { return -errno }
    clinux_offer_object(own)
    return clinux_filter_calls(Int32(CLINUX_CALLS_LOADING))
  }

  /// When the bundle is mapped and has said what it holds.
  package func beginServing() -> Int32 { clinux_filter_calls(Int32(CLINUX_CALLS_SERVING)) }

  private static func lockFiles() -> Int32 {
    var paths: [UnsafePointer<CChar>?] = libraries.map { UnsafePointer(strdup($0)) }
    defer { for path in paths { free(UnsafeMutablePointer(mutating: path)) } }
    return clinux_lock_files(&paths, Int32(paths.count))
  }
}

extension DriverLimits {
  /// All the memory of a worker with these limits, in bytes, as a control group counts it: what is its own and its stack, and for files that
  /// are mapped, the kernel's tables and its buffers as much as addresses are granted for what is only read. What keeps
  /// the limits of a process comes nowhere near.
  package var workerBytes: UInt64 {
    WorkerSandbox.ownMemory + UInt64(memoryMebibytes) << 20 + UInt64(CLINUX_MOST_STACK) + WorkerSandbox.ownReadable
  }
}
