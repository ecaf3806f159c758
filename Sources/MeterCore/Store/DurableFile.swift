internal import Glibc

/// A file that is written piece by piece under another name, and has its own only when it is whole and on disk.
struct DurableFile: ~Copyable {
  private let directory: String
  private let name: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var isDone = false

  /// Bytes that are written at once.
  private static let pieceSize = 256 << 10

  init(directory: String, name: String) throws(StoreError) {
    self.directory = directory
    self.name = name
    let temporary = "\(directory)/\(name).part"
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw StateFolder.failure("cannot write \(temporary).", .recoveryFile) }
  }

  deinit {
    close(descriptor)
    if !isDone { unlink("\(directory)/\(name).part") }
  }

  mutating func append(_ bytes: [UInt8]) throws(StoreError) {
    buffer += bytes
    if buffer.count >= Self.pieceSize { try flush() }
  }

  /// - Returns: The file's path.
  mutating func finish() throws(StoreError) -> String {
    try flush()
    let final = "\(directory)/\(name)"
    guard fsync(descriptor) == 0, rename("\(final).part", final) == 0 else { throw noRoom() }
    isDone = true
    try StateFolder.syncFolder(directory)
    return final
  }

  private mutating func flush() throws(StoreError) {
    guard StateFolder.writeAll(buffer, to: descriptor) else { throw noRoom() }
    buffer.removeAll(keepingCapacity: true)
  }

  private func noRoom() -> StoreError {
    StateFolder.failure("cannot write \(directory)/\(name); make room on the disk.", .recoveryFile)
  }
}

extension StateFolder {
  /// Begins a file in a folder of the state folder, which is made when it is missing.
  func makeDurableFile(folder: String, name: String) throws(StoreError) -> DurableFile {
    let directory = "\(path)/\(folder)"
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
      throw Self.failure("cannot make the folder \(directory).", .recoveryFile)
    }
    // The folder itself may be new: its entry in the state folder must last, too.
    try Self.syncFolder(path)
    return try DurableFile(directory: directory, name: name)
  }

  /// Removes a file of a folder of the state folder, when it is there.
  func remove(_ name: String, of folder: String) { unlink("\(path)/\(folder)/\(name)") }

  /// Writes a whole file so that after a crash either the old or the new one is there: written, synced, renamed, folder
  /// synced.
  ///
  /// - Returns: The file's path.
  func writeDurably(_ bytes: [UInt8], folder: String, name: String) throws(StoreError) -> String {
    var file = try makeDurableFile(folder: folder, name: name)
    try file.append(bytes)
    return try file.finish()
  }
}
