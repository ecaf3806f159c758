import DriverContract
import DriverProbe
import MeterDrivers

extension Check {
  /// What a driver does to the process around it, and asks of the system.
  static let surroundings: [Check] = [
    Check(
      .r7, "imports", "The library asks libc for no thread, process, file, socket, locale or exit.",
      mend: "leave it out: the host owns files, sockets and threads, and the driver answers by records and actions"
    ) { context in
      try forbidden(context, ForbiddenImport.surroundings)
    },
    Check(
      .r7, "undisturbed", "Locale, environment, rounding, descriptors and threads are left as they were.",
      mend: "change nothing that belongs to the whole process"
    ) { context in
      try await context.probing { probe in
        func look() throws(DriverFault) -> ProbedProcess {
          do throws(ProbeFailure) { return try probe.client.look() } catch { throw probe.fault(error) }
        }
        let before = try look()
        for tape in context.tapes { try context.player(tape, on: probe).playAll() }
        for group in DecodeGroup.groups(context.cases) { _ = try context.decode(group, on: probe) }
        let after = try look()
        if after.locale != before.locale { return .failed("the locale is \(after.locale), before \(before.locale)") }
        if after.environment != before.environment { return .failed("the environment has changed") }
        if after.rounding != before.rounding { return .failed("the rounding of numbers has changed") }
        if after.descriptors != before.descriptors {
          return .failed("\(after.descriptors) descriptors are open, before \(before.descriptors)")
        }
        if after.threads != before.threads {
          return .failed("\(after.threads) threads run, before \(before.threads)")
        }
        return .passed
      }
    },
    Check(
      .r7, "silent", "Nothing is written to standard output or standard error.",
      mend: "log with host.log; what a driver prints is seen by nobody"
    ) { context in
      try await context.probing { probe in
        for tape in context.tapes { try context.player(tape, on: probe).playAll() }
        for group in DecodeGroup.groups(context.cases) { _ = try context.decode(group, on: probe) }
        let words = probe.printed()
        return words.isEmpty ? .passed : .failed("it wrote \"\(words.prefix(80))\"")
      }
    },
    Check(
      .r7, "in-call", "Host services are used inside of driver calls only.",
      mend: "ask the host in open, event, decode and close only; log and extension may be called at any time"
    ) { context in
      try await context.probing { probe in
        for tape in context.tapes { try context.player(tape, on: probe).playAll() }
        for group in DecodeGroup.groups(context.cases) { _ = try context.decode(group, on: probe) }
        let process: ProbedProcess
        do throws(ProbeFailure) { process = try probe.client.look() } catch { throw probe.fault(error) }
        guard let name = process.servicesOutside.first else { return .passed }
        return .failed("it called \(name) outside of every driver call")
      }
    },
    Check(
      .r8, "imports", "The library asks libc for no clock, random numbers or environment.",
      mend: "take the time from the event (mono_ns, unix_us) and random bytes from host.random"
    ) { context in
      try forbidden(context, ForbiddenImport.sources)
    },
  ]

  private static func forbidden(_ context: CheckContext, _ names: Set<String>) throws -> Verdict {
    let found = try context.subject.bundle.imports().filter(names.contains)
    return found.isEmpty ? .passed : .failed("it needs \(found.sorted().joined(separator: ", "))")
  }
}

/// Functions of libc that a driver has no business with.
enum ForbiddenImport {
  /// What reaches out of a driver or changes its process (rule R7).
  static let surroundings: Set<String> = [
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

  /// Where else than from the host a driver could take time, chance or settings (rule R8).
  static let sources: Set<String> = [
    "time", "clock", "clock_gettime", "clock_getres", "gettimeofday", "ftime", "timespec_get", "times", "getrusage",
    "localtime", "localtime_r", "mktime", "tzset", "rand", "rand_r", "srand", "random", "srandom", "drand48", "lrand48",
    "getrandom", "getentropy", "arc4random", "arc4random_uniform", "getenv", "secure_getenv", "getpid", "getppid",
    "gettid", "getuid", "geteuid", "gethostname", "uname", "sysconf", "getauxval", "pthread_self",
  ]
}
