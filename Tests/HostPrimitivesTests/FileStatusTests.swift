import Foundation
import HostPrimitives
import TestSupport
import Testing

@Suite("The status of a file") struct FileStatusTests {
  @Test("tells size, kind and owner, of a link itself") func told() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "file")
    try Data("four".utf8).write(to: file)
    let link = folder.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let status = try #require(FileStatus(at: file.path))
    #expect(status.size == 4 && status.isPlainFile && status.owner == geteuid())
    let handle = try FileHandle(forReadingFrom: file)
    #expect(FileStatus(of: handle.fileDescriptor) == status)
    let other = folder.appending(path: "other")
    try Data("four".utf8).write(to: other)
    #expect(FileStatus(at: other.path)?.identity != status.identity)
    #expect(FileStatus(following: link.path) == status && !status.isSocket)
    #expect(FileStatus(at: link.path)?.isPlainFile == false && FileStatus(at: folder.path)?.isPlainFile == false)
    #expect(FileStatus(at: folder.appending(path: "none").path) == nil && FileStatus(of: -1) == nil)
  }
}
