import Glibc

/// What the kernel says of this process, as Prometheus' own clients report it.
struct ProcessFigures: Sendable, Hashable {
  /// Processor time that it has used, in seconds.
  var cpuSeconds: Double?
  /// Memory that it has mapped, and that of it which is in RAM, in bytes.
  var virtualBytes: Double?
  var residentBytes: Double?
  /// When it was started, in seconds since 1970-01-01T00:00Z.
  var startSeconds: Double?
  /// Descriptors that it has open, and may have.
  var openDescriptors: Double?
  var mostDescriptors: Double?

  /// Nothing is known.
  init() {}

  /// What files of proc(5) say.
  ///
  /// - Parameters:
  ///   - stat: `/proc/self/stat`.
  ///   - kernel: `/proc/stat`.
  ///   - limits: `/proc/self/limits`.
  ///   - ticks: How many of the kernel's ticks are a second.
  ///   - page: How many bytes a page has.
  init(stat: String, kernel: String, limits: String, ticks: Double, page: Double) {
    // The second field is the program's name in brackets, and may hold anything; the third is behind its end.
    let fields = stat[(stat.lastIndex(of: ")").map(stat.index(after:)) ?? stat.startIndex)...].split(separator: " ")
    func field(_ number: Int) -> Double? { fields.indices.contains(number - 3) ? Double(fields[number - 3]) : nil }
    if let user = field(14), let system = field(15), ticks > 0 { cpuSeconds = (user + system) / ticks }
    virtualBytes = field(23)
    residentBytes = field(24).map { $0 * page }
    let boot = kernel.split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) }
    if let boot, let started = field(22), ticks > 0 { startSeconds = boot + started / ticks }
    mostDescriptors = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
      .flatMap { $0.split(separator: " ").dropFirst(3).first }.flatMap { Double($0) }
  }

  /// Those of this process now. What cannot be read is not known.
  static var now: ProcessFigures {
    var figures = ProcessFigures(
      stat: text("/proc/self/stat"), kernel: text("/proc/stat"), limits: text("/proc/self/limits"),
      ticks: Double(sysconf(Int32(_SC_CLK_TCK))), page: Double(sysconf(Int32(_SC_PAGESIZE))))
    figures.openDescriptors = openDescriptors
    return figures
  }

  private static func text(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 16 << 10)
    // On a machine with many processors `/proc/stat` is long.
    while bytes.count < 1 << 20 {
      let count = read(descriptor, &part, part.count)
      guard count > 0 else { break }
      bytes += part[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static var openDescriptors: Double? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    // Itself, the folder and its parent are no descriptors of the host.
    var count = -3
    while readdir(folder) != nil { count += 1 }
    return Double(max(count, 0))
  }
}
