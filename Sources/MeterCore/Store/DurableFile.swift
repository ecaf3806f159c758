internal import Glibc

/// A file that is written piece by piece under another name, and has its own only when it is whole and on disk.
struct DurableFile: ~Copyable {
  private let directory: String
  private let name: String
  private let descriptor: Int32
  private let code: StoreError.Code
  private var buffer: [UInt8] = []
  private var isDone = false

  /// Bytes that are written at once.
  private static let pieceSize = 256 << 10

  /// - Parameter code: The failures', where the system's error does not decide.
  init(directory: String, name: String, code: StoreError.Code) throws(StoreError) {
    self.directory = directory
    self.name = name
    self.code = code
    let temporary = "\(directory)/\(name).part"
    do throws(StoreError) {
      descriptor = try PlainFile.open(temporary, O_WRONLY | O_CREAT | O_TRUNC)
    } catch {
      throw error.code == .folder ? StoreError(code, error.message, cause: error.cause) : error
    }
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
    try StateFolder.syncFolder(directory, code)
    return final
  }

  private mutating func flush() throws(StoreError) {
    guard StateFolder.writeAll(buffer, to: descriptor) else { throw noRoom() }
    buffer.removeAll(keepingCapacity: true)
  }

  private func noRoom() -> StoreError {
    StateFolder.failure("cannot write \(directory)/\(name); make room on the disk.", code)
  }
}

extension StateFolder {
  /// Begins a file in a folder of the state folder, which is made when it is missing.
  func makeDurableFile(folder: String, name: String) throws(StoreError) -> DurableFile {
    let directory = "\(path)/\(folder)"
    let code: StoreError.Code = folder == RecoveryFile.folder ? .recoveryFile : .folder
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
      throw Self.failure("cannot make the folder \(directory).", code)
    }
    // The folder itself may be new: its entry in the state folder must last, too.
    try Self.syncFolder(path, code)
    return try DurableFile(directory: directory, name: name, code: code)
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
