import Foundation
import Glibc
import Logging
import Synchronization
import TestSupport
import Testing

@testable import MeterCore

/// What is logged of each area, and how it reaches the journal.
@Suite struct LogSwitchTests {
  private final class Lines: Sendable {
    let all = Mutex<[LogLine]>([])
    func logger(_ label: String, _ logSwitch: LogSwitch) -> Logger {
      Logger(label: label) { label in
        AreaLogHandler(label: label, obeying: logSwitch) { line in self.all.withLock { $0.append(line) } }
      }
    }
    var messages: [String] { all.withLock { $0.map(\.message) } }
  }

  @Test func areasAreSwitchedApartAtRunTime() {
    let (logSwitch, lines) = (LogSwitch(), Lines())
    let core = lines.logger("meterhost.core", logSwitch)
    let drivers = lines.logger("meterhost.drivers", logSwitch)
    core.info("1")
    core.warning("2")
    logSwitch.settings[.drivers] = .trace
    drivers.trace("3")
    core.info("4")
    logSwitch.settings[.core] = .off
    core.critical("5")
    logSwitch.settings[.drivers] = .error
    drivers.warning("6")
    drivers.error("7")
    #expect(lines.messages == ["2", "3", "7"])
    #expect(lines.all.withLock { $0.map(\.area) } == [.core, .drivers, .drivers])
  }

  @Test func aLoggersOwnBoundHolds() {
    let (logSwitch, lines) = (LogSwitch(), Lines())
    logSwitch.settings[.core] = .trace
    var logger = lines.logger("meterhost.core", logSwitch)
    #expect(logger.logLevel == .trace)
    logger.logLevel = .error
    logger.warning("1")
    logger.error("2", metadata: ["a": "b"])
    #expect(lines.messages == ["2"])
    #expect(lines.all.withLock { $0.first?.fields } == ["a": "b"])
  }

  @Test(
    "labels name their areas",
    arguments: [
      ("meterhost.bluetooth", LogArea.bluetooth), ("meterhost.receiver", .core), ("other", .core), ("", .core),
      ("meterhost.", .core),
    ])
  func labels(_ label: String, _ area: LogArea) { #expect(LogArea(label: label) == area) }

  @Test func settingsAreKeptWithTheFolder() throws {
    let folder = try TemporaryFolder()
    var settings = LogSettings()
    settings[.ocr] = .debug
    settings.showsValues = true
    do {
      let store = try MeterStore(folder: folder.state)
      #expect(try store.logSettings() == nil)
      try store.setLogSettings(LogSettings())
      try store.setLogSettings(settings)
    }
    #expect(try MeterStore(folder: folder.state).logSettings() == settings)
  }

  @Test func aLineForTheJournalHasItsFields() {
    let line = LogLine(
      area: .bluetooth, level: .warning, message: "first\nsecond", fields: ["log_id": "x=1", "bad name!": "y"])
    let bytes = JournalLog.datagram(line)
    let length: [UInt8] = [12, 0, 0, 0, 0, 0, 0, 0]
    let head = """
      PRIORITY=4
      SYSLOG_IDENTIFIER=meterhost
      METERHOST_AREA=bluetooth
      METERHOST_BAD_NAME_=y
      METERHOST_LOG_ID=x=1
      MESSAGE

      """
    #expect(bytes == Array(head.utf8) + length + Array("first\nsecond\n".utf8))
  }

  @Test func aLineThatTheJournalGetsAsTextBeginsWithItsPriority() {
    let levels: [Logger.Level] = [.critical, .error, .warning, .notice, .info, .debug, .trace]
    let prefixes = levels.map { JournalLog.prefix(of: LogLine(area: .core, level: $0, message: "")) }
    #expect(prefixes == ["<2>", "<3>", "<4>", "<5>", "<6>", "<7>", "<7>"])
    #expect(!JournalLog.isStandardError(environment: ["JOURNAL_STREAM": "1:1"]))
    #expect(!JournalLog.isStandardError(environment: [:]))
  }

  @Test func theJournalGetsOneDatagramALine() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "journal").path
    let server = try JournalServer(path)
    let journal = try #require(JournalLog(address: path))
    #expect(journal.write(LogLine(area: .core, level: .info, message: "hello")))
    #expect(server.next().contains("METERHOST_AREA=core\nMESSAGE=hello\n"))
    // Longer than any datagram: refused, so that the caller writes it elsewhere.
    #expect(!journal.write(LogLine(area: .core, level: .info, message: String(repeating: "x", count: 8 << 20))))
    #expect(JournalLog(address: folder.url.appending(path: "nobody").path) == nil)
    #expect(JournalLog(address: String(repeating: "x", count: 200)) == nil)
    #expect(JournalLog.ofStandardError(environment: [:]) == nil)
    #expect(JournalLog.ofStandardError(environment: ["JOURNAL_STREAM": "1:1"]) == nil)
  }
}

/// Stands for journald.
private final class JournalServer: Sendable {
  private let socket: Int32

  init(_ path: String) throws {
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(status == 0)
  }

  deinit { close(socket) }

  /// The datagram that has come: the sender's write has returned.
  func next() -> String {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
