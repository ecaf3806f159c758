package import Foundation
internal import Glibc

/// A folder into which a backup is restored, part by part. It becomes a state folder in one step, with ``finish(_:key:)``: until then
/// it has a mark, by which every host refuses it, and a value that goes before removes all that it has written.
///
/// One task works with it.
package final class RestoredParts {
  /// Where configuration of the machine is put: it is root's to take from there.
  package static let driversFolder = "restored"

  private let folder: StateFolder
  private let vault: Vault
  private let credentials: String?
  private let isNew: Bool
  private var file: Int32?
  private var isDone = false

  private static let databaseName = "\(MeterStore.fileName).restored"
  private static let lockName = "lock"

  /// Takes a folder that is missing, empty, or holds what a restore has left that was killed.
  ///
  /// - Parameter credentials: systemd's credentials folder; nil: there is none.
  /// - Throws: ``StoreError/Code/folder`` for any other one, ``StoreError/Code/busy`` when a process owns it.
  package init(
    folder: URL, credentials: String? = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"]
  ) throws(StoreError) {
    let path = folder.path
    isNew = StateFolder.size(path) == nil
    try Self.refuseFull(path)
    try? FileManager.default.createDirectory(
      at: folder.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let taken = try StateFolder(path: path)
    // Somebody may have been faster.
    try Self.refuseFull(path)
    self.folder = taken
    self.credentials = credentials
    vault = Vault(folder: taken, credentials: credentials)
    let text = "A backup is being restored here. As long as this file is there, the folder is not whole.\n"
    _ = try taken.writeDurably(Array(text.utf8), folder: ".", name: StateFolder.restoringMarker)
    removeAll()
    try taken.markInitialized()
  }

  deinit {
    if let file { close(file) }
    guard !isDone else { return }
    removeAll()
    unlink("\(folder.path)/\(StateFolder.restoringMarker)")
    guard isNew else { return }
    unlink("\(folder.path)/\(Self.lockName)")
    rmdir(folder.path)
  }

  private static func refuseFull(_ path: String) throws(StoreError) {
    guard StateFolder.size(path) != nil else { return }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      throw StoreError(.folder, "\(path) is no folder that this user can look into; give one that is missing or empty.")
    }
    let nothing = [lockName, "\(StateFolder.restoringMarker).part"]
    guard !names.contains(StateFolder.restoringMarker), names.contains(where: { !nothing.contains($0) }) else { return }
    throw StoreError(
      .folder,
      "\(path) is not empty, and a backup is restored into a folder that is missing or empty only: nothing was changed. Move it aside, "
        + "or give another folder.")
  }

  /// Removes all but the lock and the mark.
  private func removeAll() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where name != Self.lockName && name != StateFolder.restoringMarker {
      try? FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
    }
  }

  // MARK: - Parts

  /// Begins a part that is a file. What there is already is not written over.
  ///
  /// - Throws: ``StoreError/Code/folder`` for a part that is there twice.
  package func begin(_ part: BackupPart) throws(StoreError) {
    let path: String
    switch part {
    case .database: path = Self.databaseName
    case .file(let file): path = file
    case .machine(let file): path = "\(Self.driversFolder)/\(file)"
    // It is written when it is known to be the right one.
    case .key: throw StoreError(.folder, "the key of a backup is no file of its own.")
    }
    try StateFolder.makeFolders(of: path, in: folder.path)
    file = try PlainFile.open("\(folder.path)/\(path)", O_WRONLY | O_CREAT | O_EXCL)
  }

  /// Writes more of the part.
  package func append(_ bytes: [UInt8]) throws(StoreError) {
    guard let file, StateFolder.writeAll(bytes, to: file) else {
      throw StateFolder.failure("cannot write into \(folder.path); make room on the disk.")
    }
  }

  /// Ends the part: it is on disk when this returns.
  package func end() throws(StoreError) {
    guard let file else { return }
    self.file = nil
    defer { close(file) }
    guard fsync(file) == 0 else {
      throw StateFolder.failure("cannot write into \(folder.path); make room on the disk.")
    }
  }

  // MARK: - The end

  /// Looks at every page and every record of the database.
  ///
  /// - Throws: ``StoreError``.
  package func check() throws(StoreError) -> DatabaseContents {
    try withDatabase { database in try database.check() }
  }

  /// Makes the folder a state folder.
  ///
  /// - Parameter key: The key of the vault; nil: the one that systemd hands over, or none.
  /// - Returns: The gateway's name from here on, and whether secrets can be opened; they are gone where not.
  /// - Throws: ``StoreError/Code/vaultKey`` for a key that is another one, and for one beside which systemd hands over another.
  package func finish(
    _ identity: RestoredIdentity, key: [UInt8]?
  ) throws(StoreError) -> (gatewayID: String, keepsSecrets: Bool) {
    let secretKey = try secretKey(key)
    let handed = try credentials.flatMap { folder throws(StoreError) in try VaultKey.handedOver(in: folder) }
    let count = try withDatabase { database -> CommitCount in
      let isOpen = try secretKey.map { try database.isOpened(by: $0) } ?? false
      guard isOpen || key == nil else {
        throw StoreError(
          .vaultKey, "the secrets in the backup were encrypted with another key; give that one, or none.")
      }
      if key != nil, let handed, try !database.isOpened(by: handed) {
        throw StoreError(
          .vaultKey,
          "the credential \(VaultKey.systemdName) that systemd hands over is another key than the backup's, and a host takes it "
            + "before the one in its folder: nothing was restored. Take the credential away, or seal the backup's key in its "
            + "place, and restore again.")
      }
      return try database.settle(identity, keepsSecrets: isOpen)
    }
    if let key { _ = try folder.writeDurably(key, folder: VaultKey.folder, name: VaultKey.file) }
    _ = try CommitWitness(folder, count)
    let database = "\(folder.path)/\(MeterStore.fileName)"
    guard rename("\(folder.path)/\(Self.databaseName)", database) == 0 else {
      throw StateFolder.failure("cannot rename \(folder.path)/\(Self.databaseName).")
    }
    try syncAll()
    guard unlink("\(folder.path)/\(StateFolder.restoringMarker)") == 0 else {
      throw StateFolder.failure("cannot remove \(folder.path)/\(StateFolder.restoringMarker).")
    }
    isDone = true
    try StateFolder.syncFolder(folder.path)
    return (count.folder, secretKey != nil)
  }

  private func secretKey(_ given: [UInt8]?) throws(StoreError) -> VaultKey? {
    guard let given else {
      let key = try VaultKey.load(state: folder.path, credentials: credentials)
      guard let key, try withDatabase({ try $0.isOpened(by: key) }) else { return nil }
      return key
    }
    guard let key = VaultKey(given) else {
      throw StoreError(.vaultKey, "the key for the secrets must have exactly \(VaultKey.length) bytes.")
    }
    return key
  }

  /// SQLite syncs the database itself; this is for the names.
  private func syncAll() throws(StoreError) {
    var folders = Set(["."])
    for path in StateParts.files(in: folder.path).files {
      var names = path.utf8.split(separator: UInt8(ascii: "/")).dropLast().map { String(decoding: $0, as: UTF8.self) }
      while !names.isEmpty {
        folders.insert(names.joined(separator: "/"))
        names.removeLast()
      }
    }
    for name in folders { try StateFolder.syncFolder("\(folder.path)/\(name)") }
  }

  private func withDatabase<Value>(_ body: (RestoredDatabase) throws -> Value) throws(StoreError) -> Value {
    do {
      let database = try RestoredDatabase(path: "\(folder.path)/\(Self.databaseName)", vault)
      let value = try body(database)
      try database.close()
      return value
    } catch {
      throw StoreError.mapping(error)
    }
  }
}
