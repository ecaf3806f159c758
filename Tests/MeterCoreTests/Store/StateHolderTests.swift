import Foundation
import Synchronization
import TestSupport
import Testing

@testable import MeterCore

@Suite("The process that owns a state folder", .timeLimit(.minutes(5))) struct StateHolderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  private var holder: Int32? { get throws { try StateFolder.holder(of: folder.state.path) } }

  @Test("is told as long as it owns it, and not by the number that it has left behind") func holds() throws {
    #expect(try holder == nil && !FileManager.default.fileExists(atPath: folder.state.path), "nothing is made")
    var owned: StateFolder? = try StateFolder(path: folder.state.path)
    #expect(try owned?.path == folder.state.path && holder == getpid())
    owned = nil
    let lock = folder.state.appending(path: "lock")
    #expect(try String(contentsOf: lock, encoding: .utf8) == "\(getpid())\n")
    #expect(try holder == nil)
    // Whoever has looked is in nobody's way.
    let again = try StateFolder(path: folder.state.path)
    #expect(try again.path == folder.state.path && holder == getpid())
  }

  @Test("is not told by what is no number, nor by what is no file") func unreadable() throws {
    let owned = try StateFolder(path: folder.state.path)
    let lock = folder.state.appending(path: "lock").path
    for text in ["", "none\n", String(repeating: "1", count: 100)] {
      truncate(lock, 0)
      let file = try FileHandle(forWritingTo: URL(filePath: lock))
      try file.write(contentsOf: Data(text.utf8))
      try file.close()
      #expect(try holder == nil, "\(text)")
    }
    unlink(lock)
    try #require(mkfifo(lock, 0o600) == 0)
    #expect(throws: StoreError.self) { try holder }
    #expect(owned.path == folder.state.path)
  }

  @Test("is not kept from it by those who only look") func looks() throws {
    let path = folder.state.path
    let isOver = Mutex(false)
    _ = try StateFolder(path: path)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while !isOver.withLock(\.self) { _ = try? StateFolder.holder(of: path) }
      ended.signal()
    }
    defer {
      isOver.withLock { $0 = true }
      ended.wait()
    }
    for _ in 0..<2_000 { _ = try StateFolder(path: path) }
  }
}
