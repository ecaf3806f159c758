import DriverContract
import DriverRuntime
import CLinux
import Glibc
import HostPrimitives

/// What a probe lends to a driver for one call. Told to, it lets lent bytes end where readable memory ends, and takes
/// them away when the call has returned: a driver that reads too far, or that keeps a pointer, meets a fault.
///
/// Not thread-safe.
final class LentMemory {
  private struct Piece {
    var memory: UnsafeMutableRawBufferPointer
    var isMapped: Bool
  }

  private let manner: ProbeManner
  private var lent: [Piece] = []
  /// What was lent and is not any more; so many pieces are kept that nothing else soon lies at their addresses.
  private var gone: [Piece] = []
  private static let mostGone = 4096
  private static let page = 4096
  private static let garbage = [UInt8](repeating: 0xA5, count: 64)

  init(_ manner: ProbeManner) { self.manner = manner }

  deinit {
    takeBack()
    for piece in gone { Self.release(piece) }
  }

  /// A copy of these bytes. An empty one has an address, too.
  func lend(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
    lend(bytes, isGuarded: manner.contains(.guardsMemory))
  }

  private func lend(_ bytes: UnsafeRawBufferPointer, isGuarded: Bool) -> UnsafeMutableRawPointer {
    let place: UnsafeMutableRawPointer
    if isGuarded || manner.contains(.takesBack) {
      let mapping: UnsafeMutableRawBufferPointer
      (mapping, place) = Self.mapped(bytes.count, isGuarded: isGuarded)
      lent.append(Piece(memory: mapping, isMapped: true))
    } else {
      place = .allocate(byteCount: max(1, bytes.count), alignment: 16)
      lent.append(
        Piece(memory: UnsafeMutableRawBufferPointer(start: place, count: max(1, bytes.count)), isMapped: false))
    }
    if bytes.count > 0, let source = bytes.baseAddress { place.copyMemory(from: source, byteCount: bytes.count) }
    return place
  }

  /// A copy of elements.
  func lend<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafeMutablePointer<Element> {
    elements.withUnsafeBytes { lend($0) }.bindMemory(to: Element.self, capacity: elements.count)
  }

  /// A copy of a struct that begins with its size; it may be one of a later minor, which is longer.
  func lendGrowing<Struct: BitwiseCopyable>(_ table: Struct) -> UnsafeMutablePointer<Struct> {
    Self.grown(table, manner).withUnsafeBytes { lend($0, isGuarded: manner.contains(.guardsTables)) }
      .bindMemory(to: Struct.self, capacity: 1)
  }

  /// A struct for the life of the process.
  static func forever<Struct: BitwiseCopyable>(
    _ table: Struct, _ manner: ProbeManner
  ) -> UnsafeMutablePointer<Struct> {
    let bytes = grown(table, manner)
    let place = mapped(bytes.count, isGuarded: manner.contains(.guardsTables)).1
    bytes.withUnsafeBytes { if let source = $0.baseAddress { place.copyMemory(from: source, byteCount: $0.count) } }
    return place.bindMemory(to: Struct.self, capacity: 1)
  }

  /// The call has returned. Only when it is told to, what was lent cannot be read any more; else it stays for a while, so
  /// that a driver that keeps a pointer is found by the one manner that looks for that.
  func takeBack() {
    for piece in lent {
      if piece.isMapped, manner.contains(.takesBack) {
        mprotect(piece.memory.baseAddress, piece.memory.count, PROT_NONE)
      }
      gone.append(piece)
    }
    lent.removeAll(keepingCapacity: true)
    guard gone.count > Self.mostGone else { return }
    for piece in gone.prefix(Self.mostGone / 2) { Self.release(piece) }
    gone.removeFirst(Self.mostGone / 2)
  }

  private static func release(_ piece: Piece) {
    if piece.isMapped {
      munmap(piece.memory.baseAddress, piece.memory.count)
    } else {
      piece.memory.deallocate()
    }
  }

  private static func grown<Struct: BitwiseCopyable>(_ table: Struct, _ manner: ProbeManner) -> [UInt8] {
    var bytes = withUnsafeBytes(of: table) { Array($0) }
    guard manner.contains(.growsTables) else { return bytes }
    bytes += garbage
    bytes.replaceSubrange(..<4, with: UInt32(bytes.count).littleEndianBytes)
    return bytes
  }

  /// Room for bytes, and the mapping that it lies in; guarded, it ends at a page that cannot be touched.
  fileprivate static func mapped(
    _ count: Int, isGuarded: Bool
  ) -> (UnsafeMutableRawBufferPointer, UnsafeMutableRawPointer) {
    let room = max(1, (count + page - 1) / page) * page
    guard let start = mmap(nil, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      start != UnsafeMutableRawPointer(bitPattern: -1)
    else { exit(clinux_heap_in_use() > driversShare ? ProbeServer.memoryTaken : ProbeServer.noMemory) }
    let mapping = UnsafeMutableRawBufferPointer(start: start, count: room + page)
    guard isGuarded else { return (mapping, start) }
    mprotect(start + room, page, PROT_NONE)
    return (mapping, start + (room - count))
  }

  /// What a driver may have in a worker: a probe in which more is in use was emptied by its driver.
  private static let driversShare = UInt64(DriverLimits.greatest.memoryMebibytes) << 20
}

/// Room for elements, behind which nothing can be written; goes with this object.
final class GuardedRoom<Element: BitwiseCopyable> {
  let start: UnsafeMutablePointer<Element>
  private let mapping: UnsafeMutableRawBufferPointer

  init(_ count: Int) {
    let place: UnsafeMutableRawPointer
    (mapping, place) = LentMemory.mapped(count * MemoryLayout<Element>.stride, isGuarded: true)
    start = place.bindMemory(to: Element.self, capacity: count)
  }

  deinit { munmap(mapping.baseAddress, mapping.count) }
}
