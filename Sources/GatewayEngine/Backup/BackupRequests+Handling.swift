import Foundation
package import GatewayAPI
import HostPrimitives
package import MeterCore

extension BackupRequest: HandledConversation {
  /// - Throws: ``GatewayError`` with code `cancelled` when no backup was written; `StoreError` with code `backup_running`, `disk_full`,
  ///   `read_only` or `vault_key`.
  package func perform(on owner: GatewayOwner, with partner: ControlPartner<BackupTelling>) async throws {
    let store = owner.store
    let key = try hasKey ? store.vaultKey() : nil
    let made = MeterStore.wallClockMicroseconds
    let snapshot = try await Self.snapshot(of: store)
    // Its folder goes with it.
    defer { withExtendedLifetime(snapshot) {} }
    await partner.tell(
      .snapshot(
        BackupSnapshot(
          folder: snapshot.folder, gateway: snapshot.gatewayID, microseconds: made,
          key: key.map { Data($0).base64EncodedString() }, left: snapshot.left)))
    guard !partner.patience.isOver, await partner.ask(Self.question) == Self.yes else {
      throw GatewayError(.cancelled, code: "cancelled", "no backup was written")
    }
    try store.noteBackup(LastBackup(microseconds: made, hasKey: key != nil))
    await partner.tell(.noted(try BackupState(store)))
  }

  private static let yes = "1"
  private static let question = QuestionDescription(
    id: 1, kind: "choice", prompt: "Is the backup written and on disk?", choices: ["yes", "no"], secret: false,
    least: 1,
    greatest: 1)

  /// Takes minutes where the database is large: on a thread of its own.
  private static func snapshot(of store: MeterStore) async throws -> StateSnapshot {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try store.snapshot() }) }
    }
  }
}

extension BackupShowRequest: HandledRequest {
  /// - Throws: `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> BackupState { try BackupState(owner.store) }
}

extension BackupState {
  /// What a store knows.
  ///
  /// - Throws: `StoreError`.
  package init(_ store: MeterStore) throws(StoreError) {
    self.init(gateway: try store.gatewayID())
    if let backup = try store.lastBackup() {
      last = utcText(backup.microseconds)
      hasKey = backup.hasKey
    }
    if let restoration = try store.restoration() {
      restoredFrom = utcText(restoration.madeMicroseconds)
      restored = utcText(restoration.microseconds)
      isSameMachine = restoration.isSameMachine
    }
  }
}
