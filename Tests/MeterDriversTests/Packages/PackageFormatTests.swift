import Foundation
import TestSupport
import Testing

@testable import MeterDrivers
@testable import StrictJSON

@Suite("Packages as files", .timeLimit(.minutes(60))) struct PackageFormatTests {
  @Test func theSameFilesGiveTheSameBytes() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let first = try fixture.folder(isForeign: true)
      let second = sandbox.root.appending(path: "elsewhere")
      try FileManager.default.copyItem(at: first.url, to: second)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 0), .posixPermissions: 0o600],
        ofItemAtPath: second.appending(path: "LICENSE").path)
      let one = try PackageSource(folder: first.url.path).package(for: fixture.sources)
      let other = try PackageSource(folder: second.path).package(for: fixture.sources)
      #expect(one.bytes == other.bytes)
      #expect(try one.signed(with: fixture.pair).bytes == other.signed(with: fixture.pair).bytes)
      #expect(one.manifest.libraries.count == 2)
      #expect(
        one.files.keys.sorted() == [
          "LICENSE", "README.md", "assets/pictures/scale.png", "lib/linux-aarch64/libexample-scale.so",
          "lib/linux-x86_64/libexample-scale.so", "registry.json",
        ])
      let read = try PackageContent(one.bytes, name: "again")
      #expect(read.manifest == one.manifest && read.files == one.files && read.bytes == one.bytes)
    }
  }

  @Test func librariesMayBeNamedAndLieAnywhere() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let folder = try fixture.folder()
      let whole = try PackageSource(folder: folder.url.path).package(for: fixture.sources)
      // Named although it would have been found.
      let named = try PackageSource(folder: folder.url.path, libraries: [folder.library.path])
        .package(for: fixture.sources)
      #expect(named.bytes == whole.bytes)
      let elsewhere = sandbox.path("built.so")
      try FileManager.default.moveItem(atPath: folder.library.path, toPath: elsewhere)
      let moved = try PackageSource(folder: folder.url.path, libraries: [elsewhere]).package(for: fixture.sources)
      #expect(moved.bytes == whole.bytes)
      #expect(throws: PackageError.self) {
        _ = try PackageSource(folder: folder.url.path, libraries: [elsewhere, sandbox.path("missing.so")])
          .package(for: fixture.sources)
      }
    }
  }

  @Test func whatOnlyAnInstallationCanSayIsTakenOut() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      let plain = try fixture.package(isSigned: false)
      let hash = String(repeating: "ab", count: 32)
      let sealed = try fixture.package(isSigned: false) { folder in
        try folder.change("\"abi\"", "\"sha256\": \"\(hash)\",\n      \"signatures\": [ {\"key\": \"00\"} ], \"abi\"")
      }
      #expect(!String(decoding: sealed.files["registry.json"] ?? [], as: UTF8.self).contains("sha256"))
      #expect(sealed.manifest.drivers == plain.manifest.drivers)
      // As the first member of its entry, too.
      let first = try fixture.package(isSigned: false) { folder in
        try folder.change("\"id\": \"org.example.scale\"", "\"sha256\": \"\(hash)\", \"id\": \"org.example.scale\"")
      }
      #expect(try first.fragment().isInstalled == false)
    }
  }

  @Test func aFolderThatIsNoPackageIsRefusedWithItsReason() async throws {
    try await Sandbox.with { sandbox in
      let fixture = try PackageFixture(in: sandbox)
      func refusal(_ change: (ScaleFolder) throws -> Void) throws -> PackageError? {
        let folder = try fixture.folder()
        try change(folder)
        return #expect(throws: PackageError.self) {
          _ = try PackageSource(folder: folder.url.path).package(for: fixture.sources)
        }
      }
      let files = FileManager.default
      let noLicence = try refusal { try files.removeItem(at: $0.url.appending(path: "LICENSE")) }
      #expect(noLicence?.code == .packageSource && noLicence?.message.contains("licence") == true)
      let noLibrary = try refusal { try files.removeItem(at: $0.library) }
      #expect(noLibrary?.code == .packageSource && noLibrary?.message.contains("libexample-scale.so") == true)
      let noFragment = try refusal { try files.removeItem(at: $0.fragment) }
      #expect(noFragment?.code == .packageSource)
      let two = try refusal { try files.copyItem(at: $0.fragment, to: $0.url.appending(path: "other.json")) }
      #expect(two?.message.contains("several") == true)
      let notELF = try refusal { try Data("no library".utf8).write(to: $0.library) }
      #expect(notELF?.code == .packageLibrary)
      let contract = try refusal { try $0.change("{ \"major\": 1, \"minor\": 0 }", "{ \"major\": 1, \"minor\": 7 }") }
      #expect(contract?.code == .packageLibrary && contract?.message.contains("1.0") == true)
      let broken = try refusal { try $0.change("\"weight_scale\"", "\"weight_scales\"") }
      #expect(broken?.code == .registryProblem && broken?.message.contains("weight_scale") == true)
      let picture = try refusal { try $0.change("\"model\": \"S1\",", "\"model\": \"S1\", \"image_url\": \"a.png\",") }
      #expect(picture?.message.contains("a.png") == true)
      let hidden = try refusal { folder in
        try files.createSymbolicLink(
          atPath: folder.url.appending(path: "assets/link").path, withDestinationPath: "/etc/passwd")
      }
      #expect(hidden?.code == .packageSource)
      let strange = try refusal { try Data().write(to: $0.url.appending(path: "assets/a b")) }
      #expect(strange?.message.contains("a b") == true)
    }
  }

  // MARK: - Hostile files

  /// A small package that needs no compiler: as good as any for the reader.
  static func small(_ pair: PublisherKeyPair?) throws -> PackageContent {
    let fragment = Array(
      """
      {"registry_version": 1, "drivers": [{"id": "org.example.a", "version": "1.0.0", "vendor": "V", "license": "MIT",
       "family": "f", "library": "x.so", "abi": {"major": 1, "minor": 0}, "capabilities": ["decode"]}]}
      """.utf8)
    let files = [
      "LICENSE": Array("MIT".utf8), "assets/a.txt": Array("text".utf8), "lib/linux-x86_64/x.so": Array("elf".utf8),
      "registry.json": fragment,
    ]
    let manifest = PackageManifest(
      id: "org.example.a", version: SemanticVersion(1, 0, 0), vendor: "V", license: "MIT",
      abi: ABIVersion(major: 1, minor: 0), drivers: ["org.example.a"], libraries: [.x86: "lib/linux-x86_64/x.so"],
      files: files.keys.sorted().map {
        PackageManifest.File(path: $0, size: files[$0]?.count ?? 0, sha256: BundleHash(of: files[$0] ?? []))
      })
    let content = PackageContent(manifest: manifest, signatures: [], files: files, name: "small")
    return try pair.map { try content.signed(with: $0) } ?? content
  }

  static func trusting(_ pair: PublisherKeyPair) -> TrustList {
    TrustList(publishers: [.init(id: "p", name: "P", drivers: ["org.example."], keys: [pair.key])])
  }

  @Test func moreSignaturesThanAreReadAreNotWritten() throws {
    let ids = (0..<64).map { "org.example.d\($0)-" + String(repeating: "x", count: 40) }
    let drivers = ids.map { id in
      """
      {"id": "\(id)", "version": "1.0.0", "vendor": "V", "license": "MIT", "family": "f", "library": "x.so",
       "abi": {"major": 1, "minor": 0}, "capabilities": ["decode"]}
      """
    }
    let fragment = "{\"registry_version\": 1, \"drivers\": [\(drivers.joined(separator: ","))]}"
    let files = [
      "LICENSE": Array("MIT".utf8), "lib/linux-aarch64/x.so": Array("elf".utf8),
      "lib/linux-x86_64/x.so": Array("elf".utf8), "registry.json": Array(fragment.utf8),
    ]
    let manifest = PackageManifest(
      id: ids[0], version: SemanticVersion(1, 0, 0), vendor: "V", license: "MIT", abi: ABIVersion(major: 1, minor: 0),
      drivers: ids, libraries: [.x86: "lib/linux-x86_64/x.so", .arm: "lib/linux-aarch64/x.so"],
      files: files.keys.sorted().map {
        PackageManifest.File(path: $0, size: files[$0]?.count ?? 0, sha256: BundleHash(of: files[$0] ?? []))
      })
    var content = PackageContent(manifest: manifest, signatures: [], files: files, name: "many")
    var refusal: PackageError?
    for _ in 0..<RegistryLimits.signatures where refusal == nil {
      do throws(PackageError) { content = try content.signed(with: PublisherKeyPair()) } catch { refusal = error }
    }
    #expect(refusal?.code == .packageTooLarge && content.signatures.count > 1)
    #expect(try PackageContent(content.bytes, name: "many").signers().count == content.signatures.count)
  }

  @Test func everyPrefixIsRefused() throws {
    let bytes = try Self.small(PublisherKeyPair()).bytes
    #expect(try PackageContent(bytes, name: "").bytes == bytes)
    for length in 0..<bytes.count {
      #expect(throws: PackageError.self) { _ = try PackageContent(Array(bytes[..<length]), name: "") }
    }
    #expect(throws: PackageError.self) { _ = try PackageContent(bytes + [0], name: "") }
  }

  @Test func aChangedPackageIsNeverTrusted() throws {
    let pair = PublisherKeyPair()
    let bytes = try Self.small(pair).bytes
    let list = Self.trusting(pair)
    #expect(try PackageContent(bytes, name: "").publisher(in: list).id == "p")
    var generator = SeededGenerator(seed: 7)
    func trusted(_ changed: [UInt8]) -> Bool {
      guard let content = try? PackageContent(changed, name: "") else { return false }
      return (try? content.publisher(in: list)) != nil
    }
    // Every byte once, in one of its bits.
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      #expect(!trusted(changed), "byte \(index)")
    }
    for _ in 0..<3_000 {
      var changed = bytes
      switch Int.random(in: 0...3, using: &generator) {
      case 0:
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
          changed[Int.random(in: 0..<changed.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
      case 1:
        let start = Int.random(in: 0..<changed.count, using: &generator)
        changed.removeSubrange(start..<min(changed.count, start + Int.random(in: 1...64, using: &generator)))
      case 2:
        let place = Int.random(in: 0...changed.count, using: &generator)
        changed.insert(contentsOf: changed.prefix(Int.random(in: 1...64, using: &generator)), at: place)
      default:
        let (one, other) = (
          Int.random(in: 0..<changed.count, using: &generator), Int.random(in: 0..<changed.count, using: &generator)
        )
        changed.swapAt(one, other)
      }
      #expect(changed == bytes || !trusted(changed))
    }
  }

  @Test func randomBytesAreNoPackage() {
    var generator = SeededGenerator(seed: 8)
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...300, using: &generator)
      let noise = PackageContent.magic + (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(throws: PackageError.self) { _ = try PackageContent(noise, name: "") }
    }
  }

  /// A package around a manifest that lies, with the lengths of a true one.
  private func forged(_ change: (String) -> String) throws -> PackageError? {
    let content = try Self.small(nil)
    let manifest = Array(change(String(decoding: content.manifestBytes, as: UTF8.self)).utf8)
    var bytes = PackageContent.magic
    for size in [manifest.count, 0] { withUnsafeBytes(of: UInt32(size).littleEndian) { bytes += Array($0) } }
    bytes += manifest + content.manifest.files.flatMap { content.files[$0.path] ?? [] }
    return #expect(throws: PackageError.self) { _ = try PackageContent(bytes, name: "forged") }
  }

  @Test(arguments: ["org.example." + String(repeating: "a", count: 53), "versions.json"])
  func anIdThatNoFolderCanHaveIsRefused(id: String) throws {
    let error = try forged { $0.replacing("\"org.example.a\"", with: "\"\(id)\"") }
    #expect(error?.code == .packageDamaged && error?.message.contains("no id of a package") == true)
  }

  @Test(arguments: [
    "../../etc/passwd", "/etc/passwd", "assets/../LICENSE", "assets/./a", "assets//a", "assets/.hidden", "lib/x.so",
    "lib/linux-mips/x.so", "etc/cron.d/x", "assets/a\\u0000b", "assets/\\u202egnp", "ASSETS/a", "assets", "",
    "assets/a/b/c/d/e/f/g",
  ])
  func aPathThatLeadsElsewhereIsRefused(path: String) throws {
    let error = try forged { $0.replacing("assets/a.txt", with: path) }
    #expect(error?.code == .packageDamaged)
    // Characters that no text may have are refused before anybody looks for a place.
    let isOfPlaces = error?.message.contains("is no place of a package") == true
    #expect(isOfPlaces || path.contains("\\u"), "\(error?.message ?? "")")
  }

  @Test(arguments: [
    // A file twice, out of order, below another file.
    ("\"LICENSE\"", "\"assets/a.txt\""), ("\"LICENSE\"", "\"registry.json\""), ("\"LICENSE\"", "\"assets/a.txt/b\""),
    // Lengths.
    ("\"size\": 4", "\"size\": 5"), ("\"size\": 4", "\"size\": 99999999999999999999"), ("\"size\": 4", "\"size\": -1"),
    ("\"size\": 4", "\"size\": 4.0"),
    // Another version, other drivers, other libraries.
    ("\"package_version\": 1", "\"package_version\": 2"), ("\"org.example.a\"", "\"org.example.b\""),
    ("\"1.0.0\"", "\"1.0.1\""), ("\"MIT\"", "\"GPL\""), ("\"minor\": 0", "\"minor\": 1"),
    ("\"linux-x86_64\": \"lib/linux-x86_64/x.so\"", "\"linux-x86_64\": \"lib/linux-x86_64/y.so\""),
    ("\"linux-x86_64\": \"lib/linux-x86_64/x.so\"", "\"linux-aarch64\": \"lib/linux-x86_64/x.so\""),
    ("\"linux-x86_64\": \"lib/linux-x86_64/x.so\"", ""),
    // Another spelling of the same.
    ("\"vendor\": \"V\"", "\"vendor\":  \"V\""), ("\"vendor\": \"V\"", "\"vendor\": \"\\u0056\""),
    ("\"vendor\": \"V\"", "\"vendor\": \"V\", \"more\": 1"),
    ("\"vendor\": \"V\"", "\"vendor\": \"V\", \"vendor\": \"V\""),
  ])
  func aManifestThatLiesIsRefused(old: String, new: String) throws {
    let truth = String(decoding: try Self.small(nil).manifestBytes, as: UTF8.self)
    let range = try #require(truth.range(of: old))
    let error = try forged { _ in truth.replacingCharacters(in: range, with: new) }
    #expect(error?.code == .packageDamaged || error?.code == .notAPackage)
    #expect(error?.message.unicodeScalars.allSatisfy { isFitForPeople($0) || $0 == "\n" } == true)
  }

  @Test func lengthsOfTheHeadAreNotBelieved() throws {
    let bytes = try Self.small(nil).bytes
    for place in [8, 12] {
      for length in [UInt32.max, 1 << 31, 1 << 20, UInt32(bytes.count), 0] {
        var changed = bytes
        withUnsafeBytes(of: length.littleEndian) { changed.replaceSubrange(place..<place + 4, with: $0) }
        if changed == bytes { continue }
        #expect(throws: PackageError.self) { _ = try PackageContent(changed, name: "") }
      }
    }
  }

  @Test func whatIsNoRegularFileIsRefused() async throws {
    try await Sandbox.with { sandbox in
      for path in ["/dev/zero", sandbox.root.path, sandbox.path("missing")] {
        let error = #expect(throws: PackageError.self) { _ = try PackageContent(path: path) }
        #expect(error?.code == .packageFile && !PackageContent.isPackage(path: path))
      }
      let text = try sandbox.file("text", "no package")
      #expect(throws: PackageError.self) { _ = try PackageContent(path: text) }
    }
  }
}
