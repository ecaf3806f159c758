import Foundation
import TestSupport
import Testing

/// `snap bench` on pictures that the test draws.
@Suite(.timeLimit(.minutes(60))) struct SnapBenchCommandTests {
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

  /// What is wrong with one line is said there, and the others are measured.
  @Test(
    "a line that cannot be measured takes no other along",
    arguments: [
      ("gone.png,5,glucometer,0 0 10 10,0", "there is no file gone.png", 1),
      ("a.png,5,glucometer,480 0 10 10,0", "a box lies outside of a.png, which has 480 x 240 pixels", 1),
      ("a.png,unreadable,glucometer,0 240 10 10,1", "boxes count in the picture as it is shown", 1),
      ("a.png,5,glucometer,0 0 10,0", "boxes are `x y w h`", 1), ("a.png,5,glucometer", "3 fields", 1),
      ("a.png,5\\n6,glucometer,0 0 10 10,0", "2 texts have 1 boxes", 2),
      ("a.png,1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9,timer,0 0 10 10,0", "more than 8 rows", 9),
      ("a.png,5,glucometer,0 0 10 10,7", "rot180", 1), (",5,glucometer,0 0 10 10,0", "the path is empty", 1),
      ("\"a.png,5,glucometer,0 0 10 10,0", "a quoted field has no end", 1),
      ("folder,5,glucometer,0 0 10 10,0", "folder", 1), ("text.png,5,glucometer,0 0 10 10,0", "text.png", 1),
    ])
  func faultyLine(_ row: String, _ problem: String, _ count: Int) async throws {
    let (picture, box) = Self.line("203")
    let done = try await Sandbox.with { sandbox in
      try picture.png.write(to: URL(filePath: sandbox.path("a.png")))
      _ = try sandbox.file("text.png", "no picture")
      try FileManager.default.createDirectory(atPath: sandbox.path("folder"), withIntermediateDirectories: true)
      let sound = "a.png,203,glucometer,\(box),0"
      let labels = try sandbox.file(
        "labels.csv", "path,text,device_type,boxes,rot180\n\(sound)\n\(row)\n,,,,\n\(sound)\n")
      return try await Program.run(["snap", "bench", "--labels", labels, "--generic", "--json"], in: sandbox)
    }
    #expect(done.status == 0, "\(done.err)")
    let all = try done.objects()
    let lines = all.filter { $0["line"] != nil }
    try #require(lines.count == count + 2, "\(done.out)")
    for line in lines[1...count] {
      let said = try #require(line["problem"] as? String)
      #expect(said.hasPrefix("line 3: ") && said.contains(problem) && line["line"] as? Int == 3, "\(said)")
      #expect(line["answered"] as? Bool == false && line["exact_raw"] as? Bool == false)
      #expect((line["single"] as? [String: Any])?["exact_raw"] as? Bool == false)
    }
    for line in [lines[0], lines[count + 1]] {
      #expect(line["answered"] as? Bool == true && line["text"] as? String == "203" && line["problem"] == nil)
    }
    #expect(lines[count + 1]["line"] as? Int == 5)
    let summary = try summary(done)
    #expect(summary["lines"] as? Int == count + 2 && summary["wbc"] as? Double == 0)
    let share = 2 / Double(count + 2)
    for figure in ["exact_raw", "coverage"] {
      #expect((summary[figure] as? Double).map { abs($0 - share) < 1e-9 } == true, "\(summary)")
    }
    let details = try #require(all.dropLast().last?["details"] as? [String: Any])
    #expect(details["damaged"] as? Int == 1)
    #expect(done.err.contains("warning: \(count) of \(count + 2) lines could not be measured"), "\(done.err)")
  }

  @Test func aSetWithoutAFaultHasNoWarning() async throws {
    let (picture, box) = Self.line("203")
    // A box may reach beyond the picture, and have a separator behind it.
    let done = try await bench(
      [",,,,", "a.png, 203 , glucometer ,\(box);,", "a.png,unreadable,timer,-20 -20 40 40,0"],
      pictures: [("a.png", picture.png)])
    #expect(done.status == 0 && done.err.isEmpty, "\(done.err)")
    let lines = try done.objects().dropLast(2)
    #expect(lines.map { $0["answered"] as? Bool } == [true, false] && lines.allSatisfy { $0["problem"] == nil })
    #expect(lines.first?["exact_raw"] as? Bool == true && lines.first?["device_type"] as? String == "glucometer")
    #expect(try summary(done)["lines"] as? Int == 2)
  }

  @Test func peopleAreToldOfALineThatCannotBeMeasured() async throws {
    let (picture, box) = Self.line("42")
    let done = try await Sandbox.with { sandbox in
      try picture.png.write(to: URL(filePath: sandbox.path("a.png")))
      let labels = try sandbox.file("labels.csv", "path,text,boxes\na.png,42,\(box)\ngone.png,1,0 0 9 9\n")
      return try await Program.run(["snap", "bench", "--labels", labels, "--generic"], in: sandbox)
    }
    #expect(done.status == 0 && done.out.contains("line 3: there is no file gone.png"), "\(done.err)")
    #expect(done.out.contains("COVERAGE") && done.err.contains("1 of 2 lines could not be measured"), "\(done.err)")
  }

  /// A picture's own file is read through no link, but the labels' owner says what belongs to them.
  @Test func linksAreFollowed() async throws {
    let (picture, box) = Self.line("120")
    let done = try await Sandbox.with { sandbox in
      let manager = FileManager.default
      for folder in ["pictures", "set"] {
        try manager.createDirectory(atPath: sandbox.path(folder), withIntermediateDirectories: true)
      }
      try picture.png.write(to: URL(filePath: sandbox.path("pictures/a.png")))
      try manager.createSymbolicLink(atPath: sandbox.path("set/b.png"), withDestinationPath: "../pictures/a.png")
      try manager.createSymbolicLink(atPath: sandbox.path("set/linked"), withDestinationPath: sandbox.path("pictures"))
      try manager.createSymbolicLink(atPath: sandbox.path("set/none.png"), withDestinationPath: "gone.png")
      let rows = ["b.png", "linked/a.png", "none.png"].map { "\($0),120,\(box)\n" }.joined()
      let labels = try sandbox.file("set/labels.csv", "path,text,boxes\n\(rows)")
      return try await Program.run(["snap", "bench", "--labels", labels, "--generic", "--json"], in: sandbox)
    }
    #expect(done.status == 0, "\(done.err)")
    let lines = try done.objects().dropLast(2)
    #expect(lines.map { $0["text"] as? String } == ["120", "120", nil], "\(done.out)")
    #expect(lines.map { $0["problem"] != nil } == [false, false, true])
    #expect((lines.last?["problem"] as? String)?.contains("there is no file none.png") == true)
  }

  /// The file with an Exif block that says how its picture is to be turned.
  private static func turned(_ png: Data, by orientation: UInt8) -> Data {
    // Length, name, an Exif block of one entry, and the checksums of half a turn and of a quarter turn.
    let sums: [UInt8: [UInt8]] = [3: [0x84, 0x5F, 0x64, 0xCE], 6: [0xD6, 0x67, 0x4B, 0x69]]
    let block: [UInt8] = [
      0, 0, 0, 26, 0x65, 0x58, 0x49, 0x66, 0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0,
      orientation, 0, 0, 0, 0, 0, 0,
    ]
    // Behind the mark and the head.
    var file = Data(png.prefix(33))
    file.append(contentsOf: block)
    file.append(contentsOf: sums[orientation] ?? [])
    file.append(png.dropFirst(33))
    return file
  }

  @Test func boxesCountInThePictureAsItIsShown() async throws {
    let (picture, box) = Self.line("120")
    let blank = DisplayPicture(width: 480, height: 240).png
    let done = try await bench(
      ["half.png,120,\(box)", "quarter.png,unreadable,20 300 120 120", "quarter.png,unreadable,300 20 120 120"],
      pictures: [
        ("half.png", Self.turned(picture.turned.png, by: 3)), ("quarter.png", Self.turned(blank, by: 6)),
      ], heading: "path,text,boxes")
    #expect(done.status == 0, "\(done.err)")
    let lines = try done.objects().dropLast(2)
    #expect(lines.first?["text"] as? String == "120", "\(done.out)")
    #expect(lines.map { $0["problem"] != nil } == [false, false, true], "\(done.out)")
    let problem = try #require(lines.last?["problem"] as? String)
    #expect(problem.contains("line 4: a box lies outside of quarter.png, which has 240 x 480 pixels"), "\(problem)")
  }

  @Test func noReaderIsThatOfAMeterThatIsDisabled() async throws {
    let installation = try Installation()
    defer { installation.remove() }
    let text = try String(contentsOf: installation.registry, encoding: .utf8)
    let disabled = text.replacing(#""disabled": false"#, with: #""disabled": true"#)
    try #require(text != disabled)
    try disabled.write(to: installation.registry, atomically: true, encoding: .utf8)
    let (picture, box) = Self.line("120")
    let done = try await bench(
      ["a.png,120,glucometer,\(box),0"], pictures: [("a.png", picture.png)],
      ["--generic", "--registry", installation.registry.path])
    #expect(try done.status == 69 && done.jsonError()["code"] as? String == "driver_unavailable", "\(done.err)")
  }

  static let wrong: [(heading: String, row: String, arguments: [String], code: String, words: String)] = [
    ("path,text", "a.png,1", ["--generic"], "labels", "no column boxes"),
    ("path,text,boxes", "a.png,1,0 0 1", ["--generic"], "labels", "line 2: boxes are"),
    ("path,text,boxes", "gone.png,1,0 0 10 10", ["--generic"], "labels", "line 2: there is no file gone.png"),
    ("path,text,boxes", "a.png,1,480 0 10 10", ["--generic"], "labels", "line 2: a box lies outside"),
    ("path,text,boxes", "a.png,1,-30 0 20 10", ["--generic"], "labels", "line 2: a box lies outside"),
    ("path,text,boxes", "a.png,1\\n2,0 0 10 10", ["--generic"], "labels", "line 2: 2 texts have 1 boxes"),
    ("path,text,boxes", "a.png,1,0 0 10 10", [], "labels", "line 2: no meter is named"),
    (
      "path,text,boxes", "a.png,1\\n2,0 0 9 9;0 9 9 9", ["--peripheral", "10101"], "labels", "line 2: a meter's overlay"
    ),
    ("path,text,boxes", "a.png,1\\n2,0 0 99 99", ["--peripheral", "10001"], "labels", "line 2: 2 texts"),
    ("path,text,boxes", ",,", ["--generic"], "labels", "no photographs"),
    ("path,text,boxes", "a.png,1,0 0 10 10", ["--peripheral", "77"], "unknown_peripheral", "77"),
    ("path,text,boxes,peripheral", "a.png,1,0 0 10 10,1000", [], "labels", "line 2: there is no meter 1000"),
  ]

  @Test("labels of which nothing can be measured are an error that names the first line", arguments: wrong)
  func wrongLabels(
    _ heading: String, _ row: String, _ arguments: [String], _ code: String, _ words: String
  ) async throws {
    let picture = DisplayPicture(width: 480, height: 240).png
    let done = try await bench([row], pictures: [("a.png", picture)], arguments, heading: heading)
    #expect(done.status == 64, "\(done.err)")
    let error = try done.jsonError()
    #expect(error["code"] as? String == code && (error["message"] as? String)?.contains(words) == true, "\(done.err)")
    // What was looked at line by line has its figures all the same.
    guard words.hasPrefix("line 2: ") else { return }
    let summary = try summary(done)
    #expect(summary["coverage"] as? Double == 0 && summary["exact_raw"] as? Double == 0)
  }

  @Test func labelsThatAreNotThereAreSaidSo() async throws {
    let done = try await Program.run("snap", "bench", "--labels", "/nonexistent.csv", "--generic", "--json")
    #expect(try done.status == 64 && done.jsonError()["code"] as? String == "labels")
  }
}
