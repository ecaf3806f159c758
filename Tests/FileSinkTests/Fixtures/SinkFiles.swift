import Foundation
import Glibc
import MeterCore
import TestSupport
import Testing

@testable import FileSink

/// A folder for one test's files, and what is in them.
struct SinkFiles {
  let temporary: TemporaryFolder
  let format: FileSinkSetting.Format

  init(_ format: FileSinkSetting.Format = .jsonLines) throws {
    temporary = try TemporaryFolder(inMemory: true)
    self.format = format
    try FileManager.default.createDirectory(
      at: temporary.url.appending(path: "out"), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
  }

  var url: URL { temporary.url.appending(path: "out") }

  func setting(_ change: (inout FileSinkSetting) -> Void = { _ in }) -> FileSinkSetting {
    var setting = FileSinkSetting(folder: url.path, format: format)
    change(&setting)
    return setting
  }

  /// A sink for the folder, as soon as the one before it has let go of it: what has run for that one may not have ended yet.
  func sink(_ change: (inout FileSinkSetting) -> Void = { _ in }) -> FileSink {
    waitUntilFree()
    return FileSink(setting(change))
  }

  /// Waits until no sink and no process has the folder. A killed process is taken apart by the kernel after its end is known.
  func waitUntilFree() {
    let lock = open(url.appending(path: FolderLock.file).path, O_RDWR | O_CLOEXEC)
    guard lock >= 0 else { return }
    while flock(lock, LOCK_EX) != 0 && errno == EINTR {}
    flock(lock, LOCK_UN)
    close(lock)
  }

  /// The names of the files with readings, the oldest first.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.hasPrefix("readings-") }.sorted()
  }

  func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url.appending(path: name))) }

  func replace(_ name: String, with bytes: [UInt8]) throws {
    let file = try FileHandle(forWritingTo: url.appending(path: name))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }

  func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

  /// What is in the files in their order; a line that is not whole or not ours ends the test.
  func items() throws -> [DeliveredItem] {
    var items: [DeliveredItem] = []
    for name in try names() {
      var rest = try bytes(name)[...]
      guard !rest.isEmpty else { continue }
      let heading = format.form.heading
      try #require(rest.starts(with: heading), "\(name) begins with its heading")
      rest = rest.dropFirst(heading.count)
      var row = 0
      while !rest.isEmpty {
        let end = try #require(rest.firstIndex(of: UInt8(ascii: "\n")), "\(name) ends with a whole line")
        let mark = try #require(format.form.mark(rest[...end]), "\(name) has lines of ours only")
        row += 1
        try #require(mark.row == row, "a reading's rows are together")
        if mark.isLast {
          items.append(mark.item)
          row = 0
        }
        rest = rest[(end + 1)...]
      }
      try #require(row == 0, "\(name) ends with a whole reading")
    }
    return items
  }
}

extension DeliveredItem {
  /// The first revisions of readings.
  static func first(_ numbers: some Sequence<Int>) -> [DeliveredItem] {
    numbers.map { .reading(Fixture.logID($0), revision: 1) }
  }
}

extension FileSink {
  /// Delivers readings by their numbers.
  func deliver(_ numbers: some Sequence<Int>) async -> [SinkReply] {
    await deliver(numbers.map { Fixture.reading($0) }, with: Fixture.credential)
  }
}

extension SinkReply {
  var isDelivered: Bool { if case .delivered = outcome { true } else { false } }
  var isRetry: Bool { if case .retry = outcome { true } else { false } }
}
