import Foundation
import TestSupport
import Testing

/// libzbar, which need not be installed.
enum CodeLibrary {
  static let isThere: Bool = {
    guard let library = dlopen("libzbar.so.0", RTLD_LAZY | RTLD_LOCAL) else { return false }
    dlclose(library)
    return true
  }()
}

/// `meterhost key set --image`: a key from a picture of its code.
@Suite(
  "Keys from codes", .timeLimit(.minutes(60)),
  .enabled(if: CodeLibrary.isThere, "codes need libzbar (package libzbar0), which is not here"))
struct KeyScanTests {
  private static let set = ["key", "set", "51", "encryption-key", "--meter", "5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11"]

  private static func picture(_ name: String) -> String {
    CompiledBundle.root.appending(path: "Tests/Fixtures/Codes/\(name)").path
  }

  @Test("a key is stored, and no more of it is shown than a person needs") func stored() async throws {
    try await Sandbox.with { sandbox in
      let done = try await Program.run(Self.set + ["--image", Self.picture("key-qr.png"), "--yes"], in: sandbox)
      #expect(done.status == 0, "\(done.err)")
      #expect(done.err.contains("QR code: 32 characters, 00...ff"))
      #expect(!(done.out + done.err).contains("00112233"))
      let listed = try await Program.run(["key", "list", "--json"], in: sandbox).objects()
      #expect(listed.compactMap { $0["name"] as? String } == ["encryption-key"])
    }
  }

  @Test("nothing is stored without a person's word") func notConfirmed() async throws {
    try await Sandbox.with { sandbox in
      let done = try await Program.run(Self.set + ["--image", Self.picture("key-qr.png"), "--json"], in: sandbox)
      #expect(done.status == 1 && done.out.isEmpty)
      #expect(try done.jsonError()["code"] as? String == "not_confirmed")
      #expect(try await Program.run(["key", "list", "--json"], in: sandbox).objects().isEmpty)
    }
  }

  @Test(
    "a picture without the one code, and one that is none, are told",
    arguments: [
      ("no-code.png", "no_code", Int32(75)), ("two-codes.png", "several_codes", 64),
      ("README.md", "image_unsupported", 64), ("missing.png", "file_not_found", 64),
    ])
  func refused(name: String, code: String, status: Int32) async throws {
    try await Sandbox.with { sandbox in
      let done = try await Program.run(Self.set + ["--image", Self.picture(name), "--yes", "--json"], in: sandbox)
      #expect(done.status == status && done.out.isEmpty, "\(done.err)")
      #expect(try done.jsonError()["code"] as? String == code)
    }
  }

  @Test(
    "options that do not go together are refused",
    arguments: [["--scan", "--image", "a.png"], ["--scan", "--file", "a"], ["--camera", "/dev/video0"], ["--yes"]])
  func usage(options: [String]) async throws {
    try await Sandbox.with { sandbox in
      let done = try await Program.run(Self.set + options, in: sandbox)
      #expect(done.status == 64 && done.out.isEmpty, "\(done.err)")
    }
  }
}
