public import GatewayAPI
public import Foundation
import HostPrimitives
public import MeterCore
import MeterDrivers

/// Keys and licences of meters: their formats are checked on entry, and they are stored encrypted.
public struct GatewayKeys: Sendable {
  private let gateway: Gateway
  private let store: MeterStore

  /// The keys in this store.
  public init(gateway: Gateway, store: MeterStore) {
    self.gateway = gateway
    self.store = store
  }

  /// Checks and stores a key or licence of a peripheral.
  ///
  /// - Parameters:
  ///   - content: What the person typed, or a file's bytes.
  ///   - name: Its name in the registry.
  ///   - meter: The meter's stable UUID, for keys of one meter.
  /// - Returns: What is stored now.
  /// - Throws: ``GatewayError`` naming what does not fit, `StoreError`.
  @discardableResult
  public func set(
    _ content: [UInt8], name: String, peripheral id: UInt32, meter: UUID? = nil
  ) throws -> KeyDescription {
    let (credential, scope) = try find(name, peripheral: id, meter: meter)
    let value: [UInt8]
    do {
      value = try CredentialContent.check(content, credential.format)
    } catch {
      throw GatewayError(error, at: "\(name) is not taken")
    }
    try store.setCredential(value, name: name, scope: scope)
    guard let stored = try store.credentials().first(where: { $0.name == name && $0.scope == scope }) else {
      throw GatewayError(.failed, code: "key_missing", "\(name) is not in the store after it was stored")
    }
    return KeyDescription(stored)
  }

  /// What is stored, without values.
  ///
  /// - Throws: `StoreError`.
  public func list() throws -> [KeyDescription] { try store.credentials().map(KeyDescription.init) }

  /// Forgets a key or licence.
  ///
  /// - Throws: ``GatewayError`` when there is none, `StoreError`.
  public func forget(name: String, peripheral id: UInt32, meter: UUID? = nil) throws {
    let (_, scope) = try find(name, peripheral: id, meter: meter)
    guard try store.forgetCredential(name, scope: scope) else {
      throw GatewayError(
        .usage, code: "key_missing", "there is no \(name) to forget", hint: "`meterhost key list` shows what is stored")
    }
  }

  private func find(
    _ name: String, peripheral id: UInt32, meter: UUID?
  ) throws(GatewayError) -> (Credential, CredentialScope) {
    guard let peripheral = gateway.registry.peripheral(id: id) else {
      throw GatewayError(
        .usage, code: "unknown_peripheral", gateway.registry.isNoBluetoothPeripheral(id),
        hint: "`meterhost peripherals list` shows what there is")
    }
    guard let credential = peripheral.credentials.first(where: { $0.name == name }) else {
      let names = peripheral.credentials.map(\.name).joined(separator: ", ")
      throw GatewayError(
        .usage, code: "unknown_key",
        "\(peripheral.name) has no \(name)" + (names.isEmpty ? "; it needs no keys" : "; it has \(names)"))
    }
    switch (credential.scope, meter) {
    case (.gateway, nil): return (credential, .gateway)
    case (.peripheral, nil): return (credential, .peripheral(id))
    case (.meter, let meter?): return (credential, .meter(meter))
    case (.meter, nil):
      throw GatewayError(
        .usage, code: "meter_needed", "\(name) belongs to one meter",
        hint: "name it with --meter; `meterhost meters list` shows the UUIDs")
    default:
      throw GatewayError(.usage, code: "no_meter", "\(name) serves every meter of its kind; leave --meter out")
    }
  }
}

extension KeyDescription {
  /// Describes a stored key.
  init(_ credential: StoredCredential) {
    self.init(
      name: credential.name, scope: credential.scope.name,
      changed: CivilMoment.utcSeconds(microseconds: credential.changedMicroseconds))
    switch credential.scope {
    case .gateway: break
    case .peripheral(let id): peripheral = id
    case .meter(let uuid): meter = uuid.uuidString.lowercased()
    }
  }
}
