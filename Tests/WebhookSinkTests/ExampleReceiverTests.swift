import CurlHTTP
import Foundation
import HostPrimitives
import MeterCore
import RecordSupport
import TestSupport
import Testing

@testable import WebhookSink

/// The receiver of docs/reference/webhook.md, as it stands there, is run and sent readings.
@Suite("The receiver of the documentation", .timeLimit(.minutes(60)))
struct ExampleReceiverTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Its program.
  private static func example() throws -> String {
    let page = try String(contentsOf: root.appending(path: "docs/reference/webhook.md"), encoding: .utf8)
    let code = try #require(page.components(separatedBy: "```python\n").dropFirst().first)
    return try #require(code.components(separatedBy: "```").first)
  }

  private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  private func start(_ python: String, secret: String) throws -> (program: ChildProcess, address: String) {
    let program = folder.url.appending(path: "receiver.py")
    try Data(try Self.example().utf8).write(to: program)
    let child = try ChildProcess(
      URL(filePath: python), [program.path, "0"], environment: ["WEBHOOK_SECRET": secret], folder: folder.url,
      output: .pipe, errors: .null)
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n"), let byte = try child.output().read(upToCount: 1)?.first { line.append(byte) }
    let port = try #require(Int(String(decoding: line, as: UTF8.self).filter(\.isNumber)))
    return (child, "http://127.0.0.1:\(port)/hook")
  }

  @Test("has each reading once, also one that is sent again, and believes nobody else", .enabled(if: python != nil))
  func readings() async throws {
    let python = try #require(Self.python)
    let secret = WebhookMessageTests.secret
    let (program, address) = try start(python, secret: secret.secret)
    defer { program.signal(SIGKILL) }
    var setting = WebhookSinkSetting(address: address)
    setting.confirmation = .echo
    let sink = WebhookSink(try setting.checked(in: SinkPlace(stateFolder: folder.state)))
    let credential = SinkCredential(user: Fixture.user, token: secret)
    let records = (1...3).map { Fixture.glucose($0) }
    for record in records + records {
      let replies = await sink.deliver([record], with: credential)
      #expect(replies.allSatisfy { if case .delivered = $0.outcome { true } else { false } }, "\(replies)")
    }
    let stranger = AccessToken("whsec_" + Data(repeating: 7, count: 32).base64EncodedString())
    let refused = await sink.deliver([Fixture.glucose(4)], with: SinkCredential(user: Fixture.user, token: stranger))
    #expect(refused.map(\.outcome) == [.retry()] && refused.first?.text.contains("401") == true)
    let stale = WebhookSink(try setting.checked(in: SinkPlace(stateFolder: folder.state)), clock: Self.yesterday)
    #expect(await stale.deliver([Fixture.glucose(5)], with: credential).map(\.outcome) == [.retry()])
    let rows = try ChildProcess.run(
      URL(filePath: python),
      [
        "-c",
        "import sqlite3\nfor row in sqlite3.connect('readings.db').execute('SELECT log_id FROM reading'): print(*row)",
      ],
      folder: folder.url)
    #expect(Set(rows.lines) == Set(records.map { "\($0.logID)" }) && rows.lines.count == 3)
  }

  private static var yesterday: StoppedClock {
    let clock = StoppedClock()
    clock.unixMicroseconds -= 86_400_000_000
    return clock
  }
}
