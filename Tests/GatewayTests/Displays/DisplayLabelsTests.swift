import DriverContract
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayTools

@Suite struct DisplayLabelsTests {
  private func labels(_ text: String) throws -> DisplayLabels {
    try DisplayLabels(Array(text.utf8), name: "labels.csv")
  }

  @Test func columnsAreFoundByName() throws {
    let set = try labels(
      "path,text,device_type,source,licence,series,boxes,rot180\r\n"
        + "images/a.jpg,120\\n80\\n64,bp_monitor,\"a, b\",none,a,1 2 30 40;1.5 50 30 40;-1 90 30 40,1\r\n"
        + "\"b \"\"2\"\".jpg\",unreadable,timer,x,none,,,0\n")
    let (first, second) = (set.photographs[0], set.photographs[1])
    #expect(first.texts == ["120", "80", "64"] && first.deviceType == "bp_monitor" && first.isUpsideDown)
    #expect(first.boxes[1] == ImageBox(x: 1.5, y: 50, width: 30, height: 40) && first.line == 2)
    #expect(second.path == "b \"2\".jpg" && second.texts == [nil] && second.boxes.isEmpty && second.line == 3)
    #expect(try first.lines().map(\.text) == ["120", "80", "64"])
    #expect(try second.lines().count == 1)
  }

  @Test func aDisplayThatShowsNothingMayHaveManyBoxes() throws {
    let set = try labels("path,text,boxes,peripheral\na.jpg,,0 0 1 1;0 2 1 1,10101\nb.jpg,12\\n,0 0 1 1;0 2 1 1,\n")
    #expect(try set.photographs[0].lines().map(\.text) == [nil, nil])
    #expect(set.photographs[0].peripheral == 10101 && set.photographs[1].peripheral == nil)
    #expect(try set.photographs[1].lines().map(\.text) == ["12", nil])
  }

  static let faults: [(text: String, wanted: String)] = [
    ("", "empty"), (",,\n \n", "empty"), ("path,text\na,1\n", "no column boxes"),
    ("path,text,boxes,text\n", "there twice"),
    ("path,text,boxes, text\n", "there twice"), ("path,text,boxes\n", "no photographs"),
    ("path,text,boxes\n,,\n\n", "no photographs"),
    ("path,\"text,boxes\na,1,1 2 3 4\n", "line 1: a quoted field has no end"),
  ]

