/// Functions of libc that a driver has no business with.
///
/// Loading does not look at them: in a worker the kernel ends who calls one, and a runtime may bring some that nobody calls. Authors hear of
/// them, by `driver verify` and the conformance suite alike: what is not called today is a call away.
package enum ForbiddenImport: CaseIterable, Sendable {
  /// What reaches out of a driver or changes its process (rule R7).
  case surroundings
  /// Where else than from the host a driver could take time, chance or settings (rule R8).
  case sources

  /// The rule that forbids them.
  package var rule: String {
    switch self {
    case .surroundings: "R7"
    case .sources: "R8"
    }
  }

  /// Those among what a bundle asks libc for, in order.
  package func found(in imports: [String]) -> [String] { imports.filter(names.contains).sorted() }

  private var names: Set<String> {
    switch self {
    case .surroundings: Self.reachingOut
    case .sources: Self.sourcesOfItsOwn
    }
  }

  private static let reachingOut: Set<String> = [
    "pthread_create", "thrd_create", "fork", "vfork", "clone", "posix_spawn", "posix_spawnp", "execv", "execve",
    "execvp", "execl", "execlp", "system", "popen", "daemon", "open", "open64", "openat", "openat64", "__open_2",
    "__open64_2", "__openat_2", "__openat64_2", "creat", "fopen", "fopen64", "freopen", "fdopen", "opendir", "unlink",
    "rename", "remove", "rmdir", "mkdir", "chdir", "chmod", "tmpfile", "mkstemp", "stat", "stat64", "lstat", "lstat64",
    "fstat", "fstat64", "statx", "access", "faccessat", "readlink", "fcntl", "fcntl64", "ioctl", "memfd_create",
    "shm_open", "shm_unlink", "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "getaddrinfo",
    "gethostbyname", "pipe", "pipe2", "dup", "dup2", "dup3", "eventfd", "signalfd", "timerfd_create", "setlocale",
    "uselocale", "newlocale", "setenv", "putenv", "unsetenv", "clearenv", "signal", "sigaction", "raise", "sigprocmask",
    "pthread_sigmask", "kill", "tgkill", "alarm", "setitimer", "timer_create", "exit", "_exit", "_Exit", "quick_exit",
    "atexit", "__cxa_atexit", "on_exit", "printf", "__printf_chk", "vprintf", "puts", "putchar", "fputs", "fputc",
    "fwrite", "fprintf", "__fprintf_chk", "vfprintf", "__vfprintf_chk", "__vprintf_chk", "dprintf", "__dprintf_chk",
    "perror", "write", "writev", "read", "send", "sendto", "recv", "recvfrom", "sendmsg", "recvmsg", "syslog", "dlopen",
    "dlsym", "dlmopen", "mmap", "mprotect", "syscall", "ptrace", "prctl", "setrlimit", "sleep", "usleep", "nanosleep",
    "clock_nanosleep", "poll", "select", "epoll_wait", "fesetround", "umask", "setuid",
  ]

  private static let sourcesOfItsOwn: Set<String> = [
    "time", "clock", "clock_gettime", "clock_getres", "gettimeofday", "ftime", "timespec_get", "times", "getrusage",
    "localtime", "localtime_r", "mktime", "tzset", "rand", "rand_r", "srand", "random", "srandom", "drand48", "lrand48",
    "getrandom", "getentropy", "arc4random", "arc4random_uniform", "getenv", "secure_getenv", "getpid", "getppid",
    "gettid", "getuid", "geteuid", "gethostname", "uname", "sysconf", "getauxval", "pthread_self",
  ]
}

extension VerifiedBundle {
  /// What the conformance suite would say of the functions that the bundle asks libc for: `forbidden_import`, or nil.
  ///
  /// - Throws: `BundleError` when the sealed bytes cannot be read.
  package func forbiddenImports() throws(BundleError) -> BundleError? {
    Self.forbidden(among: try imports(), of: path)
  }

  static func forbidden(among imports: [String], of path: String) -> BundleError? {
    for kind in ForbiddenImport.allCases {
      let found = kind.found(in: imports)
      guard !found.isEmpty else { continue }
      return BundleError(
        .forbiddenImport, path: path, rule: kind.rule,
        message:
          "the bundle asks libc for \(found.prefix(8).joined(separator: ", ")); a driver takes bytes, time and chance from "
          + "the host: leave them out, and the runtime that brings them (in Rust build with no_std)")
    }
    return nil
  }
}
