internal import Glibc
internal import Synchronization

/// The files that a store works with: each must still be the one that its path names. SQLite goes on with a file that was
/// removed or replaced, and what it writes there is gone with the process.
final class HeldFiles: Sendable {
  private struct Held {
    let path: String
    /// Keeps the file's number from being given to another one.
    let descriptor: Int32
    let device: dev_t
    let number: ino_t
    /// How long it was when the last transaction ended; nil where its length says nothing.
    var length: Int64?
  }

  /// `O_PATH` of open(2), which Swift's Glibc does not show.
  private static let placeOnly: Int32 = 0o10000000

  private let folder: String
  private let held = Mutex<[Held]>([])

  /// Holds a folder.
  init(folder: String) {
    self.folder = folder
    hold(folder)
  }

  deinit { held.withLock { for file in $0 { close(file.descriptor) } } }

  /// Watches a file of the folder from now on; one that is not there is not watched.
  ///
  /// - Parameter keepsLength: Whether only this process shortens it, and only in ``MeterStore/writing(_:)``.
  func hold(file name: String, keepsLength: Bool = false) { hold("\(folder)/\(name)", keepsLength: keepsLength) }

  private func hold(_ path: String, keepsLength: Bool = false) {
    // By its place only: closing a descriptor that could read would take SQLite's locks on the file along.
    let descriptor = open(path, Self.placeOnly | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    var status = stat()
    guard stat(path, &status) == 0 else {
      close(descriptor)
      return
    }
    let file = Held(
      path: path, descriptor: descriptor, device: status.st_dev, number: status.st_ino,
      length: keepsLength ? Int64(status.st_size) : nil)
    held.withLock { $0.append(file) }
  }

  /// - Throws: ``StoreError/Code/moved`` when one of them is not there any more, or is another one.
  func check() throws(StoreError) {
    let gone = held.withLock { held in
      held.first { file in
        var status = stat()
        // What cannot be looked at for another reason is there for all that is known.
        guard stat(file.path, &status) == 0 else { return errno == ENOENT || errno == ENOTDIR }
        return status.st_ino != file.number || status.st_dev != file.device
      }
    }
    guard let gone else { return }
    throw StoreError(
      .moved,
      "\(gone.path) was removed or replaced while MeterHost runs. Nothing is taken from meters any more: it would be lost. "
        + "Stop MeterHost, put back what was there, and start it again.")
  }

  // MARK: - Lengths

  /// Notes how long the files are: the one connection that writes has ended what it did.
  func noteLengths() {
    held.withLock { held in
      for index in held.indices where held[index].length != nil {
        held[index].length = StateFolder.size(held[index].path) ?? held[index].length
      }
    }
  }

  /// The files that are shorter than when the last transaction ended; while one is under way, SQLite itself may have cut them.
  var cut: [CutFile] {
    held.withLock { held in
      held.compactMap { file in
        guard let known = file.length, let length = StateFolder.size(file.path), length < known else { return nil }
        return CutFile(path: file.path, length: length, known: known)
      }
    }
  }
}
