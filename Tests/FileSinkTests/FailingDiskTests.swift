import Foundation
import Glibc
import HostPrimitives
import MeterCore
import Synchronization
import TestSupport
import Testing

@testable import FileSink

/// Calls that fail as a disk's do, as long as a test says so.
private final class FailingDisk: Sendable {
  struct Faults: Sendable {
    /// What write(2) fails with, behind so many bytes that it still takes.
    var write: (error: Int32, room: Int)?
    var sync: Int32?
    var cut: Int32?
  }

  let faults = Mutex(Faults())

  var calls: DiskCalls {
    let system = DiskCalls.system
    return DiskCalls(
      write: { descriptor, bytes in
        guard let (error, room) = self.faults.withLock(\.write) else { return system.write(descriptor, bytes) }
        guard room > 0 else {
          errno = error
          return -1
        }
        let count = min(room, bytes.count)
        self.faults.withLock { $0.write = (error, room - count) }
        return system.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      },
      sync: { descriptor in
        guard let error = self.faults.withLock(\.sync) else { return system.sync(descriptor) }
        errno = error
        return -1
      },
      cut: { descriptor, length in
        guard let error = self.faults.withLock(\.cut) else { return system.cut(descriptor, length) }
        errno = error
        return -1
      })
  }
}

@Suite("Disks that fail")
struct FailingDiskTests {
  private let disk = FailingDisk()

  private func sink(_ files: SinkFiles) -> FileSink { FileSink(files.setting(), clock: .system, disk: disk.calls) }

  @Test(
    "a disk that is full keeps readings waiting, says what to do, and leaves no half line",
    arguments: FileSinkSetting.Format.allCases, [0, 1, 100])
  func full(format: FileSinkSetting.Format, room: Int) async throws {
    let files = try SinkFiles(format)
    let sink = sink(files)
    #expect(await sink.deliver(1...3).allSatisfy(\.isDelivered))
    let name = try #require(try files.names().first)
    let before = try files.bytes(name)
    for number in [4, 5] {
      disk.faults.withLock { $0.write = (ENOSPC, room) }
      let replies = await sink.deliver([number])
      #expect(replies.allSatisfy(\.isRetry) && replies[0].text.contains("the disk is full: make room"))
      #expect(!replies[0].isAboutItem && replies[0].text.contains(name))
      #expect(try files.bytes(name) == before)
    }
    disk.faults.withLock { $0 = FailingDisk.Faults() }
    #expect(await sink.deliver(4...6).allSatisfy(\.isDelivered))
    #expect(try files.items() == DeliveredItem.first(1...6))
  }

  @Test("a write that takes less than all is gone on with")
  func shortWrites() async throws {
    let files = try SinkFiles()
    let system = DiskCalls.system
    let calls = DiskCalls(
      write: { system.write($0, UnsafeRawBufferPointer(rebasing: $1[..<min(7, $1.count)])) }, sync: system.sync,
      cut: system.cut)
    let sink = FileSink(files.setting(), clock: .system, disk: calls)
    #expect(await sink.deliver(1...3).allSatisfy(\.isDelivered))
    #expect(try files.items() == DeliveredItem.first(1...3))
  }

  @Test("what was not put on disk is not taken for written")
  func sync() async throws {
    let files = try SinkFiles()
    let sink = sink(files)
    #expect(await sink.deliver([1]).allSatisfy(\.isDelivered))
    disk.faults.withLock { $0.sync = EIO }
    for _ in 1...2 { #expect(await sink.deliver([2]).allSatisfy(\.isRetry)) }
    disk.faults.withLock { $0.sync = nil }
    #expect(try files.items() == DeliveredItem.first([1]))
    #expect(await sink.deliver([2]).allSatisfy(\.isDelivered))
    #expect(try files.items() == DeliveredItem.first([1, 2]))
  }

  @Test("half a line that cannot be cut off stays the last one until it can")
  func cut() async throws {
    let files = try SinkFiles()
    let sink = sink(files)
    #expect(await sink.deliver([1]).allSatisfy(\.isDelivered))
    let name = try #require(try files.names().first)
    disk.faults.withLock { $0 = FailingDisk.Faults(write: (EDQUOT, 50), cut: EIO) }
    #expect(await sink.deliver([2]).allSatisfy(\.isRetry))
    let torn = try files.bytes(name)
    disk.faults.withLock { $0.write = nil }
    #expect(await sink.deliver([3]).allSatisfy(\.isRetry))
    #expect(try files.bytes(name) == torn && torn.last != UInt8(ascii: "\n"))
    disk.faults.withLock { $0.cut = nil }
    #expect(await sink.deliver([2, 3]).allSatisfy(\.isDelivered))
    #expect(try files.items() == DeliveredItem.first(1...3))
  }

  @Test("a picture that cannot be written leaves no file and no line")
  func image() async throws {
    let files = try SinkFiles()
    let sink = sink(files)
    let image = try Fixture.image(1, of: 1)
    disk.faults.withLock { $0.write = (ENOSPC, 10) }
    #expect(await sink.deliver(image, with: Fixture.credential).isRetry)
    #expect(try FileManager.default.contentsOfDirectory(atPath: files.url.appending(path: "images").path).isEmpty)
    #expect(try files.items().isEmpty)
    disk.faults.withLock { $0.write = nil }
    #expect(await sink.deliver(image, with: Fixture.credential).isDelivered)
  }

  @Test(
    "an error of the system is a text that says what to do",
    arguments: [
      (ENOSPC, .diskFull, "make room"), (EDQUOT, .diskFull, "quota"), (EFBIG, .diskFull, "rotate_bytes"),
      (EROFS, .readOnly, "mount it writable"), (EACCES, .readOnly, "owner and permissions"),
      (EPERM, .readOnly, "owner and permissions"), (ENOENT, .moved, "put the folder back"),
      (EMFILE, .inputOutput, "limit of open files"), (EIO, .inputOutput, "check the disk"),
    ] as [(Int32, FileSinkError.Code, String)])
  func texts(number: Int32, code: FileSinkError.Code, words: String) {
    let error = FileSinkError.system("cannot write /srv/x", number)
    #expect(error.code == code && error.message.contains(words) && error.message.hasPrefix("cannot write /srv/x: "))
    #expect(error.cause == String(cString: strerror(number)))
  }
}
