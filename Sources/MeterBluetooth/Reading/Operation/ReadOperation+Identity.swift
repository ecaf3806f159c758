import BluetoothWire
import Logging
import MeterCore

extension ReadOperation {
  /// What a meter says of itself, and what it has said before and keeps back now: without its serial number it would be another
  /// meter, all of whose readings are new.
  ///
  /// Only an address that is a meter's own says that it is the same one. A meter that was read under the name that it has now keeps
  /// that name.
  ///
  /// - Parameter known: What the read knows of the meter, from this link or from its cache.
  /// - Throws: ``BluetoothError``: `communicationFailure` when it may be one of several; `storeFailure`.
  func completed(
    _ known: MeterKnowledge, at address: BluetoothAddress
  ) throws(BluetoothError) -> DeviceInformation {
    let information = known.information
    let name = information.identity(at: address)
    // A placeholder is no serial number.
    let serial = name.basis == .serial ? information.serialNumber : nil
    guard !address.isPrivate, serial == nil || information.model == nil else { return information }
    let told: [ToldIdentity]
    do {
      let isKnown = try surroundings.store.meter(name.peripheralUUID)?.lastReadMicroseconds != nil
      guard !isKnown else { return information }
      told = try surroundings.store.toldIdentities(atAddress: address.description, MeterAddressKind(address.kind))
    } catch {
      throw BluetoothError(.storeFailure, "the state folder cannot be read: \(error.message)", cause: error)
    }
    var found: [DeviceInformation] = []
    for identity in told {
      var whole = information
      whole.serialNumber = serial ?? identity.serial
      whole.model = information.model ?? identity.model
      whole.systemID = information.systemID ?? identity.systemID
      // What it says now must not speak against what it was.
      if whole.identity(at: address) == identity.identity { found.append(whole) }
    }
    guard let whole = found.first else { return information }
    guard found.count == 1 else {
      // The next read asks the meter again.
      try? surroundings.store.setCached(nil, known.name, address: known.address)
      throw BluetoothError(
        .communicationFailure,
        "the meter at \(address) did not say its serial number, and several meters were known at this address: its readings could "
          + "not be told from another's. Read it again; `meterhost meters list` shows them, and `meterhost meters forget` "
          + "removes one that is gone")
    }
    if whole != information {
      Self.airLog.warning(
        "the meter did not say who it is; it is known by its address from an earlier read",
        metadata: ["address": "\(address)"])
    }
    return whole
  }
}

extension DeviceInformation {
  /// The name of a meter that says this of itself.
  fileprivate func identity(at address: BluetoothAddress) -> MeterIdentity {
    MeterIdentity(serial: serialNumber, model: model, systemID: systemID, address: address.description)
  }
}
