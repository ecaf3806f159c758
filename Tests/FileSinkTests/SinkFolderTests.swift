import Foundation
import Glibc
import HostErrors
import MeterCore
import TestSupport
import Testing

@testable import FileSink

@Suite("The folder of a sink")
struct SinkFolderTests {
  private let files: SinkFiles

  init() throws { files = try SinkFiles() }

  private func check(_ path: String) throws -> FileSinkSetting {
    try FileSinkSetting(folder: path).checked(stateFolder: files.temporary.state.path)
  }

  private func code(_ path: String) -> FileSinkError.Code? {
    do {
      _ = try check(path)
      return nil
    } catch { return (error as? FileSinkError)?.code }
  }

  // MARK: - Checks

  @Test("a folder that is not there is made for this user alone")
  func made() throws {
    let path = files.url.appending(path: "new").path
    #expect(try check(path + "//").folder == path)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o700)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
  }

  @Test("what is no folder of this user's own is refused")
  func refused() throws {
    let manager = FileManager.default
    let (file, link, open) = ["file", "link", "open"].map { files.url.appending(path: $0).path }.triple
    try Data().write(to: URL(filePath: file))
    try manager.createSymbolicLink(atPath: link, withDestinationPath: "/tmp")
    try manager.createDirectory(atPath: open, withIntermediateDirectories: false)
    #expect(chmod(open, 0o777) == 0)
    #expect(code(file) == .notAFolder && code(link) == .notAFolder && code(open) == .openToOthers)
    #expect(code(files.url.appending(path: "not/there").path) == .missingFolder)
    #expect(code(files.url.appending(path: "file/in").path) == .missingFolder)
    #expect(code("relative") == .path)
  }

  @Test("another user's folder is refused", .enabled(if: geteuid() == 0, "only root gives a folder away"))
  func otherOwner() throws {
    try #require(chown(files.url.path, 65_534, 65_534) == 0)
    #expect(code(files.url.path) == .otherOwner)
  }

  @Test("a folder that may not be written is refused", .enabled(if: geteuid() != 0, "root may write everywhere"))
  func notWritable() throws {
    try #require(chmod(files.url.path, 0o500) == 0)
    #expect(code(files.url.path) == .readOnly)
    #expect(chmod(files.url.path, 0o700) == 0)
  }

  @Test("the state folder is for nobody else, by whatever path")
  func insideState() throws {
    let state = files.temporary.state
    try FileManager.default.createDirectory(at: state, withIntermediateDirectories: false)
    let link = files.temporary.url.appending(path: "link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: state.path)
    for path in [state.path, state.path + "/out", link + "/out", state.path + "/"] {
      #expect(code(path) == .insideState, "\(path)")
    }
    #expect(!FileManager.default.fileExists(atPath: state.path + "/out"), "nothing was made there")
    #expect(code(files.temporary.url.appending(path: "state-of-mine").path) == nil, "a name that only begins alike")
  }

  @Test("a check says whether the folder can be written, and writes nothing")
  func credential() async throws {
    #expect(await FileSink(files.setting()).check(Fixture.credential).verdict == .accepted)
    #expect(try files.names().isEmpty)
    let gone = FileSinkSetting(folder: files.url.appending(path: "gone").path)
    let reply = await FileSink(gone).check(Fixture.credential)
    #expect(reply.verdict == .outOfReach() && reply.text.contains("put the folder back"))
  }

  // MARK: - Others

  @Test("a second sink waits until the first one is gone")
  func lock() async throws {
    do {
      let first = FileSink(files.setting())
      #expect(await first.deliver([1]).allSatisfy(\.isDelivered))
      let second = FileSink(files.setting())
      let replies = await second.deliver([2])
      #expect(replies.allSatisfy(\.isRetry) && replies[0].text.contains("writes to the folder"))
      #expect(await second.check(Fixture.credential).verdict == .accepted, "a question holds nothing")
      #expect(await first.deliver([2]).allSatisfy(\.isDelivered))
    }
    #expect(await files.sink().deliver([2, 3]).allSatisfy(\.isDelivered))
    #expect(try files.items() == DeliveredItem.first(1...3))
  }

  @Test("a lock file that was removed is taken again, and still keeps others out")
  func removedLock() async throws {
    let first = FileSink(files.setting())
    #expect(await first.deliver([1]).allSatisfy(\.isDelivered))
    try FileManager.default.removeItem(at: files.url.appending(path: FolderLock.file))
    #expect(await first.deliver([2]).allSatisfy(\.isDelivered))
    #expect(await FileSink(files.setting()).deliver([3]).allSatisfy(\.isRetry))
    #expect(try files.items() == DeliveredItem.first([1, 2]))
  }

  @Test("a folder that is gone is not made again, and is gone on with when it is back")
  func gone() async throws {
    let sink = FileSink(files.setting())
    #expect(await sink.deliver([1]).allSatisfy(\.isDelivered))
    let aside = files.temporary.url.appending(path: "aside")
    try FileManager.default.moveItem(at: files.url, to: aside)
    let replies = await sink.deliver([2])
    #expect(replies.allSatisfy(\.isRetry) && replies[0].text.contains("put the folder back"))
    #expect(!FileManager.default.fileExists(atPath: files.url.path))
    try FileManager.default.moveItem(at: aside, to: files.url)
    #expect(await sink.deliver([1, 2]).allSatisfy(\.isDelivered))
    #expect(try files.items() == DeliveredItem.first([1, 2]))
  }

  @Test("a current file that was moved away, cut or removed is noticed", arguments: ["moved", "cut", "removed"])
  func changed(how: String) async throws {
    let sink = FileSink(files.setting())
    #expect(await sink.deliver(1...2).allSatisfy(\.isDelivered))
    let name = try #require(try files.names().first)
    let url = files.url.appending(path: name)
    switch how {
    case "moved": try FileManager.default.moveItem(at: url, to: files.url.appending(path: "old"))
    case "removed": try FileManager.default.removeItem(at: url)
    default: try files.replace(name, with: Array(try files.bytes(name).dropLast(5)))
    }
    #expect(await sink.deliver([3]).allSatisfy(\.isDelivered))
    #expect(try files.items() == (how == "cut" ? DeliveredItem.first([1, 3]) : DeliveredItem.first([3])))
  }

  @Test("what only has a file's name is not written", arguments: ["link", "pipe", "second name", "folder"])
  func planted(kind: String) async throws {
    let name = "readings-2099-01-01T000000Z-001.jsonl"
    let path = files.url.appending(path: name).path
    let target = files.temporary.url.appending(path: "target")
    try Data("x\n".utf8).write(to: target)
    switch kind {
    case "link": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target.path)
    case "pipe": try #require(mkfifo(path, 0o600) == 0)
    case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    default: try #require(link(target.path, path) == 0)
    }
    let replies = await FileSink(files.setting()).deliver([1])
    #expect(replies.allSatisfy(\.isRetry) && replies[0].text.contains(name))
    #expect(try Data(contentsOf: target) == Data("x\n".utf8))
  }
}

extension [String] {
  fileprivate var triple: (String, String, String) { (self[0], self[1], self[2]) }
}
