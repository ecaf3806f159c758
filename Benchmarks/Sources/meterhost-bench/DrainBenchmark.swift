import Foundation
import Glibc
import MeterCore
import CurlHTTP
import InformSink

/// A backlog on its way to a receiver on the same machine: store, uploader and libcurl in this process, `meterhost receive`
/// in another.
struct DrainBenchmark {
  private static let token = "bench-token-0123456789abcdef"

  private let options: Options
  private let rounds: Int
  private let records: Int

  init(_ options: Options) {
    self.options = options
    rounds = options.count(5, smoke: 1)
    // The kernel counts the receiver's time in hundredths of a second: less than that would be none.
    records = options.count(1_000, smoke: 100)
  }

  func run(_ report: inout Report) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "meterhost-drain-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let receiver = try RunningReceiver(options.program, folder: folder, token: Self.token)
    defer { receiver.stop() }
    report.measurements.append(
      Measurement("drain", "one fdatasync on the same disk", unit: "ms", try syncs(in: folder)))
    for concurrency in [1, 4, 16] {
      var rates: [Double] = []
      var own: [Double] = []
      var receivers: [Double] = []
      for _ in 0..<rounds {
        let run = try await drain(folder, receiver, concurrency)
        rates.append(Double(records) / run.seconds)
        own.append(run.cpuSeconds * 1e6 / Double(records))
        receivers.append(run.receiverSeconds * 1e6 / Double(records))
      }
      let name = "\(concurrency) request\(concurrency == 1 ? "" : "s") at a time"
      report.measurements += [
        Measurement("drain", name, unit: "records/s", rates),
        Measurement("drain", "\(name), CPU of the gateway", unit: "µs a record", own),
        Measurement("drain", "\(name), CPU of the receiver", unit: "µs a record", receivers),
      ]
    }
  }

  private struct Run {
    let seconds: Double
    let cpuSeconds: Double
    let receiverSeconds: Double
  }

  private func drain(_ folder: URL, _ receiver: RunningReceiver, _ concurrency: Int) async throws -> Run {
    let state = folder.appending(path: "state-\(UUID().uuidString)")
    let store = try MeterStore(folder: state)
    let user = SessionUser(userID: "bench", organizationID: "bench")
    let generation = try store.startSession(user, token: AccessToken(Self.token)).session.generation
    let waiting = (0..<records).map { IntakeEntry.record(Self.reading($0)) }
    _ = try await Intake(store).take(waiting, of: generation)
    var settings = DeliverySettings()
    settings.concurrency = concurrency
    let uploader = DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(receiver.url), transport: CurlTransport(), settings: settings)
    let before = (cpuSeconds(), receiver.cpuSeconds())
    let start = ContinuousClock.now
    let drained = await uploader.drain()
    let seconds = (ContinuousClock.now - start).nanoseconds / 1e9
    guard drained.delivered == records, drained.waiting == 0 else {
      throw BenchmarkError("drain delivered \(drained.delivered) of \(records), \(drained.waiting) wait")
    }
    return Run(
      seconds: seconds, cpuSeconds: cpuSeconds() - before.0, receiverSeconds: receiver.cpuSeconds() - before.1)
  }

  private static func reading(_ number: Int) -> Record {
    let moment = 1_704_067_200_000_000 + Int64(number) * 60_000_000
    let time = RecordTime(
      startMicroseconds: moment, endMicroseconds: moment, civilMicroseconds: nil, utcOffsetSeconds: 3600,
      zoneSource: .gateway, kind: .utc)
    let source = RecordSource(
      peripheralID: 1000, manufacturer: "Acme", model: "Gluco", deviceID: "GM-0042", driverID: "org.example.bench",
      driverVersion: "1.0.0")
    let value = RecordValue(
      metric: 1, unit: 2, number: ReportedNumber(mantissa: Int64(80 + number % 100), exponent: 0))
    return Record(
      logID: .live(), identityClass: .live, type: .diabetes, time: time, values: [value], source: source)
  }

  /// User and system time of this process.
  private func cpuSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
  }

  /// What the disk itself costs: 512 bytes appended and synced.
  private func syncs(in folder: URL) throws -> [Double] {
    let descriptor = open(folder.appending(path: "sync").path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    guard descriptor >= 0 else { throw BenchmarkError("cannot write to \(folder.path)") }
    defer { close(descriptor) }
    let bytes = [UInt8](repeating: 0x55, count: 512)
    return (0..<100).map { _ in
      nanoseconds {
        _ = write(descriptor, bytes, bytes.count)
        fdatasync(descriptor)
      } / 1e6
    }
  }
}

/// `meterhost receive` on a port of its own.
private final class RunningReceiver {
  let url: String
  private let process = Process()

  init(_ program: String, folder: URL, token: String) throws {
    let accounts = folder.appending(path: "accounts")
    try Data("bench:bench:\(token)\n".utf8).write(to: accounts)
    process.executableURL = URL(filePath: program)
    process.arguments = [
      "receive", "--port", "0", "--database", folder.appending(path: "receiver.sqlite").path, "--accounts",
      accounts.path, "--json",
    ]
    let output = Pipe()
    process.standardOutput = output
    // It logs a line for each record, and a terminal that shows them is none of its work.
    process.standardError = FileHandle.nullDevice
    try process.run()
    var said: [UInt8] = []
    var byte: UInt8 = 0
    while read(output.fileHandleForReading.fileDescriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
      said.append(byte)
    }
    let line = try? JSONSerialization.jsonObject(with: Data(said)) as? [String: Any]
    guard let url = line?["url"] as? String else {
      process.terminate()
      throw BenchmarkError("\(program) receive said “\(String(decoding: said, as: UTF8.self))”")
    }
    self.url = url
  }

  /// User and system time of the receiver, in ticks of the kernel.
  func cpuSeconds() -> Double {
    let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
    // The name of the program stands in parentheses and may hold blanks.
    let fields = text.split(separator: ")").last.map { $0.split(separator: " ") } ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  func stop() {
    process.interrupt()
    process.waitUntilExit()
  }
}
