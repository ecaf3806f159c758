import Foundation
import TestSupport
import Testing

/// `snap bench` on pictures that the test draws.
@Suite(.timeLimit(.minutes(10))) struct SnapBenchCommandTests {
  /// Draws one line and says where it is.
  private static func line(_ text: String, turned: Bool = false) -> (picture: DisplayPicture, box: String) {
    var picture = DisplayPicture(width: 480, height: 240)
    picture.draw(text, x: 120, y: 70, height: 100)
    let width = text.reduce(20) { $0 + ($1 == "." ? 16 : 68) }
    let (x, y) = turned ? (480 - 110 - width, 240 - 60 - 120) : (110, 60)
    return (turned ? picture.turned : picture, "\(x) \(y) \(width) 120")
  }

  private func bench(
    _ rows: [String], pictures: [(String, Data)], _ arguments: [String] = ["--generic"],
    heading: String = "path,text,device_type,boxes,rot180"
  ) async throws -> Outcome {
    try await Sandbox.with { sandbox in
      for (name, content) in pictures { try content.write(to: URL(filePath: sandbox.path(name))) }
      let labels = try sandbox.file("labels.csv", ([heading] + rows).joined(separator: "\n") + "\n")
      return try await Program.run(["snap", "bench", "--labels", labels, "--json"] + arguments, in: sandbox)
    }
  }

  private func summary(_ done: Outcome) throws -> [String: Any] {
    let line = try #require(done.lines.last)
    let last = try Outcome.object(line)
    #expect(Array(last.keys) == ["summary"])
    return try #require(last["summary"] as? [String: Any])
  }

  @Test func aSetIsMeasuredLineByLine() async throws {
    let (first, firstBox) = Self.line("120")
    let (second, secondBox) = Self.line("76", turned: true)
    let done = try await bench(
      [
        "a.png,120,glucometer,\(firstBox),0", "b.png,76,timer_led,\(secondBox),1",
        "empty.png,unreadable,timer_led,0 0 480 240,0",
        "damaged.png,5,timer_led,1 1 20 20,0",
      ],
      pictures: [
        ("a.png", first.png), ("b.png", second.png), ("empty.png", DisplayPicture(width: 480, height: 240).png),
        ("damaged.png", first.png.prefix(500)),
      ])
    #expect(done.status == 0, "\(done.err)")
    let lines = try done.objects()
    #expect(lines.count == 6)
    #expect(lines[0]["text"] as? String == "120" && lines[0]["exact_raw"] as? Bool == true, "\(done.lines[0])")
    #expect(lines[1]["text"] as? String == "76" && lines[1]["device_type"] as? String == "timer_led")
    #expect((lines[1]["single"] as? [String: Any])?["exact_raw"] as? Bool == true, "\(done.lines[1])")
    #expect(lines[2]["answered"] as? Bool == false && lines[2]["exact_raw"] as? Bool == true)
    #expect(lines[3]["answered"] as? Bool == false && (lines[3]["problem"] as? String)?.contains("damaged.png") == true)
    let details = try #require(lines[4]["details"] as? [String: Any])
    #expect(
      details["damaged"] as? Int == 1 && (details["groups"] as? [String: Any])?.keys.sorted() == ["health", "other"])
    #expect((details["curve"] as? [[String: Any]])?.isEmpty == false)
    let summary = try summary(done)
    #expect(
      summary.keys.sorted()
        == ["coverage", "exact_raw", "lines", "ms_per_frame", "selective_accuracy", "wbc", "wbc_upper95"])
    #expect(summary["lines"] as? Int == 4 && summary["wbc"] as? Double == 0)
    #expect(summary["exact_raw"] as? Double == 0.75)
    #expect((summary["wbc_upper95"] as? Double).map { $0 > 0.5 && $0 < 0.53 } == true)
    #expect((summary["ms_per_frame"] as? Double).map { $0 > 0 } == true)
  }

  /// What the reader took it for is measured, but nobody gets it as an answer.
  @Test func whatNoDisplayShowsIsNoAnswer() async throws {
    let texts = ["1.2.3", "7H", "5.0"]
    let drawn = texts.map { Self.line($0) }
    let rows = drawn.indices.map { "\($0).png,\(texts[$0]),glucometer,\(drawn[$0].box),0" }
    let done = try await bench(rows, pictures: drawn.indices.map { ("\($0).png", drawn[$0].picture.png) })
    #expect(done.status == 0, "\(done.err)")
    let lines = try done.objects().prefix(texts.count)
    #expect(lines.map { $0["answered"] as? Bool } == [false, false, true], "\(done.lines)")
    #expect(lines.allSatisfy { $0["exact_raw"] as? Bool == true }, "\(done.lines)")
  }

  /// The kind of the device says what its number may look like, and a number that it cannot show is no answer.
  @Test func theKindOfADeviceHoldsItsNumbers() async throws {
    let (picture, box) = Self.line("1203")
    let done = try await bench(["a.png,1203,glucometer,\(box),0"], pictures: [("a.png", picture.png)])
    #expect(done.status == 0, "\(done.err)")
    let line = try #require(try done.objects().first)
    #expect(line["answered"] as? Bool == false && line["exact_raw"] as? Bool == true, "\(done.lines)")
  }

  /// A box around a part of a number is no answer; around all of it, it is.
  @Test func aNumberThatGoesOnBesideTheBoxIsNoAnswer() async throws {
    let (picture, box) = Self.line("203")
    let done = try await bench(
      ["a.png,unreadable,glucometer,110 60 146 120,0", "a.png,203,glucometer,\(box),0"],
      pictures: [("a.png", picture.png)])
    #expect(done.status == 0, "\(done.err)")
    #expect(try done.objects().prefix(2).map { $0["answered"] as? Bool } == [false, true], "\(done.lines)")
  }

  @Test func aMetersOwnRowsAreMeasuredWithItsOverlay() async throws {
    let blank = DisplayPicture(width: 640, height: 480)
    let done = try await bench(
      ["a.png,unreadable,10101,", "a.png,unreadable,,"], pictures: [("a.png", blank.png)], ["--peripheral", "10001"],
      heading: "path,text,peripheral,boxes")
    #expect(done.status == 0, "\(done.err)")
    let summary = try summary(done)
    #expect(summary["coverage"] as? Double == 0 && summary["exact_raw"] as? Double == 1)
    #expect(summary["selective_accuracy"] is NSNull)
  }

  @Test func forPeopleThereIsATable() async throws {
    let (picture, box) = Self.line("42")
    let done = try await Sandbox.with { sandbox in
      try picture.png.write(to: URL(filePath: sandbox.path("a.png")))
      let labels = try sandbox.file("labels.csv", "path,text,boxes\na.png,42,\(box)\n")
      return try await Program.run(["snap", "bench", "--labels", labels, "--generic"], in: sandbox)
    }
    #expect(done.status == 0 && done.out.contains("COVERAGE") && done.err.contains("ms a frame"), "\(done.err)")
  }

  static let wrong: [(heading: String, row: String, arguments: [String], code: String, words: String)] = [
    ("path,text", "a.png,1", ["--generic"], "labels", "no column boxes"),
    ("path,text,boxes", "a.png,1,0 0 1", ["--generic"], "labels", "line 2"),
    ("path,text,boxes", "gone.png,1,0 0 10 10", ["--generic"], "labels", "line 2: there is no file gone.png"),
    ("path,text,boxes", "a.png,1,480 0 10 10", ["--generic"], "labels", "line 2: a box lies outside"),
    ("path,text,boxes", "a.png,1,-30 0 20 10", ["--generic"], "labels", "line 2: a box lies outside"),
    ("path,text,boxes", "a.png,1\\n2,0 0 10 10", ["--generic"], "labels", "line 2: 2 texts have 1 boxes"),
    ("path,text,boxes", "a.png,1,0 0 10 10", [], "labels", "line 2: no meter is named"),
    (
      "path,text,boxes", "a.png,1\\n2,0 0 9 9;0 9 9 9", ["--peripheral", "10101"], "labels", "line 2: a meter's overlay"
    ),
    ("path,text,boxes", "a.png,1\\n2,0 0 99 99", ["--peripheral", "10001"], "labels", "line 2: 2 texts"),
    ("path,text,boxes", "a.png,1,0 0 10 10", ["--peripheral", "77"], "unknown_peripheral", "77"),
    ("path,text,boxes,peripheral", "a.png,1,0 0 10 10,1000", [], "unknown_peripheral", "1000"),
  ]

  @Test("what is wrong with labels is said with its line", arguments: wrong)
  func wrongLabels(
    _ heading: String, _ row: String, _ arguments: [String], _ code: String, _ words: String
  ) async throws {
    let picture = DisplayPicture(width: 480, height: 240).png
    let done = try await bench([row], pictures: [("a.png", picture)], arguments, heading: heading)
    #expect(done.status == 64, "\(done.err)")
    let error = try done.jsonError()
    #expect(error["code"] as? String == code && (error["message"] as? String)?.contains(words) == true, "\(done.err)")
  }

  @Test func labelsThatAreNotThereAreSaidSo() async throws {
    let done = try await Program.run("snap", "bench", "--labels", "/nonexistent.csv", "--generic", "--json")
    #expect(try done.status == 64 && done.jsonError()["code"] as? String == "labels")
  }
}
