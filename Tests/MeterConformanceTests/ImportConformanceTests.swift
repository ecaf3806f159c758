import Foundation
import MeterConformance
import TestSupport
import Testing

/// Rule R18: drivers of exports, which have neither sessions nor values to decode.
@Suite("The suite over drivers of exports", .timeLimit(.minutes(60))) struct ImportConformanceTests {
  static let checks = [
    "empty", "strangers", "own", "pieces", "cut", "spoiled", "counted", "gone", "long",
  ]

  /// A change of the template, and the check that finds it.
  struct Offence: Sendable, CustomTestStringConvertible {
    let check: String
    let file: String
    let old: String
    let new: String
    var status: CheckStatus = .failed

    var testDescription: String { check }
  }

  static let offences = [
    // Fails without a word.
    Offence(
      check: "empty", file: "reader.c", old: "return fail(talk, sink, FAIL_NOT_OURS,",
      new: "if (talk->at == 0) return fail(talk, sink, FAIL_NOT_OURS, \"\");\n  return fail(talk, sink, FAIL_NOT_OURS,"),
    // Any first line will do.
    Offence(
      check: "strangers", file: "reader.c",
      old: "if (is_line && text.n == header.n && memcmp(text.p, header.p, header.n) == 0) {",
      new: "if (is_line && header.n > 0) {"),
    // Never says that it is done.
    Offence(
      check: "own", file: "reader.c", old: "return act(sink, MH_TALK_DONE, 0, 0, NULL);",
      new: #"return fail(talk, sink, FAIL_UNREADABLE, "it is over");"#),
    // A crash on a line of the sample.
    Offence(
      check: "own", file: "line.c", old: "return MH_REFUSED_SENTINEL;", new: "__builtin_trap();", status: .crashed),
    // The end of a piece is the end of a line.
    Offence(
      check: "pieces", file: "reader.c", old: "if (end == NULL) return 0;",
      new: """
        if (end == NULL) {
          *size = talk->length - talk->position;
          *text = (mh_str){from, *size};
          return *size > 0;
        }
        """),
    // The end of the file is the end of a line.
    Offence(
      check: "cut", file: "reader.c", old: "if (end == NULL) return 0;",
      new: """
        if (end == NULL && talk->is_last && talk->length > talk->position) {
          *size = talk->length - talk->position;
          *text = (mh_str){from, *size};
          return 1;
        }
        if (end == NULL) return 0;
        """),
    // Counts what is wanted.
    Offence(
      check: "counted", file: "output.c", old: "if (status == MH_OK) to->counts[from->type] += 1;",
      new: "if (status == MH_OK && is_wanted(to, from)) to->counts[from->type] += 1;"),
    // Pulls of what is gone.
    Offence(
      check: "gone", file: "reader.c",
      old: "sink->flags |= MH_IMPORT_PARTIAL;\n      talk->phase = PHASE_OVER;\n      return MH_OK;",
      new: "return act(sink, MH_TALK_PULL, 0, PIECE, NULL);"),
    // Keeps more of each piece than the piece has.
    Offence(
      check: "long", file: "reader.c", old: "talk->is_last = (event->flags & MH_TALK_LAST) != 0;",
      new: """
        volatile char *const kept = malloc(4 * PIECE);
        if (kept == NULL) return MH_E_MEMORY;
        for (uint32_t i = 0; i < 4 * PIECE; i += 512) kept[i] = 1;
        talk->is_last = (event->flags & MH_TALK_LAST) != 0;
        """),
  ]

  @Test("the template keeps every rule") func template() async throws {
    let report = try await ImportTemplateBundle().test()
    #expect(report.passed, "\(report.bad)")
    #expect(report.count(.warning) == 0, "\(report.results.filter { $0.status == .warning })")
    let own = report.results.filter { $0.rule.description == "R18" }
    #expect(own.map(\.check) == Self.checks && own.allSatisfy { $0.status == .passed }, "\(own)")
  }

  @Test("a driver that breaks the rule is told how", arguments: offences)
  func offence(offence: Offence) async throws {
    let bundle = try ImportTemplateBundle(offence.file, replacing: offence.old, with: offence.new)
    let report = try await bundle.test("R18")
    let found = report.results.filter { $0.check == offence.check }
    #expect(!report.passed && found.count == 1, "\(report.results)")
    let isExpected = found.allSatisfy { $0.status == offence.status || offence.check == "long" && $0.status.isBad }
    #expect(isExpected, "\(found)")
    #expect(found.allSatisfy { $0.found?.isEmpty == false && $0.mend?.isEmpty == false && $0.place != nil }, "\(found)")
    #expect(found.allSatisfy { $0.reproduction?.events.isEmpty == false })
  }

  @Test("without an export there is nothing to try a driver on") func nothing() async throws {
    let report = try await ImportTemplateBundle(exports: [:]).test()
    #expect(!report.passed && report.nothingTried?.contains("--export") == true)
    let skipped = report.results.filter { $0.rule.description == "R18" && $0.status == .skipped }
    #expect(skipped.map(\.check) == Array(Self.checks.dropFirst(2)), "\(skipped)")
    #expect(skipped.allSatisfy { $0.reason?.contains("exports/") == true })
  }

  @Test("an export that cannot be tried is named", arguments: ["", "nowhere.csv"])
  func unreadable(name: String) async throws {
    let bundle = try ImportTemplateBundle(exports: ["empty.csv": ""])
    defer { try? FileManager.default.removeItem(at: bundle.folder) }
    let named = name.isEmpty ? [] : [bundle.folder.appending(path: name).path]
    let target = ConformanceTarget(
      bundle.folder.path, registry: CompiledBundle.root.appending(path: "registry.json").path,
      worker: BuildProducts.worker.path, exports: named)
    let error = await #expect(throws: ConformanceError.self) { try await ConformanceSuite(target).run() }
    #expect(error?.code == .unreadable && error?.message.contains(name.isEmpty ? "empty.csv" : name) == true)
  }

  @Test("the driver of Apple's exports keeps the rule, too") func shipped() async throws {
    let record = { (time: String, value: Int) in
      "<Record type=\"HKQuantityTypeIdentifierStepCount\" sourceName=\"iPhone\" unit=\"count\" "
        + "startDate=\"2025-03-01 \(time):00 +0100\" endDate=\"2025-03-01 \(time):30 +0100\" value=\"\(value)\"/>\n"
    }
    let text =
      "<HealthData>\n<ExportDate value=\"2025-03-31 22:00:00 +0200\"/>\n" + record("10:00", 1100) + record("11:00", 12)
      + "</HealthData>\n"
    let file = FileManager.default.temporaryDirectory.appending(path: "mh-export-\(UUID().uuidString).xml")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let staged = try StagedDrivers.shared.get()
    let target = ConformanceTarget(
      "org.meterhost.apple-health", registry: staged.registry, worker: BuildProducts.worker.path, exports: [file.path])
    let report = try await ConformanceSuite(target).run()
    #expect(report.passed, "\(report.bad)")
    #expect(report.results.filter { $0.rule.description == "R18" }.allSatisfy { $0.status == .passed })
  }
}
