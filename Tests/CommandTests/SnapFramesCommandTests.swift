import Foundation
import TestSupport
import Testing

/// What a program that shows a preview of its own gets from `snap`: sizes, cameras, pictures and what is seen in each.
@Suite(.timeLimit(.minutes(60))) struct SnapFramesCommandTests {
  private static let demo = [
    "snap", "read", "--peripheral", "10101", "--demo", "121\\n79\\n64", "--no-submit", "--json",
  ]

  /// Meters with their overlay's aspect and the box of their first row, as the driver's source has them.
  static let sizes: [(meter: String, aspect: String, box: String)] = [
    ("10101", "0.72", "[0.26,0.08,0.64,0.26]"), ("10001", "1.15", "[0.12,0.26,0.76,0.48]"),
    ("10201", "2.6", "[0.08,0.12,0.72,0.76]"), ("10302", "2", "[0.06,0.14,0.74,0.72]"),
    ("10402", "1", "[0.18,0.08,0.64,0.38]"),
  ]

  @Test(arguments: sizes)
  func sizesAreShownAsTheyAreWritten(_ meter: String, _ aspect: String, _ box: String) async throws {
    let shown = try await Program.run("snap", "show", meter, "--json")
    #expect(shown.status == 0, "\(shown.err)")
    #expect(shown.out.contains("\"aspect\":\(aspect),") && shown.out.contains("\"box\":\(box)"), "\(shown.out)")
  }

  @Test func theCamerasOfThisMachineAreListed() async throws {
    let table = try await Program.run("snap", "cameras")
    #expect(table.status == 0 && !(table.out + table.err).isEmpty)
    let cameras = try await Program.run("snap", "cameras", "--json")
    #expect(cameras.status == 0, "\(cameras.err)")
    for camera in try cameras.objects() {
      #expect((camera["device"] as? String)?.hasPrefix("/dev/video") == true)
      #expect(["usable", "denied", "busy"].contains(camera["state"] as? String))
    }
  }

  /// The list of meters helps nobody who has no camera.
  @Test(arguments: ["/nonexistent", "/dev/null", "/dev", "/dev/video-none"])
  func anErrorOfACameraNamesTheListOfCameras(_ device: String) async throws {
    let arguments = ["snap", "read", "--peripheral", "10001", "--camera", device, "--no-submit", "--json"]
    let done = try await Sandbox.with { try await Program.run(arguments, in: $0) }
    let message = try #require(try done.jsonError()["message"] as? String)
    #expect(done.status != 0 && message.contains("meterhost snap cameras"), "\(message)")
    #expect(!message.contains("snap list"))
  }

  @Test(arguments: [false, true]) func thePreviewAndTheRowsOfEachFrameAreWritten(_ isComposed: Bool) async throws {
    try await Sandbox.with { sandbox in
      let folder = sandbox.path("seen")
      let size = ["--preview-size", "1280x480", "--frames", folder] + (isComposed ? ["--composed"] : [])
      let done = try await Program.run(Self.demo + size, in: sandbox)
      #expect(done.status == 0, "\(done.err)")
      let events = try done.objects()
      let previews = events.filter { $0["event"] as? String == "preview" }
      let partials = events.filter { $0["event"] as? String == "partial" }
      #expect(!previews.isEmpty && !partials.isEmpty)
      for preview in previews {
        let picture = try #require(preview["picture"] as? String)
        #expect(try Data(contentsOf: URL(filePath: picture)).prefix(3) == Data([0xFF, 0xD8, 0xFF]))
        let (overlay, frame) = (try Self.box(preview["overlay"]), try Self.box(preview["overlay_frame"]))
        #expect((preview["rows"] as? [[Double]])?.count == 3)
        // The view is as high as the picture and twice as wide: the overlay has its size and lies in the middle.
        #expect(abs(overlay[2] - frame[2]) < 1 && abs(overlay[3] - frame[3]) < 1, "\(overlay) \(frame)")
        #expect(abs(frame[0] + frame[2] / 2 - 640) < 1)
      }
      for partial in partials {
        let crop = try #require(partial["crop"] as? String)
        #expect(try Data(contentsOf: URL(filePath: crop)).prefix(3) == Data([0xFF, 0xD8, 0xFF]))
        #expect(try partial["glare_areas"] is [Any] && Self.box(partial["overlay_frame"])[2] > 0)
      }
      let again = try await Program.run(Self.demo + ["--frames", folder], in: sandbox)
      #expect(try again.status == 64 && again.jsonError()["code"] as? String == "output_file", "\(again.err)")
    }
  }

  @Test func withoutASizeThereIsNoOverlayFrame() async throws {
    let done = try await Sandbox.with { try await Program.run(Self.demo, in: $0) }
    let partials = try done.objects().filter { $0["event"] as? String == "partial" }
    #expect(!partials.isEmpty)
    for partial in partials {
      #expect(try Self.box(partial["overlay_frame"]) == [0, 0, 0, 0] && partial["crop"] == nil)
    }
  }

  @Test(arguments: [
    ["--preview-size", "0x480"], ["--preview-size", "640"], ["--preview-size", "640x480x2"],
    ["--preview-size", "1x-5"], ["--preview-size", "axb"], ["--composed"],
  ])
  func whatIsNoPreviewIsRefused(_ arguments: [String]) async throws {
    let done = try await Sandbox.with { try await Program.run(Self.demo + arguments, in: $0) }
    #expect(try done.status == 64 && done.jsonError()["code"] as? String == "usage", "\(done.err)")
  }

  private static func box(_ value: Any?) throws -> [Double] {
    let box = try #require(value as? [Double])
    try #require(box.count == 4)
    return box
  }
}
