import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

@Suite("R1 R4 R20 what a bundle must be") struct BundleVerifierTests {
  private func refusal(
    _ file: URL, rules: BundleRules = BundleRules(allowsMissingHash: true), hash: BundleHash? = nil
  ) throws -> BundleError {
    try #require(throws: BundleError.self) {
      try BundleVerifier.verify(path: file.path, expectedHash: hash, rules: rules)
    }
  }

  private func replace(_ old: String, _ new: String, in file: URL) throws -> URL {
    try CompiledBundle.patched(file) { bytes in
      let place = try #require(Data(bytes).range(of: Data((old + "\0").utf8)))
      bytes.replaceSubrange(place, with: Array((new + "\0").utf8))
    }
  }

  @Test func goodBundleIsSealedOnce() throws {
    let file = try CompiledBundle.make()
    let hash = BundleHash(of: [UInt8](try Data(contentsOf: file)))
    let first = try BundleVerifier.verify(path: file.path, expectedHash: hash)
    let copy = try CompiledBundle.patched(file) { _ in }
    let second = try BundleVerifier.verify(path: copy.path, expectedHash: hash)
    #expect(first.hash == hash && second.hash == hash)
    #expect(first.descriptor == second.descriptor)
    #expect(write(first.descriptor, [1], 1) == -1 && errno == EPERM)
    #expect(ftruncate(first.descriptor, 0) == -1)
  }

  @Test func hashMustBeTheRegistrys() throws {
    let file = try CompiledBundle.make()
    let other = BundleHash(of: [1])
    let wrong = try refusal(file, hash: other)
    #expect(wrong.code == .wrongHash && wrong.message.contains("\(other)"))
    #expect(try refusal(file, rules: BundleRules()).code == .missingHash)
  }

  @Test func whatIsNoBundleFileIsRefused() throws {
    let file = try CompiledBundle.make()
    #expect(try refusal(URL(filePath: "/nowhere/bundle.so")).code == .unreadable)
    #expect(try refusal(URL(filePath: "/dev/zero")).code == .notRegularFile)
    #expect(try refusal(file.deletingLastPathComponent()).code == .notRegularFile)
    #expect(try refusal(file, rules: BundleRules(allowsMissingHash: true, maximumSize: 100)).code == .tooLarge)
    let text = try CompiledBundle.patched(file) { $0 = Array("not a bundle".utf8) }
    #expect(try refusal(text).code == .notELF)
    let link = file.deletingLastPathComponent().appending(path: "link-\(UUID().uuidString)")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    #expect(try refusal(link).message.contains("symbolic link"))
  }

  @Test func otherArchitectureAndTypeAreRefused() throws {
    let file = try CompiledBundle.make()
    let foreign = try refusal(try CompiledBundle.patched(file) { $0[18] = 243 })
    #expect(foreign.code == .wrongArchitecture && foreign.message.contains("243"))
    #expect(try refusal(try CompiledBundle.patched(file) { $0[16] = 2 }).code == .notSharedObject)
  }

  /// A bundle with one byte of its note changed, counted from the contract's version.
  private func noted(_ offset: Int, _ byte: UInt8) throws -> URL {
    try CompiledBundle.patched(try CompiledBundle.make()) { bytes in
      let note = try #require(Data(bytes).range(of: Data("MeterHost\0\0\0".utf8)))
      bytes[note.upperBound + offset] = byte
    }
  }

  @Test func aLaterMinorInTheNoteIsServed() throws {
    #expect(throws: Never.self) {
      try BundleVerifier.verify(
        path: noted(2, 9).path, expectedHash: nil, rules: BundleRules(allowsMissingHash: true))
    }
  }

  @Test(arguments: [(0, "contract 9."), (4, "layout")]) func otherContractInTheNoteIsRefusedNamingBoth(
    offset: Int, named: String
  ) throws {
    let error = try refusal(try noted(offset, 9))
    #expect(error.code == .wrongContract && error.rule == "R4")
    #expect(error.message.contains(named))
    #expect(error.message.contains("speaks \(ContractVersion.host.major).\(ContractVersion.host.minor)"))
  }

  @Test func missingNoteIsRefused() throws {
    #expect(try refusal(try CompiledBundle.make(defines: ["NO_NOTE"])).code == .missingNote)
  }

  @Test func foreignLibraryIsRefusedByName() throws {
    let error = try refusal(try replace("libc.so.6", "libx.so.6", in: try CompiledBundle.make()))
    #expect(error.code == .forbiddenLibrary && error.message.contains("libx.so.6"))
  }

  @Test func searchPathIsRefused() throws {
    for tag in ["--enable-new-dtags", "--disable-new-dtags"] {
      let error = try refusal(try CompiledBundle.make(extra: ["-Wl,\(tag),-rpath,/somewhere"]))
      #expect(error.code == .forbiddenSearchPath && error.message.contains("/somewhere"))
    }
  }

  @Test func originAsSearchPathIsHarmless() throws {
    let file = try CompiledBundle.make(extra: ["-Wl,-rpath,$ORIGIN"])
    _ = try BundleVerifier.verify(path: file.path, expectedHash: nil, rules: BundleRules(allowsMissingHash: true))
    let outside = try refusal(try CompiledBundle.make(extra: ["-Wl,-rpath,$ORIGIN/../lib:$ORIGIN"]))
    #expect(outside.code == .forbiddenSearchPath)
  }

  @Test func filtersAreRefused() throws {
    for flag in ["--auxiliary=libx.so", "--filter=libx.so"] {
      let error = try refusal(try CompiledBundle.make(extra: ["-Wl,\(flag)"]))
      #expect(error.code == .forbiddenLibrary && error.message.contains("libx.so"))
    }
  }

  @Test func exportsAreExactlyTheEntry() throws {
    #expect(try refusal(try CompiledBundle.make(["hollow.c"])).code == .missingSymbol)
    let extra = try refusal(try CompiledBundle.make(["drivers.c", "extra.c"], isMapped: false))
    #expect(extra.code == .extraSymbol && extra.message.contains("mh_fixture_extra"))
    for style in ["sysv", "gnu", "both"] {
      let file = try CompiledBundle.make(extra: ["-Wl,--hash-style=\(style)"])
      _ = try BundleVerifier.verify(path: file.path, expectedHash: nil, rules: BundleRules(allowsMissingHash: true))
    }
  }

  @Test func symbolOfADependencyIsNotEnough() throws {
    let dependency = try CompiledBundle.make(defines: ["UNLIKE_OTHERS"])
    let error = try refusal(try CompiledBundle.make(["hollow.c"], extra: ["-Wl,--no-as-needed", dependency.path]))
    #expect(error.code == .forbiddenLibrary)
  }

  @Test func executableStackIsRefused() throws {
    #expect(try refusal(try CompiledBundle.make(extra: ["-Wl,-z,execstack"])).code == .executableStack)
  }

  @Test func writableCodeIsRefused() throws {
    let file = try CompiledBundle.make()
    // DT_RELACOUNT, which every bundle with relative relocations has, becomes DT_TEXTREL.
    let relocating = try CompiledBundle.patched(file) { bytes in
      let count = try #require(Data(bytes).range(of: Data([0xf9, 0xff, 0xff, 0x6f, 0, 0, 0, 0])))
      bytes.replaceSubrange(count, with: [22, 0, 0, 0, 0, 0, 0, 0])
    }
    #expect(try refusal(relocating).code == .writableCode)
    // Every loaded segment becomes readable, writable and executable.
    let all = try CompiledBundle.patched(file) { bytes in
      for header in 0..<Int(bytes[56]) where bytes[64 + 56 * header] == 1 { bytes[64 + 56 * header + 4] = 7 }
    }
    #expect(try refusal(all).code == .writableCode)
  }
}
