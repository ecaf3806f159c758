import Foundation
package import GatewayAPI
package import GatewayEngine
import HostPrimitives
import MeterCore

/// Makes, verifies and restores backups. A backup is made out of a snapshot that the owner of the state folder has taken; for the
/// others no owner is asked.
package struct BackupDesk: Sendable {
  /// Hears how far something has come, bytes that are done and all of them, and ends it by throwing.
  package typealias Progress = @Sendable (_ done: Int64, _ all: Int64) throws -> Void

  private let locations: GatewayLocations

  /// A desk for a gateway at these locations.
  package init(locations: GatewayLocations) { self.locations = locations }

  // MARK: - Making

  /// Writes a backup.
  ///
  /// - Parameters:
  ///   - snapshot: As the owner has told it.
  ///   - file: The backup; an earlier one is replaced when this one is whole and on disk.
  /// - Throws: ``GatewayError``; what `progress` throws.
  package func write(
    _ snapshot: BackupSnapshot, to file: String, _ passphrase: BackupPassphrase, progress: Progress = { _, _ in }
  ) throws -> BackupDescription {
    try refuseState(file)
    let database = "\(snapshot.folder)/\(StateSnapshot.databaseName)"
    let files = "\(snapshot.folder)/\(StateSnapshot.filesName)"
    let machine = MachineFiles(locations)
    var sources = [(part: BackupPart.database, file: database)]
    sources += StateParts.files(in: files).files.map { (.file($0), "\(files)/\($0)") }
    sources += machine.files.map { (.machine($0.name), $0.path) }
    let key = snapshot.key.flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) }
    let start = BackupStart(
      format: BackupStart.format, gateway: snapshot.gateway, microseconds: snapshot.microseconds,
      program: GatewayVersion.host, hasKey: key != nil)

    let writer = try BackupWriter(file, passphrase)
    try writer.begin(start)
    if let key { try writer.add(.key, key) }
    let all = sources.reduce(Int64(0)) { $0 + (Self.size($1.file) ?? 0) }
    var done: Int64 = 0
    for source in sources {
      try writer.add(source.part, file: source.file) { count in
        done += count
        try progress(done, all)
      }
    }
    let written = try writer.finish()
    var description = Self.description(file, start, parts: written.parts, bytes: written.bytes)
    description.left = snapshot.left + machine.left
    return description
  }

  /// A backup in the folder that it is of would be a part of the next one, and goes with the folder.
  private func refuseState(_ file: String) throws(GatewayError) {
    let target = URL(fileURLWithPath: file).deletingLastPathComponent().resolvingSymlinksInPath().path
    let state = URL(fileURLWithPath: locations.state).resolvingSymlinksInPath().path
    guard "\(target)/".hasPrefix("\(state)/") else { return }
    throw GatewayError(
      .usage, code: "backup_target", "\(file) would be in the state folder itself",
      hint: "a backup belongs on another disk, or another machine")
  }

  private static func size(_ file: String) -> Int64? {
    FileStatus(at: file)?.size
  }

  private static func description(
    _ file: String, _ start: BackupStart, parts: Int, bytes: Int64
  ) -> BackupDescription {
    BackupDescription(
      file: file, bytes: bytes, parts: parts, made: moment(start.microseconds), gateway: start.gateway,
      program: start.program, hasKey: start.hasKey)
  }

  private static func moment(_ microseconds: Int64) -> String {
    CivilMoment(microseconds: microseconds).text(.millionths) + "Z"
  }

  // MARK: - Verifying

  /// Reads all of a backup, every page of its database and every record. The database is written into a folder for temporary files
  /// meanwhile, which only this user can read.
  ///
  /// - Throws: ``GatewayError``; `StoreError` with code `corrupt` or `newer_version`; what `progress` throws.
  package func verify(
    _ file: String, _ passphrase: BackupPassphrase, progress: Progress = { _, _ in }
  ) throws -> BackupDescription {
    let place = try VerifyingFolder()
    // What is restored goes before its folder does, which nobody names any more while the backup is read.
    defer { withExtendedLifetime(place) {} }
    return try Self.verify(file, passphrase, in: URL(fileURLWithPath: place.path), progress)
  }

  private static func verify(
    _ file: String, _ passphrase: BackupPassphrase, in folder: URL, _ progress: Progress
  ) throws -> BackupDescription {
    let reader = try BackupReader(file, passphrase)
    let target = try RestoredParts(folder: folder)
    let contents = try reader.read(into: target, takesFiles: false, progress: progress)
    let database = try target.check()
    var description = description(file, contents.start, parts: contents.parts.count, bytes: contents.bytes)
    description.records = database.records
    description.damaged = database.damaged
    return description
  }

  // MARK: - Restoring

  /// What a person wants of a restore.
  package struct Wish: Sendable {
    /// Go on as the machine that the backup was made on.
    package var isSameMachine = false
    /// The key of the vault, where it is not in the backup.
    package var key: [UInt8]?

    package init() {}
  }

  /// Restores a backup into the state folder, which has to be missing or empty. It is a state folder at the end, or not at all.
  ///
  /// - Throws: ``GatewayError``; `StoreError` with code `folder`, `busy`, `disk_full`, `corrupt`, `newer_version` or `vault_key`;
  ///   `CancellationError`.
  package func restore(
    _ file: String, _ passphrase: BackupPassphrase, _ wish: Wish, progress: Progress = { _, _ in }
  ) throws -> RestoreDescription {
    let reader = try BackupReader(file, passphrase)
    let target = try RestoredParts(folder: URL(fileURLWithPath: locations.state))
    let contents = try reader.read(into: target, takesFiles: true, progress: progress)
    let database = try target.check()
    let identity = RestoredIdentity(
      isSameMachine: wish.isSameMachine,
      backup: LastBackup(microseconds: contents.start.microseconds, hasKey: contents.start.hasKey))
    let result = try target.finish(identity, key: wish.key ?? contents.key)
    let hasMachine = contents.parts.contains { part in
      if case .machine = BackupPart(name: part.part) { true } else { false }
    }
    var description = RestoreDescription(
      state: locations.state, made: Self.moment(contents.start.microseconds), gateway: result.gatewayID,
      isSameMachine: wish.isSameMachine, records: database.records, damaged: database.damaged,
      secrets: RestoreDescription.Secrets(
        tokens: database.tokens, keys: database.keys, bonds: database.bonds, drivers: database.driverSecrets),
      hasKey: result.keepsSecrets,
      machine: hasMachine ? "\(locations.state)/\(RestoredParts.driversFolder)" : nil)
    if wish.key ?? contents.key != nil { description.sealedKey = SealedKey.path() }
    return description
  }
}
