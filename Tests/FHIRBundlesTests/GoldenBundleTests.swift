import Foundation
import MeterCore
import StrictJSON
import Testing

@testable import FHIRBundles

/// The bundles as they stand in files, which `scripts/fhir-test bundles` has a validator of FHIR and HL7's profiles check.
///
/// `METERHOST_RECORD_FHIR=1` writes the files anew; what has changed is to be looked at.
@Suite("Bundles of records", .timeLimit(.minutes(60)))
struct GoldenBundleTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/FHIR/bundles")
  private static let isRecording = ProcessInfo.processInfo.environment["METERHOST_RECORD_FHIR"] != nil

  @Test("a record becomes the bundle of its file", arguments: BundleCase.all)
  func golden(_ golden: BundleCase) throws {
    let bundle = try golden.bundle()
    let text = Indented.text(try ReadBundle(bundle).root)
    let file = Self.folder.appending(path: "\(golden.name).json")
    if Self.isRecording {
      try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    #expect(text == String(decoding: try Data(contentsOf: file), as: UTF8.self))
  }

  @Test("every file is the bundle of a record")
  func known() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(files) == Set(BundleCase.all.map { "\($0.name).json" }))
  }

  @Test("the same record is the same bytes each time", arguments: BundleCase.all)
  func repeated(_ golden: BundleCase) throws {
    #expect(try golden.bundle() == golden.bundle())
  }

  @Test("a bundle says how many entries it has, and which is the main one", arguments: BundleCase.all)
  func counted(_ golden: BundleCase) throws {
    let bundle = try golden.bundle()
    let read = try ReadBundle(bundle)
    #expect(read.entries.count == bundle.entryCount)
    let main = read.entries[bundle.mainEntry]
    let record = try golden.record()
    #expect(main.text("resource.identifier.0.value") == bundle.mainIdentifier)
    let name = Fixture.name(record.logID, of: golden.subject.reference)
    #expect(try #require(main.text("resource.identifier.0.value")).hasPrefix(name.description))
    #expect(main.text("resource.resourceType") == "Observation" && main.at("resource.derivedFrom") == nil)
  }
}
