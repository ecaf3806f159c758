import Foundation
import TestSupport
import Testing

@testable import MeterHealth

/// A file that somebody still writes to while it is read.
@Suite struct ChangedExportTests {
  private func export(_ change: (URL) throws -> Void) throws -> HealthExport {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "export.xml")
    try Data(repeating: 0x20, count: 1_000).write(to: file)
    let export = try HealthExport(path: file.path)
    try change(file)
    return export
  }

  @Test func oneThatBecameShorterIsNotReadAsItWas() throws {
    let export = try export { try FileHandle(forWritingTo: $0).truncate(atOffset: 10) }
    let error = #expect(throws: HealthImportError.self) { _ = try export.read(1_000, at: 0) }
    #expect(error?.code == .truncated)
    #expect(throws: HealthImportError.self) { try export.check() }
  }

  @Test func oneThatGrewIsNoLongerTheOneThatWasOpened() throws {
    let export = try export { file in
      let handle = try FileHandle(forWritingTo: file)
      try handle.seekToEnd()
      try handle.write(contentsOf: Data([0x20]))
    }
    #expect(try export.read(2_000, at: 0).count == 1_000)
    let error = #expect(throws: HealthImportError.self) { try export.check() }
    #expect(error?.code == .changed)
  }

  @Test func oneThatNobodyTouchesIsTheSame() throws {
    let export = try export { _ in }
    #expect(try export.read(1_000, at: 0).count == 1_000)
    try export.check()
  }
}
