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

  /// Its program, or the query of what it has.
  private static func example(_ language: String = "python") throws -> String {
    let page = try String(contentsOf: root.appending(path: "docs/reference/webhook.md"), encoding: .utf8)
    let code = try #require(page.components(separatedBy: "```\(language)\n").dropFirst().first)
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
    let other = SinkCredential(user: Fixture.otherUser, token: secret)
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
    // Another person's reading of the same name, at another revision, hides none.
    var later = Fixture.glucose(1)
    later.revision = 2
    let replies = await sink.deliver([later], with: other)
    #expect(replies.allSatisfy { if case .delivered = $0.outcome { true } else { false } }, "\(replies)")
    let now = try ChildProcess.run(
      URL(filePath: python), ["-c", Self.query, try Self.example("sql")], folder: folder.url)
    #expect(
      now.lines.sorted()
        == (records.map { "\($0.logID) \(Fixture.user.userID) 1" } + ["\(later.logID) \(Fixture.otherUser.userID) 2"])
        .sorted())
  }

  private static let query = """
    import json, sqlite3, sys
    for (content,) in sqlite3.connect('readings.db').execute(sys.argv[1].strip().rstrip(';')):
        reading = json.loads(content)
        print(reading['log_id'], reading['user'], reading['revision'])
    """

  private static var yesterday: StoppedClock {
    let clock = StoppedClock()
    clock.unixMicroseconds -= 86_400_000_000
    return clock
  }
}