  @Test("a file that is no table of labels is refused", arguments: faults)
  func fault(_ text: String, _ wanted: String) {
    #expect {
      try labels(text)
    } throws: { error in
      guard let error = error as? GatewayError else { return false }
      return error.code == "labels" && error.message.contains(wanted)
    }
  }

  @Test func bytesThatAreNoTextAreRefused() {
    #expect {
      try DisplayLabels(Array("path,text,boxes\na,1,1 2 3 4\n".utf8) + [0xFF], name: "labels.csv")
    } throws: { ($0 as? GatewayError)?.message.contains("UTF-8") == true }
  }

  static let problems: [(row: String, wanted: String)] = [
    ("a.jpg,1", "2 fields where the heading has 3"), ("a.jpg,1,1 2 3 4,5", "4 fields where the heading has 3"),
    (",1,1 2 3 4", "the path"), ("a,1,1 2 3", "boxes are"), ("a,1,1 2 0 4", "boxes are"), ("a,1,1 2 3 -4", "boxes are"),
    ("a,1,1 2 nan 4", "boxes are"), ("a,1,1 2 inf 4", "boxes are"), ("a,1,1e9 2 3 4", "boxes are"),
    ("a,1,;", "boxes are"), ("a,1,1 2 3 4;;", "boxes are"), ("a,1,;1 2 3 4", "boxes are"),
    ("a,1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9,1 2 3 4", "more than 8 rows"),
    ("\"a\"b,1,1 2 3 4", "something stands behind"),
    ("\"a,1,1 2 3 4", "a quoted field has no end"), ("a,\"1,1 2 3 4", "a quoted field has no end"),
  ]

  @Test("a faulty line is a problem of its own", arguments: problems)
  func problem(_ row: String, _ wanted: String) throws {
    let found = try labels("path,text,boxes\nx.jpg,3,1 2 3 4\n\(row)\ny.jpg,4,5 6 7 8\n").photographs
    try #require(found.count == 3)
    #expect(found.map(\.line) == [2, 3, 4] && found[1].problem?.contains(wanted) == true, "\(found[1])")
    #expect(found[0].problem == nil && found[2].problem == nil)
    #expect(found[2].path == "y.jpg" && found[2].texts == ["4"] && found[2].boxes.count == 1)
  }

  @Test(
    "a field that may be there is looked at",
    arguments: [
      ("rot180", "2", "rot180 is 0 or 1"), ("peripheral", "x", "the peripheral"),
      ("peripheral", "-1", "the peripheral"),
    ])
  func optionalField(_ column: String, _ value: String, _ wanted: String) throws {
    let found = try labels("path,text,boxes,\(column)\na,1,1 2 3 4,\(value)\nb,1,1 2 3 4, \n").photographs
    #expect(found[0].problem?.contains(wanted) == true && found[1].problem == nil)
  }

  @Test func aFaultyLineKeepsWhatIsRightOfIt() throws {
    let found = try labels("path,text,boxes,device_type\na.jpg,12\\n34,1 2 3,timer\n").photographs
    #expect(found[0].path == "a.jpg" && found[0].texts == ["12", "34"] && found[0].deviceType == "timer")
  }

  @Test("rows in which nothing stands are none", arguments: [",,", "", " ", " ,\t,", "\"\",,\" \"", ",,,,,"])
  func emptyRow(_ row: String) throws {
    let found = try labels("\(row)\npath,text,boxes\n\(row)\na.jpg,1,1 2 3 4\n\(row)\n").photographs
    #expect(found.map(\.path) == ["a.jpg"] && found[0].line == 4 && found[0].problem == nil)
  }

  @Test(arguments: ["1 2 3 4;", "1 2 3 4; ", " 1 2 3 4 ;", "1  2 3 4"])
  func aBoxMayHaveASeparatorBehindIt(_ boxes: String) throws {
    let found = try labels("path,text,boxes\na.jpg,1,\(boxes)\n").photographs
    #expect(found[0].problem == nil && found[0].boxes == [ImageBox(x: 1, y: 2, width: 3, height: 4)])
  }

  static let blanks: [(field: String, texts: [String?])] = [
    (" 120 ", ["120"]), ("1  2", ["1 2"]), ("120 \\n 80", ["120", "80"]), ("\t120\u{A0}", ["120"]), ("\" 7\"", ["7"]),
    (" ", [nil]), (" unreadable ", [nil]), ("12\\n ", ["12", nil]),
  ]

  @Test("blanks of a label are those of a reading", arguments: blanks)
  func blanksOfALabel(_ field: String, _ texts: [String?]) throws {
    let found = try labels("path,text,boxes\na.jpg,\(field),\n").photographs
    #expect(found[0].texts == texts)
    for text in texts.compactMap(\.self) {
      let read = RowReading(state: .text, text: "  \(text.replacing(" ", with: "   ")) ", confidence: 1)
      #expect(read.guess == text)
    }
  }

  @Test func blanksOfColumnsDoNotCount() throws {
    let found = try labels(
      " path , text,boxes , device_type,series , rot180, peripheral,,\na.jpg,1,1 2 3 4, glucometer , s , 1, 10001 ,,\n"
    ).photographs
    #expect(found[0].problem == nil && found[0].deviceType == "glucometer" && found[0].series == "s")
    #expect(found[0].isUpsideDown && found[0].peripheral == 10001 && found[0].path == "a.jpg")
    #expect(HealthDisplay(deviceType: found[0].deviceType) == .glucose)
  }

  @Test func otherNumbersOfTextsAndBoxesAreNamed() throws {
    let set = try labels("path,text,boxes\na,1\\n2,1 2 3 4\n")
    #expect {
      try set.photographs[0].lines()
    } throws: { ($0 as? BenchProblem)?.message.contains("2 texts have 1 boxes") == true }
  }

  @Test(
    "a box may reach beyond its picture, but not lie outside of it",
    arguments: [
      ("0 0 480 240", true), ("-30 -30 40 40", true), ("470 230 90 90", true), ("-999 -999 2999 2999", true),
      ("480 0 10 10", false), ("0 240 10 10", false), ("-30 0 30 10", false), ("0 -30 10 30", false),
      ("0 0 9 9;500 0 9 9", false),
    ])
  func box(_ boxes: String, _ isInside: Bool) throws {
    for turn in ["0", "1"] {
      let texts = boxes.contains(";") ? "1\\n2" : "1"
      let set = try labels("path,text,boxes,rot180\na.jpg,\(texts),\(boxes),\(turn)\n")
      let image = GreyImage(width: 480, height: 240, pixels: [UInt8](repeating: 0, count: 480 * 240))
      do throws(BenchProblem) {
        _ = try BenchPicture(image, divisor: 1, set.photographs[0])
        #expect(isInside)
      } catch {
        #expect(!isInside && error.message.contains("a box lies outside of a.jpg, which has 480 x 240"), "\(error)")
        #expect(error.message.contains("as it is shown"))
      }
    }
  }

  @Test func noBytesAreAnythingButLabelsOrAnError() {
    var random = SeededGenerator(seed: 7)
    let seed = Array("path,text,boxes\n\"a.jpg\",12\\n3,1 2 3 4;5 6 7 8\nb,,1 1 1 1\r\n".utf8)
    for _ in 0..<3000 {
      var bytes = seed
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        default: bytes.insert(Array("\",;\n\r0".utf8).randomElement(using: &random) ?? 0, at: place)
        }
      }
      do throws(GatewayError) {
        let set = try DisplayLabels(bytes, name: "x")
        #expect(
          set.photographs.allSatisfy { photograph in
            (photograph.problem != nil || !photograph.path.isEmpty) && !photograph.texts.isEmpty
              && photograph.boxes.allSatisfy { $0.width > 0 && $0.height > 0 }
          })
      } catch { #expect(error.code == "labels") }
    }
  }
}
