internal import Foundation
internal import GRDB
internal import Glibc

/// A state folder as it was at one moment, in a folder of its own inside it: the database as a file without a journal, and the other
/// files as further names of themselves. It goes with the value.
///
/// What a backup packs is read from here, so that the host takes and delivers readings meanwhile.
package final class StateSnapshot: Sendable {
  /// The folder: ``databaseName`` and ``filesName`` are in it.
  package let folder: String
  /// The name of the gateway that the database has given itself.
  package let gatewayID: String
  /// What stays behind: copies of damaged databases, links and the like, by their names in the state folder.
  package let left: [String]

  /// Its name in the state folder.
  static let folderName = "snapshot"
  /// The database.
  package static let databaseName = "state.sqlite"
  /// The folder with the other files.
  package static let filesName = "files"

  fileprivate init(folder: String, gatewayID: String, left: [String]) {
    (self.folder, self.gatewayID, self.left) = (folder, gatewayID, left)
  }

  deinit { Self.remove(folder) }

  fileprivate static func remove(_ folder: String) { try? FileManager.default.removeItem(atPath: folder) }

  /// Removes what a process that was killed has left.
  static func removeLeftOver(in state: String) { remove("\(state)/\(folderName)") }
}

extension MeterStore {
  /// The name that this gateway's database has given itself; a backup that is restored on another machine gets a new one.
  package func gatewayID() throws(StoreError) -> String {
    try reading { db in try CommitCount.fetch(db).folder }
  }

  /// Takes a snapshot. Commits go on meanwhile; it needs as much room on the disk as the database.
  ///
  /// Files are taken before and after the database. What was moved from one to the other in between, as a posted export into the
  /// queue and the queue into a recovery file, is there at least once; where it is there twice, its names are the same.
  ///
  /// - Throws: ``StoreError/Code/backupRunning`` while another snapshot is there, ``StoreError/Code/diskFull`` when it would
  ///   leave too little room, ``StoreError/Code/readOnly``, ``StoreError/Code/corrupt``.
  package func snapshot() throws(StoreError) -> StateSnapshot {
    guard !isReadOnly else { throw StateFolder.mountedReadOnly(folder.path) }
    try checkPlace()
    try checkRoom()
    let path = "\(folder.path)/\(StateSnapshot.folderName)"
    guard mkdir(path, 0o700) == 0 else {
      guard errno == EEXIST else { throw StateFolder.failure("cannot make the folder \(path).") }
      throw StoreError(.backupRunning, "another backup is being made of \(folder.path); wait until it is over.")
    }
    do throws(StoreError) {
      let files = "\(path)/\(StateSnapshot.filesName)"
      try StateFolder.makeFolder(files)
      var strange = try linkFiles(into: files)
      try copyDatabase(to: "\(path)/\(StateSnapshot.databaseName)")
      strange += try linkFiles(into: files)
      let left = Set(strange + DamagedCopy.all(in: folder.path).map { "damaged-\($0.number)" })
      return StateSnapshot(folder: path, gatewayID: try gatewayID(), left: left.sorted())
    } catch {
      StateSnapshot.remove(path)
      throw error
    }
  }

  /// Bytes that stay free: without them nothing more could be taken from meters.
  private static let reserve: Int64 = 16 << 20

  private func checkRoom() throws(StoreError) {
    var status = statvfs()
    guard statvfs(folder.path, &status) == 0 else { return }
    let free = Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
    let file = "\(folder.path)/\(Self.fileName)"
    let needed = (StateFolder.size(file) ?? 0) + (StateFolder.size("\(file)-wal") ?? 0) + Self.reserve
    guard free < needed else { return }
    throw StoreError(
      .diskFull,
      "a backup copies the database first, which needs \(needed >> 20) MiB beside it, and \(free >> 20) MiB are free: nothing was "
        + "made. Make room on the file system of \(folder.path).")
  }

  /// SQLite writes every page that is in use, as of one moment, over a connection that nobody waits for.
  private func copyDatabase(to target: String) throws(StoreError) {
    close(try PlainFile.open(target, O_RDWR | O_CREAT | O_EXCL))
    do {
      var configuration = Configuration()
      configuration.readonly = true
      configuration.busyMode = .timeout(5)
      let source = try DatabaseQueue(path: "\(folder.path)/\(Self.fileName)", configuration: configuration)
      try source.inDatabase { db in try db.execute(sql: "VACUUM INTO ?", arguments: [target]) }
      try source.close()
    } catch {
      throw StoreError.mapping(error)
    }
  }

  /// Gives each file another name; those that have it from before are passed over.
  ///
  /// - Returns: What is no file.
  private func linkFiles(into target: String) throws(StoreError) -> [String] {
    let found = StateParts.files(in: folder.path)
    for file in found.files where StateParts.isPart(file) {
      let place = "\(target)/\(file)"
      try StateFolder.makeFolders(of: file, in: target)
      guard link("\(folder.path)/\(file)", place) != 0, errno != EEXIST, errno != ENOENT else { continue }
      // File systems without links, as those of memory cards.
      try StateFolder.copyFile("\(folder.path)/\(file)", to: place)
    }
    return found.strange.filter { $0 != "control.sock" }
  }
}

extension StateFolder {
  static func makeFolder(_ path: String) throws(StoreError) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("cannot make the folder \(path).") }
  }

  /// Makes the folders that a relative path goes through.
  static func makeFolders(of file: String, in folder: String) throws(StoreError) {
    var place = folder
    for name in file.utf8.split(separator: UInt8(ascii: "/")).dropLast() {
      place += "/\(String(decoding: name, as: UTF8.self))"
      try makeFolder(place)
    }
  }

  /// Copies a file; one that is gone by now is none.
  static func copyFile(_ source: String, to target: String) throws(StoreError) {
    guard let input = try PlainFile.openIfThere(source, O_RDONLY) else { return }
    defer { close(input) }
    let output = try PlainFile.open(target, O_WRONLY | O_CREAT | O_EXCL)
    defer { close(output) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(input, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw failure("cannot read \(source); check the medium.", .inputOutput) }
      guard count > 0 else { return }
      guard writeAll(Array(buffer[..<count]), to: output) else {
        throw failure("cannot write \(target); make room on the disk.")
      }
    }
  }
}
