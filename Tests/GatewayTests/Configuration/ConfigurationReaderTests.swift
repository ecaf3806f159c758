import Foundation
import GatewayEngine
import StrictJSON
import TestSupport
import Testing

@testable import GatewayTools

@Suite struct ConfigurationReaderTests {
  private func read(_ text: String) -> (HostConfiguration, [HostConfiguration.Problem]) {
    ConfigurationReader.read(Array(text.utf8), file: "/x.toml")
  }

  @Test func everyKeyIsRead() {
    let (configuration, problems) = read(
      """
      state = "/s"
      registry = "/r"
      fragments = "/f"
      trust = "/t"
      worker = "/w"
      in_process = true
      log = "bluetooth=debug,core=info"
      [radio]
      adapters = ["hci0", "00:11:22:33:44:55"]
      [run]
      json = true
      metrics = "9464"
      metrics_per_meter = true
      console = "127.0.0.1:8090"
      console_behind_proxy = "https://gateway.example"
      console_certificate = "/c.pem"
      console_key = "/k.pem"
      """)
    #expect(problems.isEmpty)
    #expect(configuration.text(.state) == "/s" && configuration.text(.worker) == "/w")
    #expect(configuration.flag(.inProcess) == true && configuration.flag(.runJSON) == true)
    #expect(configuration.texts(.radioAdapters) == ["hci0", "00:11:22:33:44:55"])
    #expect(configuration[.log]?.position == TextPosition(line: 7, column: 7))
    #expect(ConfigurationKey.allCases.filter { configuration[$0] == nil } == [.radioAir])
    #expect(read("[radio]\nair = \"/a\"").0.text(.radioAir) == "/a")
  }

  static let wrong: [(text: String, line: Int, column: Int, told: String)] = [
    ("stat = \"/s\"", 1, 1, "did you mean state?"), ("[raido]\nadapters = []", 1, 1, "did you mean [radio]?"),
    ("adapters = []", 1, 1, "adapters stands under [radio]"),
    ("[radio]\nstate = \"/s\"", 2, 1, "before the first table"),
    ("state = 5", 1, 9, "it takes a string in quotes"), ("state = \"s\"", 1, 9, "begin it with /"),
    ("state = \"~/s\"", 1, 9, "begin it with /"), ("in_process = \"yes\"", 1, 14, "it takes true or false"),
    ("log = \"loud\"", 1, 7, "levels are"), ("[radio]\nadapters = \"hci0\"", 2, 12, "an array of strings"),
    ("[radio]\nadapters = [\"a b\"]", 2, 13, ""), ("[radio]\nadapters = [1]", 2, 13, "an array of strings"),
    ("[radio]\nadapters = [\"a\"]\nair = \"/a\"", 2, 12, "leave one of them"), ("state = /s", 1, 9, ""),
    ("token = \"x\"", 1, 1, "only the host's user can read"),
    ("[run]\nmetrics = \"8.8.8.8:80\"", 2, 11, "a proxy with TLS"), ("[run]\nmetrics = 9464", 2, 11, "in quotes"),
    ("[run]\nconsole_certificate = \"c.pem\"", 2, 23, "begin it with /"),
    ("[console]\npassword = \"x\"", 2, 1, "only the host's user can read"),
  ]

  @Test(arguments: wrong)
  func aMistakeHasItsPlaceAndItsCure(text: String, line: Int, column: Int, told: String) throws {
    let (_, problems) = read(text)
    let problem = try #require(
      problems.first { $0.position == TextPosition(line: line, column: column) }, "\(problems)")
    #expect("\(problem.message) \(problem.hint ?? "")".contains(told) || told.isEmpty, "\(problem)")
    #expect(problem.text(of: "/x.toml").hasPrefix("/x.toml:\(line):\(column): "))
    #expect(!problem.message.contains("\"x\""), "no value of a secret is told")
  }

  @Test func allMistakesAreToldAtOnceInTheirOrder() {
    let problems = read("stat = 1\nlog = 2\n[run]\njson = 3").1
    #expect(problems.map(\.position?.line) == [1, 2, 4])
  }

  @Test func whoCanWriteAFileSaysWhatTheHostRuns() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "meterhost.toml").path
    try Data("state = \"/s\"\n".utf8).write(to: URL(filePath: file))
    for (mode, isRight) in [(0o600, true), (0o644, true), (0o664, false), (0o646, false)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
      let problems = ConfigurationFile(named: file, environment: [:]).check().problems
      #expect(problems.isEmpty == isRight, "\(String(mode, radix: 8)): \(problems)")
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    let facts = try #require(FileFacts(following: file))
    #expect(!ConfigurationFile.rights(facts, user: facts.owner &+ 1, holdsSecret: false).isEmpty || facts.owner == 0)
    #expect(ConfigurationFile.rights(facts, user: facts.owner, holdsSecret: true).isEmpty)
  }

  @Test func aReadableFileWithASecretIsToldTwice() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "meterhost.toml").path
    try Data("token = \"0123456789abcdef\"\n".utf8).write(to: URL(filePath: file))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    let problems = ConfigurationFile(named: file, environment: [:]).check().problems
    #expect(problems.count == 2 && problems[0].message.contains("can read the file"))
    #expect(!problems.contains { "\($0)".contains("0123456789abcdef") })
  }

  @Test func onlyANamedFileHasToBeThere() {
    #expect(
      ConfigurationFile(named: nil, environment: ["METERHOST_CONFIG": "/nowhere/x.toml"]).check().problems.count == 1)
    #expect(ConfigurationFile(named: "/nowhere/x.toml", environment: [:]).path == "/nowhere/x.toml")
    #expect(ConfigurationFile(named: nil, environment: ["METERHOST_CONFIG": ""]).path == ConfigurationFile.usual)
    #expect(!ConfigurationFile(named: nil, environment: [:]).isNamed)
  }
}
