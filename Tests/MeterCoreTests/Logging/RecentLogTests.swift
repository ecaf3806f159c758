import Logging
import Testing

@testable import MeterCore

@Suite("The newest log lines") struct RecentLogTests {
  private static func line(_ text: String, fields: [String: String] = [:]) -> LogLine {
    LogLine(area: .core, level: .info, message: text, fields: fields)
  }

  @Test("are kept up to a bound, the newest in place of the oldest")
  func bound() {
    let log = RecentLog(obeying: LogSwitch())
    #expect(log.lines(atMost: 10).isEmpty)
    let count = RecentLog.most * 2 + 7
    for number in 1...count { log.keep(Self.line("\(number)"), at: Int64(number)) }
    let all = log.lines(atMost: .max)
    #expect(all.map(\.number) == Array(count - RecentLog.most + 1...count))
    #expect(all.map { $0.line.message } == all.map { "\($0.number)" } && all.last?.microseconds == Int64(count))
    #expect(log.lines(atMost: 3).map(\.number) == [count - 2, count - 1, count])
    #expect(log.lines(after: count - 1, atMost: 10).map(\.number) == [count])
    #expect(log.lines(after: count, atMost: 10).isEmpty && log.lines(atMost: -1).isEmpty)
  }

  @Test("are cut where they are long")
  func long() throws {
    let log = RecentLog(obeying: LogSwitch())
    let text = String(repeating: "é", count: 10_000)
    let fields = Dictionary(uniqueKeysWithValues: (0..<100).map { ("name \($0)", text) })
    log.keep(Self.line(text, fields: fields), at: 0)
    let kept = try #require(log.lines(atMost: 1).first?.line)
    #expect(kept.message.utf8.count < 600 && kept.message.hasSuffix("…"))
    #expect(kept.fields.count == RecentLog.mostFields && kept.fields.values.allSatisfy { $0.utf8.count < 600 })
  }

  @Test("are not kept while health values may stand in them")
  func values() {
    let logSwitch = LogSwitch()
    let log = RecentLog(obeying: logSwitch)
    log.keep(Self.line("before"), at: 0)
    logSwitch.settings.showsValues = true
    log.keep(Self.line("weight 70.5 kg"), at: 0)
    logSwitch.settings.showsValues = false
    log.keep(Self.line("after"), at: 0)
    #expect(log.lines(atMost: 10).map { $0.line.message } == ["before", "after"])
  }
}
