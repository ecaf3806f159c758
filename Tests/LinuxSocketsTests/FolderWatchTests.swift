import Foundation
import TestSupport
import Testing

@testable import LinuxSockets

@Suite("Watching a folder", .timeLimit(.minutes(5)))
struct FolderWatchTests {
  @Test("tells of what comes, by being made or moved there, and when the folder has gone")
  func changes() async throws {
    let folder = try TemporaryFolder()
    let place = folder.url.appending(path: "air")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    let watch = try FolderWatch(place.path)
    try Data().write(to: place.appending(path: "made"))
    #expect(try await watch.waitForChange())
    let outside = folder.url.appending(path: "outside")
    try Data().write(to: outside)
    try FileManager.default.moveItem(at: outside, to: place.appending(path: "moved"))
    #expect(try await watch.waitForChange())
    try FileManager.default.removeItem(at: place)
    #expect(try await !watch.waitForChange())
  }

  @Test("of which there is none is an error; a closed one ends")
  func missing() async throws {
    let folder = try TemporaryFolder()
    let error = #expect(throws: SocketError.self) { try FolderWatch(folder.url.path + "/none") }
    #expect(error?.code == .notFound)
    let watch = try FolderWatch(folder.url.path)
    watch.close()
    #expect(try await !watch.waitForChange())
  }
}
