import DriverRuntime
import TestSupport
import Testing

@testable import MeterGateway

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
    ("", "empty"), ("path,text\na,1\n", "no column boxes"), ("path,text,boxes,text\n", "there twice"),
    ("path,text,boxes\n", "no photographs"), ("path,text,boxes\na.jpg,1\n", "line 2: 2 fields"),
    ("path,text,boxes\na.jpg,1,1 2 3 4\nb.jpg,1,1 2 3 4,5\n", "line 3: 4 fields"),
    ("path,text,boxes\n,1,1 2 3 4\n", "line 2: the path"), ("path,text,boxes\na,1,1 2 3\n", "line 2: boxes"),
    ("path,text,boxes\na,1,1 2 0 4\n", "line 2: boxes"), ("path,text,boxes\na,1,1 2 3 -4\n", "line 2: boxes"),
    ("path,text,boxes\na,1,1 2 nan 4\n", "line 2: boxes"), ("path,text,boxes\na,1,1 2 inf 4\n", "line 2: boxes"),
    ("path,text,boxes\na,1,1 2 3 4;\n", "line 2: boxes"), ("path,text,boxes\na,1,1e9 2 3 4\n", "line 2: boxes"),
    ("path,text,boxes,rot180\na,1,1 2 3 4,2\n", "line 2: rot180"),
    ("path,text,boxes,peripheral\na,1,1 2 3 4,x\n", "line 2: the peripheral"),
    ("path,text,boxes\na,1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9,1 2 3 4\n", "line 2: more than 8 rows"),
    ("path,text,boxes\n\"a\nb\",1,1 2 3 4\n\"c,1\n", "line 4: a quoted field has no end"),
    ("path,text,boxes\n\"a\"b,1,1 2 3 4\n", "line 2: something stands behind"),
  ]

  @Test("a faulty line is named", arguments: faults)
  func fault(_ text: String, _ wanted: String) {
    #expect {
      try labels(text)
    } throws: { error in
      guard let error = error as? GatewayError else { return false }
      return error.code == "labels" && error.message.contains(wanted)
    }
  }

  @Test func otherNumbersOfTextsAndBoxesAreNamed() throws {
    let set = try labels("path,text,boxes\na,1\\n2,1 2 3 4\n")
    #expect {
      try set.photographs[0].lines()
    } throws: { ($0 as? GatewayError)?.message.contains("line 2") == true }
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
          set.photographs.allSatisfy { !$0.path.isEmpty && $0.boxes.allSatisfy { $0.width > 0 && $0.height > 0 } })
      } catch { #expect(error.code == "labels") }
    }
  }
}
