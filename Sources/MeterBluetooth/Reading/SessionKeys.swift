import Foundation
import DriverContract
import HostPrimitives
import MeterCore
import MeterDrivers
import Synchronization

/// The stored keys of one session with one meter: what its driver may name, and the answers that the host keeps for it.
///
/// An answer that is kept is on disk, in a transaction of its own, before the driver hears of it. When the session then ends
/// with "wrong key", or a pairing ends before it was complete, what stood there before is put back.
final class SessionKeys: Sendable {
  /// What the driver's services compute with.
  let service: KeyService
  private let store: MeterStore
  private let plan: ReadPlan
  private let meter: MeterIdentity
  private let session: Session
  /// What stood under a name before this session kept an answer there.
  private let before = Mutex<[ExactText: [UInt8]?]>([:])

  /// Loads what the registry lists for the peripheral, and the family's secrets at this meter.
  init(store: MeterStore, plan: ReadPlan, meter: MeterIdentity, session: Session) throws(StoreError) {
    self.store = store
    self.plan = plan
    self.meter = meter
    self.session = session
    var keys: [ExactText: SessionKey] = [:]
    for credential in plan.peripheral.credentials {
      let scope = credential.storeScope(peripheral: plan.peripheral.id, meter: meter)
      guard let value = try store.credential(credential.name, scope: scope) else { continue }
      keys[ExactText(StorageName.credential(credential.name))] = SessionKey(
        value, isReadable: credential.exposure == .read)
    }
    let secrets = try store.secretKeys(generation: session.generation, family: plan.driver.familyID, meter: meter)
    for (name, secret) in secrets { keys[name] = SessionKey(secret.bytes, isReadable: secret.isDriversOwn) }
    service = KeyService(exactly: keys)
  }

  /// The first required credential of one meter that is not stored.
  var missing: Credential? {
    plan.peripheral.credentials.filter { $0.isRequired && $0.scope == .meter }.sorted { $0.isLicence && !$1.isLicence }
      .first { service.answer(.value(name: StorageName.credential($0.name))).status == KeyService.notFound }
  }

  /// Asks the person, keeps the answer where the driver wants it, and says what the driver hears.
  ///
  /// - Throws: `DriverFault` when the driver names a place that is not its own, `StoreError` when the answer cannot be kept.
  func answer(_ prompt: DriverPrompt, at desk: QuestionDesk) async throws -> DriverFact {
    let credential = try credential(named: prompt.keepAs)
    let reply = await desk.ask(prompt) { text throws(AnswerProblem) in
      let bytes = try PromptAnswer.bytes(of: text, for: prompt)
      guard let credential else { return bytes }
      do throws(CredentialError) {
        return try CredentialContent.check(Array(text.utf8), credential.format)
      } catch { throw AnswerProblem(message: error.message) }
    }
    switch reply {
    case .refused: return .userInput([], status: KeyService.denied)
    case .nobody: return .userInput([], status: KeyService.unsupported)
    case .answered(let bytes):
      guard let name = prompt.keepAs else { return .userInput(bytes, status: 0) }
      try keep(bytes, as: name, credential)
      return .userInput([], status: 0)
    }
  }

  /// Puts back what stood where this session kept answers.
  func restore() throws(StoreError) {
    let before = before.withLock { kept in
      defer { kept = [:] }
      return kept
    }
    for (name, value) in before {
      guard let credential = try? credential(named: name.text) else {
        try store.keepSecret(
          value, as: name.text, generation: session.generation, family: plan.driver.familyID, meter: meter)
        continue
      }
      let scope = credential.storeScope(peripheral: plan.peripheral.id, meter: meter)
      if let value {
        try store.setCredential(value, name: credential.name, scope: scope)
      } else {
        try store.forgetCredential(credential.name, scope: scope)
      }
    }
  }

  private func keep(_ bytes: [UInt8], as name: String, _ credential: Credential?) throws(StoreError) {
    let old: [UInt8]?
    if let credential {
      let scope = credential.storeScope(peripheral: plan.peripheral.id, meter: meter)
      old = try store.credential(credential.name, scope: scope)
      try store.setCredential(bytes, name: credential.name, scope: scope)
    } else {
      old =
        try store.secretKeys(generation: session.generation, family: plan.driver.familyID, meter: meter)[
          ExactText(name)]?
        .bytes
      try store.keepSecret(
        bytes, as: name, generation: session.generation, family: plan.driver.familyID, meter: meter)
    }
    before.withLock { kept in if kept[ExactText(name)] == nil { kept[ExactText(name)] = .some(old) } }
    service.keep(SessionKey(bytes, isReadable: credential?.exposure == .read), as: name)
  }

  /// The credential that a name means; nil for a secret of storage.
  private func credential(named name: String?) throws(DriverFault) -> Credential? {
    guard let name, let wanted = StorageName.credential(namedBy: name) else { return nil }
    guard let found = plan.peripheral.credentials.first(where: { $0.name.isExactly(wanted) }) else {
      throw DriverFault(
        .brokeRule, driver: plan.driver.id, rule: "R22",
        message: "the driver wants an answer kept as \(name), which the registry does not list for "
          + "\(plan.peripheral.name); the driver must be repaired by its author")
    }
    return found
  }
}

extension Credential {
  /// Where the store files it.
  func storeScope(peripheral: UInt32, meter: MeterIdentity) -> CredentialScope {
    switch scope {
    case .gateway: .gateway
    case .peripheral: .peripheral(peripheral)
    case .meter: .meter(meter.peripheralUUID)
    }
  }

  var isLicence: Bool { format == .licenseFile }

  /// The error of a meter that cannot be read without it.
  func missingError(for peripheral: Peripheral, meter: MeterIdentity?) -> BluetoothError {
    let place = meter.map { " --meter \($0.peripheralUUID.uuidString.lowercased())" } ?? ""
    let also = meter == nil ? "" : ", or pair the meter again with `meterhost pair \(peripheral.id)`"
    return BluetoothError(
      isLicence ? .licenceMissing : .keyMissing,
      "\(peripheral.name) needs \(isLicence ? "the licence" : "the key") \(name), which is not stored here; enter it with "
        + "`meterhost key set \(peripheral.id) \(name)\(place)`\(also)")
  }
}
