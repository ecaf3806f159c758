import Glibc

/// What the kernel says of the threads of this process and of all that it has started (proc(5)).
enum ThreadSurvey {
  /// The number of the thread that asks; /proc/thread-self is `PROCESS/task/THREAD`.
  static var ownThread: pid_t {
    var room = [UInt8](repeating: 0, count: 64)
    let count = room.withUnsafeMutableBytes { room in
      room.withMemoryRebound(to: CChar.self) { $0.baseAddress.map { readlink("/proc/thread-self", $0, 64) } ?? 0 }
    }
    let path = String(decoding: room.prefix(max(0, count)), as: UTF8.self)
    return path.split(separator: "/").last.flatMap { pid_t($0) } ?? 0
  }

  /// Whether there was a moment at which every thread but `own` waited.
  static func everythingWaits(but own: pid_t) -> Bool {
    guard let first = look(but: own), !first.isEmpty else { return false }
    return look(but: own) == first
  }

  /// How often each thread has run so far; nil: one of them runs, or wants to.
  private static func look(but own: pid_t) -> [pid_t: UInt64]? {
    var turns: [pid_t: UInt64] = [:]
    var processes = [getpid()]
    while let process = processes.popLast() {
      // A process that is gone between the two looks is missed by one of them.
      for thread in numbers(in: "/proc/\(process)/task") where thread != own {
        let folder = "/proc/\(process)/task/\(thread)"
        guard let state = state(folder) else { continue }
        guard state != .runs else { return nil }
        turns[thread] = word(2, of: text("\(folder)/schedstat")) ?? 0
        processes += children(folder)
      }
      if process == getpid() { processes += children("/proc/\(process)/task/\(own)") }
    }
    return turns
  }

  private enum ThreadState { case runs, waits }

  private static func state(_ folder: String) -> ThreadState? {
    // The name of the program stands in brackets before the state, and may hold brackets.
    guard let bytes = text("\(folder)/stat"), let bracket = bytes.lastIndex(of: UInt8(ascii: ")")),
      bracket + 2 < bytes.count, !isTestingLibrarys(bytes)
    else { return nil }
    switch bytes[bracket + 2] {
    // Waits, is stopped, is traced, is dead, is idle. D waits for a disk, which goes on by itself.
    case UInt8(ascii: "S"), UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: "Z"), UInt8(ascii: "X"),
      UInt8(ascii: "I"):
      // A thread that is about to wait says so a moment too early; this file says `running` until it is off its processor.
      let isOn = text("\(folder)/syscall")?.starts(with: "running".utf8) ?? false
      return isOn ? .runs : .waits
    default: return .runs
    }
  }

  /// Swift Testing watches for the ends of its exit tests in a thread that does not rest while any other child waits to be reaped.
  private static func isTestingLibrarys(_ stat: [UInt8]) -> Bool {
    stat.drop { $0 != UInt8(ascii: "(") }.starts(with: "(SWT ".utf8)
  }

  private static func children(_ folder: String) -> [pid_t] {
    guard let bytes = text("\(folder)/children") else { return [] }
    return bytes.split(separator: UInt8(ascii: " ")).compactMap { pid_t(String(decoding: $0, as: UTF8.self)) }
  }

  private static func word(_ index: Int, of bytes: [UInt8]?) -> UInt64? {
    let words = bytes?.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") } ?? []
    return index < words.count ? UInt64(String(decoding: words[index], as: UTF8.self)) : nil
  }

  private static func text(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 1024)
    while true {
      let count = read(file, &room, room.count)
      guard count > 0 else { return count == 0 ? bytes : nil }
      bytes += room.prefix(count)
    }
  }

  private static func numbers(in folder: String) -> [pid_t] {
    guard let entries = opendir(folder) else { return [] }
    defer { closedir(entries) }
    var found: [pid_t] = []
    while let entry = readdir(entries) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let number = pid_t(name) { found.append(number) }
    }
    return found
  }
}
