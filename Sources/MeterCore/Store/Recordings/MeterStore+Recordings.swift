internal import Foundation
internal import GRDB
internal import Synchronization

extension MeterStore {
  /// The recordings that lie in this state folder.
  package var recordings: RecordingFolder { RecordingFolder(state: stateFolder.path) }

  /// Writes a recording; it is on disk when this returns, or not there at all.
  ///
  /// - Parameter generation: The session that the recording is of.
  /// - Throws: ``StoreError/Code/staleGeneration`` when that session has ended meanwhile: its recordings have gone with it.
  package func writeRecording(
    _ bytes: [UInt8], name: String, generation: SessionGeneration
  ) throws(StoreError) {
    guard RecordingFolder.isName(name) else { throw StoreError(.folder, "a recording cannot be called \(name).") }
    // A session that ends at this moment removes what is there, and finds this one written or not begun.
    try oneEnd.withLock { _ throws(StoreError) in
      guard try currentSession().generation == generation else {
        throw StoreError(.staleGeneration, "the session has ended; its recording was not written.")
      }
      _ = try stateFolder.writeDurably(
        bytes, folder: RecordingFolder.folder, name: name + RecordingFolder.suffix)
    }
  }

  /// Encrypts a recording's content key with the vault's.
  package func wrapRecordingKey(_ key: [UInt8], id: String) throws(StoreError) -> [UInt8] {
    Array(try vault.seal(key, .host, for: RecordingKey.row(id), mayMakeKey: try mayMakeVaultKey))
  }

  /// A name for a meter that tells nothing to who has not the vault's key: the same for the same meter.
  package func recordingTag(ofMeter meter: [UInt8]) throws(StoreError) -> [UInt8] {
    Array(try vault.tag(meter, mayMakeKey: try mayMakeVaultKey).prefix(8))
  }

  private var mayMakeVaultKey: Bool {
    get throws(StoreError) { try reading { db in try !CredentialTable.holdsSecrets(db) } }
  }
}

/// The vault's part in reading a recording. Nothing is locked: a recording is read while a service runs, too.
package enum RecordingKey {
  static func row(_ id: String) -> [String] { ["recording", id] }

  /// Decrypts what ``MeterStore/wrapRecordingKey(_:id:)`` has made.
  ///
  /// - Parameters:
  ///   - state: The state folder with the vault's key.
  /// - Throws: ``StoreError/Code/vaultKey`` when the key is missing or another one, ``StoreError/Code/vault`` when it was changed.
  package static func open(
    _ wrapped: [UInt8], id: String, state: String
  ) throws(StoreError) -> [UInt8] {
    let credentials = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"]
    guard let key = try VaultKey.load(state: state, credentials: credentials) else {
      throw StoreError(.vaultKey, "the key for the secrets in \(state) is missing: the recording cannot be read here.")
    }
    return try Vault.open(wrapped, for: row(id), with: key, place: state).bytes
  }
}
