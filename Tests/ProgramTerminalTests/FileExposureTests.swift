import Foundation
import ProgramTerminal
import TestSupport
import Testing

@Suite("Files with secrets that others can read", .timeLimit(.minutes(5))) struct FileExposureTests {
  @Test(
    "are told of by their mode",
    arguments: [(0o600, false), (0o400, false), (0o640, true), (0o604, true), (0o644, true), (0o622, false)])
  func modes(mode: Int, isTold: Bool) throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "secret").path
    try #require(FileManager.default.createFile(atPath: file, contents: Data(), attributes: [.posixPermissions: mode]))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    for sparesGroups in [false, true] {
      let warning = FileExposure.warning(of: file, sparesGroups: sparesGroups)
      #expect(warning == (isTold ? "other users can read \(file): `chmod 600 \(file)`" : nil))
    }
  }

  @Test("may be open to the group that another user has given them to", .enabled(if: geteuid() == 0))
  func groups() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "secret").path
    try #require(FileManager.default.createFile(atPath: file, contents: Data()))
    #expect(chown(file, 65_534, 0) == 0 && chmod(file, 0o640) == 0)
    #expect(FileExposure.warning(of: file, sparesGroups: true) == nil)
    #expect(FileExposure.warning(of: file) != nil)
    #expect(chmod(file, 0o604) == 0)
    #expect(FileExposure.warning(of: file, sparesGroups: true) != nil)
  }

  @Test("are files: of a folder, and of what is not there, nothing is told") func noFile() throws {
    let folder = try TemporaryFolder()
    #expect(FileExposure.warning(of: folder.path) == nil)
    #expect(FileExposure.warning(of: "\(folder.path)/gone") == nil)
  }
}
