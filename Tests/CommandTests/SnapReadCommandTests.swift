import Foundation
import TestSupport
import Testing

/// `snap list`, `show` and `read`, with the meter that is only drawn.
@Suite(.timeLimit(.minutes(60))) struct SnapReadCommandTests {
  private static let demo = ["snap", "read", "--peripheral", "10101", "--demo", "121\\n79\\n64"]

  @Test func theMetersAreListedByTheirTypes() async throws {
    let all = try await Program.run("snap", "--json").objects()
    #expect(all.count >= 10 && all.allSatisfy { $0["kind"] as? String == "ocr" })
    #expect(Set(all.compactMap { $0["type"] as? String }).count >= 5)
    let some = try await Program.run("snap", "list", "--type", "blood_pressure", "--json").objects()
    #expect(!some.isEmpty && some.count < all.count)
    let table = try await Program.run("snap", "list")
    #expect(table.status == 0 && table.out.contains("mmol/L") && table.out.contains("10101"))
    #expect(
      table.out.contains("°C") && table.out.contains("lb") && !table.out.contains("Cel") && !table.out.contains("["))
    let catalogue = try await Program.run("peripherals", "list", "--kind", "ocr", "--json").objects()
    #expect(catalogue.count == all.count)
    let shown = try await Program.run("peripherals", "show", "10101", "--kind", "ocr", "--json").objects()
    #expect(shown.first?["connection_kind"] as? String == "camera")
  }

  @Test func aMeterIsShownWithItsRowsAndItsDrawing() async throws {
    try await Sandbox.with { sandbox in
      let file = sandbox.path("overlay.svg")
      let done = try await Program.run(["snap", "show", "10101", "--overlay", file, "--json"], in: sandbox)
      #expect(done.status == 0, "\(done.err)")
      let rows = try #require(try done.objects().first?["rows"] as? [[String: Any]])
      #expect(rows.compactMap { $0["role"] as? String } == ["systolic", "diastolic", "pulse"])
      #expect(try String(contentsOfFile: file, encoding: .utf8).contains("<svg"))
      let again = try await Program.run(["snap", "show", "10101", "--overlay", file, "--json"], in: sandbox)
      #expect(try again.status == 64 && again.jsonError()["code"] as? String == "output_file")
      let unknown = try await Program.run(["snap", "show", "1000", "--json"], in: sandbox)
      #expect(try unknown.status == 64 && unknown.jsonError()["code"] as? String == "unknown_peripheral")
    }
  }

  @Test func aReadingGoesToTheReceiverWithItsPicture() async throws {
    try await withReceiver { sandbox in
      let crop = sandbox.path("crop.jpg")
      let done = try await Program.run(Self.demo + ["--yes", "--trust-clock", "--crop", crop, "--json"], in: sandbox)
      #expect(done.status == 0, "\(done.err)")
      let events = try done.objects()
      #expect(events.first?["event"] as? String == "partial")
      let reading = try #require(events.first { $0["event"] as? String == "reading" })
      let values = try #require(reading["values"] as? [[String: Any]])
      #expect(values.compactMap { $0["reported"] as? String }.sorted() == ["121", "64", "79"], "\(done.out)")
      let data = try #require((reading["crop"] as? [String: Any])?["data"] as? String)
      #expect(Data(base64Encoded: data)?.prefix(3) == Data([0xFF, 0xD8, 0xFF]))
      #expect(try Data(contentsOf: URL(filePath: crop)) == Data(base64Encoded: data))
      let submitted = try #require(events.last)
      #expect(submitted["event"] as? String == "submitted" && submitted["picture"] as? Bool == true)
      let record = try #require((submitted["records"] as? [[String: Any]])?.first)
      let delivery = try #require((record["deliveries"] as? [[String: Any]])?.first)
      #expect(record["outcome"] as? String == "new" && delivery["state"] as? String == "delivered", "\(done.out)")
      let images = try await Program.run(["queue", "images", "--json"], in: sandbox)
      #expect(images.status == 0 && images.lines.isEmpty, "the picture has followed its reading: \(images.out)")
      let heard = try await Program.run(["events", "--json"], in: sandbox).objects().compactMap {
        $0["event"] as? String
      }
      #expect(heard.contains("record_submitted") && heard.contains("record_image_submitted"), "\(heard)")
    }
  }

  @Test func everyMeterIsShownWithItsDrawing() async throws {
    let meters = try await Program.run("snap", "list", "--json").objects().compactMap { $0["id"] as? Int }
    try #require(meters.count == 18)
    for meter in meters {
      let shown = try await Program.run("snap", "show", "\(meter)", "--json")
      #expect(shown.status == 0, "\(meter): \(shown.err)")
    }
  }

  @Test func nothingIsSubmittedWithoutAPersonsWord() async throws {
    try await withReceiver { sandbox in
      for arguments in [[], ["--json"]] {
        let done = try await Program.run(Self.demo + arguments, in: sandbox)
        #expect(done.status == 1 && done.out.contains("121"), "\(done.err)")
        #expect(done.err.contains(arguments.isEmpty ? "nobody has confirmed" : "not_confirmed"))
      }
      let only = try await Program.run(Self.demo + ["--no-submit", "--json"], in: sandbox)
      #expect(only.status == 0 && only.out.contains(#""event":"reading""#), "\(only.err)")
      let queue = try await Program.run(["queue", "list", "--json"], in: sandbox)
      #expect(queue.lines.isEmpty)
    }
  }

  @Test func aPersonsCorrectionIsJudgedByTheDriver() async throws {
    try await Sandbox.with { sandbox in
      let right = try await Program.run(Self.demo + ["--correct", "1=131", "--no-submit", "--json"], in: sandbox)
      #expect(right.status == 0, "\(right.err)")
      let rows = try right.objects().last?["rows"] as? [[String: Any]]
      #expect(rows?.first?["text"] as? String == "131" && rows?.first?["read"] as? String == "121")
      for (text, code) in [
        ("1=abc", "impossible_text"), ("9=1", "wrong_number_of_rows"), ("1=12345678901234567", "impossible_text"),
        ("1=78", "not_a_value"),
      ] {
        let wrong = try await Program.run(Self.demo + ["--correct", text, "--no-submit", "--json"], in: sandbox)
        #expect(try wrong.status == 64 && wrong.jsonError()["code"] as? String == code, "\(text): \(wrong.err)")
      }
    }
  }

  @Test func withoutASessionTheReadingIsKeptAndNotDelivered() async throws {
    try await Sandbox.with { sandbox in
      let done = try await Program.run(Self.demo + ["--yes", "--trust-clock", "--json"], in: sandbox)
      #expect(done.status == 0, "\(done.err)")
      let submitted = try #require(try done.objects().last)
      #expect(submitted["picture"] as? Bool == false)
      #expect(done.lines.last?.contains("no_session") == true)
    }
  }

  static let wrong: [(arguments: [String], status: Int32, code: String)] = [
    (["snap", "read", "--peripheral", "1", "--demo", "1"], 64, "unknown_peripheral"),
    (["snap", "read", "--peripheral", "1000", "--demo", "1"], 64, "unknown_peripheral"),
    (["snap", "read", "--peripheral", "10101", "--demo", "1"], 64, "demo_texts"),
    (["snap", "read", "--peripheral", "10001", "--unit", "kg", "--demo", "100"], 64, "unit_not_shown"),
    (["snap", "read", "--peripheral", "10001", "--camera", "/nonexistent"], 69, "camera_not_found"),
    (["snap", "read", "--peripheral", "10001", "--camera", "/dev/null"], 64, "not_a_camera"),
    (["snap", "read", "--peripheral", "10001", "/nonexistent.jpg"], 64, "file_not_found"),
    (["snap", "read", "--peripheral", "10001", "/dev/zero"], 64, "not_a_regular_file"),
    (["snap", "read", "--peripheral", "10001", "/etc/passwd"], 64, "image_unsupported"),
    (["snap", "read", "--peripheral", "10001", "/etc"], 64, "directory_empty"),
    (["snap", "read", "--peripheral", "10001", "--film", "/etc/passwd"], 64, "film_damaged"),
    (["snap", "read", "--peripheral", "10001", "--demo", ""], 75, "no_value"),
    (["snap", "read", "--peripheral", "10101", "--demo", "79\\n121\\n64"], 75, "no_value"),
    (["snap", "read", "--peripheral", "10301", "--demo", "72.4"], 64, "unit_needed"),
    (["snap", "read", "--peripheral", "10001", "a.jpg", "--yes"], 64, "time_needed"),
    (["snap", "read", "--peripheral", "10001", "--film", "a.avi", "--yes"], 64, "time_needed"),
    (["snap", "read"], 64, "usage"), (["snap", "read", "--peripheral", "10001", "--yes", "--no-submit"], 64, "usage"),
    (["snap", "read", "--peripheral", "10001", "a.jpg", "--camera", "/dev/video0"], 64, "usage"),
    (["snap", "read", "--peripheral", "10001", "--correct", "x"], 64, "usage"),
    (["snap", "read", "--peripheral", "10001", "--correct", "1=1", "--correct", "1=2"], 64, "usage"),
    (["snap", "read", "--peripheral", "10001", "--time", "yesterday"], 64, "usage"),
    (["snap", "view", "--port", "99999"], 64, "usage"), (["snap", "list", "--type", "x"], 64, "usage"),
    (["peripherals", "list", "--kind", "x"], 64, "usage"),
  ]

  @Test("what cannot be read is said by name", arguments: wrong)
  func wrongInput(_ arguments: [String], _ status: Int32, _ code: String) async throws {
    let done = try await Sandbox.with { try await Program.run(arguments + ["--json"], in: $0) }
    #expect(done.status == status, "\(done.err)")
    #expect(try done.jsonError()["code"] as? String == code, "\(done.err)")
  }

  @Test func thePageIsServedOnThisMachineOnly() async throws {
    try await Sandbox.with { sandbox in
      let view = try Program(["snap", "view", "--demo", "121\\n79\\n64", "--json"], in: sandbox)
      let link = try Outcome.object(try await view.line(with: "ready"))["link"] as? String ?? ""
      #expect(link.hasPrefix("http://127.0.0.1:"))
      view.interrupt()
      #expect(await view.outcome().status == 0)
    }
  }

  private func withReceiver(_ body: (Sandbox) async throws -> Void) async throws {
    try await Sandbox.with { sandbox in
      let (receiver, started) = try await Program.startReceiver(in: sandbox)
      #expect(started.status == 0, "\(started.err)")
      try await body(sandbox)
      receiver.interrupt()
      _ = await receiver.outcome()
    }
  }
}
