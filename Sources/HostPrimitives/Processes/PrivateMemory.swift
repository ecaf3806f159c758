internal import CLinux
internal import Dispatch
internal import Glibc

/// What a program does about its memory before anything else: tokens, keys and readings will be in it.
package enum PrivateMemory {
  /// Free memory that is worth giving back, and how often that is looked at.
  private static let least: UInt64 = 8 << 20
  private static let interval = DispatchTimeInterval.seconds(60)

  private nonisolated(unsafe) static let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))

  /// No core file and no other process of this user gets at it, and no TLS library writes the keys of its connections down
  /// because of a variable that somebody has left in the environment: with them a recorded connection can be read.
  ///
  /// Comes first: the environment must not be changed when there are other threads.
  ///
  /// - Returns: Why the system does not keep it out of core files; nil where it does.
  package static func protect() -> String? {
    unsetenv("SSLKEYLOGFILE")
    dropBacktraces()
    let status = clinux_keep_memory_private()
    return status == 0 ? nil : String(cString: strerror(-status))
  }

  /// Swift's backtrace of a crash shows what registers point to, and would stand in the journal. Who needs one asks for it.
  private static func dropBacktraces() {
    guard getenv("SWIFT_BACKTRACE") == nil else { return }
    for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
  }

  /// malloc(3) keeps what is freed for pieces of the same size, and makes an arena for every thread. An import that frees tables of
  /// megabytes and never asks for such a piece again would stay as large as its largest moment. Comes before other threads.
  package static func keepLittle() { _ = clinux_keep_little_memory(2) }

  /// From now on gives back what a flood has left behind. malloc(3) keeps what is free between used pieces, of each of its
  /// arenas, until it is told; a process that runs for months would be as large as in its worst minute.
  package static func returnWhatIsFree() {
    timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .seconds(10))
    timer.setEventHandler {
      _ = clinux_return_free_memory(least)
      // What served the start and a minute's work alone; what is used comes back from the system's cache.
      _ = clinux_return_program_text()
    }
    timer.activate()
  }
}
