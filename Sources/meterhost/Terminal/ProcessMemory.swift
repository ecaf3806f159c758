import CLinux
import Dispatch
import Foundation

/// What the process does about its memory before any command begins: tokens, keys and readings will be in it.
enum ProcessMemory {
  /// Free memory that is worth giving back, and how often that is looked at.
  private static let least: UInt64 = 8 << 20
  private static let interval = DispatchTimeInterval.seconds(60)

  private nonisolated(unsafe) static let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))

  /// No core file and no other process of this user gets at it, and no TLS library writes the keys of its connections down
  /// because of a variable that somebody has left in the environment: with them a recorded connection can be read.
  ///
  /// Comes first: the environment must not be changed when there are other threads.
  static func protect() {
    unsetenv("SSLKEYLOGFILE")
    dropBacktraces()
    let status = clinux_keep_memory_private()
    guard status != 0 else { return }
    Terminal().error(
      "warning: the system does not keep this process's memory out of core files: \(String(cString: strerror(-status)))"
    )
  }

  /// Swift's backtrace of a crash shows what registers point to, and would stand in the journal. Who needs one asks for it.
  private static func dropBacktraces() {
    guard getenv("SWIFT_BACKTRACE") == nil else { return }
    for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
  }

  /// malloc(3) keeps what is freed for pieces of the same size, and makes an arena for every thread. An import that frees tables of
  /// megabytes and never asks for such a piece again would stay as large as its largest moment.
  static func keepLittle() { _ = clinux_keep_little_memory(2) }

  /// From now on gives back what a flood has left behind. malloc(3) keeps what is free between used pieces, of each of its
  /// arenas, until it is told; a process that runs for months would be as large as in its worst minute.
  static func returnWhatIsFree() {
    timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .seconds(10))
    timer.setEventHandler { _ = clinux_return_free_memory(least) }
    timer.activate()
  }
}
