internal import Glibc
internal import Logging
internal import Synchronization

/// The number of the last commit in a file of its own, by which it is seen that the database has lost some: a write-ahead log
/// that was cut, removed or damaged at its end looks to SQLite like one that was never longer.
///
/// A number is written when its transaction is on disk, and before anybody is told that it is. So the database may be ahead
/// of the file, by what was told to nobody, and never behind it, wherever a process or the power ends. The file has two
/// places a block apart and each number goes to the one that does not hold the last, so that a torn block leaves the
/// one before, which the database is not behind either.
final class CommitWitness: Sendable {
  /// What the file says.
  enum Testimony: Equatable, Sendable {
    case count(CommitCount)
    /// There is none.
    case missing
    /// There is one, and nothing in it can be believed.
    case unreadable
  }

  /// The file's name in the state folder.
  static let fileName = "commits"
  private static let slotDistance = 4096
  private static let slotCount = 2

  private struct State {
    var number: Int64
    /// Up to which number the file is on disk.
    var durable: Int64
    var slot: Int
    var isFailing = false
  }

  private let path: String
  private let folder: String
  private let descriptor: Int32
  private let state: Mutex<State>

  /// Reads the file of a state folder.
  static func read(_ state: String) -> Testimony {
    let descriptor: Int32
    do throws(StoreError) {
      guard let opened = try PlainFile.openIfThere("\(state)/\(fileName)", O_RDONLY) else { return .missing }
      descriptor = opened
    } catch {
      return .unreadable
    }
    defer { close(descriptor) }
    let counts = (0..<slotCount).compactMap { slot(descriptor, $0) }
    return counts.max { $0.number < $1.number }.map(Testimony.count) ?? .unreadable
  }

  /// Goes on with the file of a state folder, which is made anew where it says nothing of this database.
  ///
  /// - Parameter count: What the database counts, and no less than what the file says.
  init(_ state: StateFolder, _ count: CommitCount) throws(StoreError) {
    path = "\(state.path)/\(Self.fileName)"
    folder = count.folder
    if case .count(let found) = Self.read(state.path), found.folder == count.folder {
      let opened = try PlainFile.open(path, O_RDWR)
      let slot = (0..<Self.slotCount).first { Self.slot(opened, $0) == found } ?? 0
      descriptor = opened
      // What a process that was killed has written may not be on disk yet.
      self.state = Mutex(State(number: found.number, durable: .min, slot: slot))
    } else {
      var bytes = Self.bytes(count)
      bytes += [UInt8](repeating: 0, count: Self.slotDistance * Self.slotCount - bytes.count)
      _ = try state.writeDurably(bytes, folder: ".", name: Self.fileName)
      descriptor = try PlainFile.open(path, O_RDWR)
      self.state = Mutex(State(number: count.number, durable: count.number, slot: 0))
    }
  }

  deinit { close(descriptor) }

  /// Notes that a transaction is on disk, and waits until the note is.
  ///
  /// - Throws: ``StoreError/Code/inputOutput`` and what the disk says.
  func note(_ number: Int64) throws(StoreError) {
    if let failure = write(number, isDurable: true) { throw failure }
  }

  /// Notes that a transaction is on disk whose promise does not hang on that.
  ///
  /// - Parameter isDurable: Whether to wait until the note is on disk.
  func noteIfPossible(_ number: Int64, isDurable: Bool) { _ = write(number, isDurable: isDurable) }

  private func write(_ number: Int64, isDurable: Bool) -> StoreError? {
    state.withLock { state -> StoreError? in
      let failure = write(number, isDurable: isDurable, &state)
      // Once for each time that it begins: every delivery comes here.
      if let failure, !state.isFailing { Self.logger.error("\(failure)") }
      // What need not be on disk does not show that the disk is well again.
      if failure == nil, isDurable, state.isFailing {
        Self.logger.notice("commits are counted again")
        state.isFailing = false
      }
      if failure != nil { state.isFailing = true }
      return failure
    }
  }

  private static let logger = LogArea.core.logger

  private func write(_ number: Int64, isDurable: Bool, _ state: inout State) -> StoreError? {
    // Who committed after this one may have been here before it.
    if number > state.number {
      let slot = (state.slot + 1) % Self.slotCount
      let bytes = Self.bytes(CommitCount(folder: folder, number: number))
      guard pwrite(descriptor, bytes, bytes.count, off_t(slot * Self.slotDistance)) == bytes.count else {
        return unwritten()
      }
      (state.number, state.slot) = (number, slot)
    }
    guard isDurable, state.durable < number else { return nil }
    guard fdatasync(descriptor) == 0 else {
      let failure = unwritten()
      // The kernel takes a page that it could not write for written: the next sync would find nothing to do. So the next number
      // is written again, into the same place.
      (state.number, state.slot) = (state.durable, (state.slot + 1) % Self.slotCount)
      return failure
    }
    state.durable = state.number
    return nil
  }

  private func unwritten() -> StoreError {
    StateFolder.failure(
      "cannot write \(path), which counts commits. What was to be stored is in the database and nobody was told: look at "
        + "`meterhost queue list` before you enter it a second time.", .inputOutput)
  }

  // MARK: - One place

  private static let magic = Array("MHCOMMIT".utf8)
  private static let folderLength = 36
  private static let slotLength = magic.count + folderLength + 8 + 8

  private static func bytes(_ count: CommitCount) -> [UInt8] {
    // A name that damage has made longer or shorter is no other database's either.
    let folder = Array(count.folder.utf8.prefix(folderLength))
    let padding = [UInt8](repeating: 0, count: folderLength - folder.count)
    let content = magic + folder + padding + big(UInt64(bitPattern: count.number))
    return content + big(checksum(content[...]))
  }

  private static func slot(_ descriptor: Int32, _ slot: Int) -> CommitCount? {
    var bytes = [UInt8](repeating: 0, count: slotLength)
    guard pread(descriptor, &bytes, slotLength, off_t(slot * slotDistance)) == slotLength,
      bytes.starts(with: magic), Array(bytes.suffix(8)) == big(checksum(bytes.dropLast(8)))
    else { return nil }
    let folder = bytes[magic.count..<(magic.count + folderLength)]
    let number = bytes[(magic.count + folderLength)..<(slotLength - 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let count = CommitCount(folder: String(decoding: folder, as: UTF8.self), number: Int64(bitPattern: number))
    // The checksum keeps nobody out: a number from which the count could not go on is none.
    return count.isPossible ? count : nil
  }

  private static func big(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
  }

  /// FNV-1a: a torn or rotten block is to be seen, and nobody is to be kept out.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }
}
