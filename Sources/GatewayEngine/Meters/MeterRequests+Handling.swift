package import GatewayAPI
import Foundation
import MeterBluetooth
import MeterCore
import MeterDrivers

extension MetersListRequest: HandledRequest {
  package func perform(on owner: GatewayOwner) throws -> [KnownMeterDescription] {
    let gateway = owner.gateway
    return try owner.store.meters().filter { !isPaired || $0.pairing != nil }
      .map { KnownMeterDescription($0, in: gateway) }
  }
}

extension MetersForgetRequest: HandledRequest {
  /// - Returns: What was known of it.
  /// - Throws: ``GatewayError`` with code `unknown_meter`; `BluetoothError`.
  package func perform(on owner: GatewayOwner) async throws -> KnownMeterDescription {
    let found = try owner.store.knownMeter(meter)
    let description = KnownMeterDescription(found, in: owner.gateway)
    do {
      try await owner.controller(radio).forgetMeter(found.uuid)
    } catch  where found.pairing == nil {
      // Without a pairing there is nothing that only a radio could forget.
      try owner.store.forgetMeter(found.uuid)
    }
    return description
  }
}

extension MetersAssignRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `user_slot`, `unknown_meter`, `meter_not_read`, `no_session` or
  ///   `clock_unknown`; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> KnownMeterDescription {
    if !toNobody { try UserSlot.check(slot) }
    let found = try owner.store.knownMeter(meter)
    let now = MeterStore.wallClockMicroseconds
    let isTrusted = trustsClock || HostClockTrust.kernel.isSynchronized
    guard HostClockReading(utcMicroseconds: now, isSynchronized: isTrusted).knowsDate else {
      throw GatewayError(
        .temporary, code: "clock_unknown",
        "this machine's clock is not synchronised, so that nobody could say from when on readings are whose",
        hint: "wait until it is, or vouch for it with --trust-clock")
    }
    let assigned: StoredMeter?
    if toNobody {
      assigned = try owner.store.unassignMeter(found.uuid, slot: slot, nowMicroseconds: now)
    } else {
      let session = try owner.store.currentSession()
      guard session.user != nil else {
        throw GatewayError(
          .failed, code: "no_session", "there is no session to whose user a meter could be assigned",
          hint: "`meterhost session start --help` shows how")
      }
      assigned = try owner.store.assignMeter(
        found.uuid, slot: slot, wantsHistory: takesHistory, nowMicroseconds: now, generation: session.generation)
    }
    guard let assigned else {
      throw GatewayError(
        .failed, code: "meter_not_read", "\(found.name) was paired by an earlier version and never read",
        hint: "read it once: that assigns it to the session's user")
    }
    return KnownMeterDescription(assigned, in: owner.gateway)
  }
}

extension MetersSetRequest: HandledRequest {
  /// - Throws: ``GatewayError`` with code `unknown_meter`, `meter_setting` or `unknown_peripheral`; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> KnownMeterDescription {
    let gateway = owner.gateway
    var meter = try owner.store.knownMeter(meter)
    let range = MeterSettings.holdOffRange
    if let holdOffSeconds, !range.contains(holdOffSeconds) {
      throw GatewayError(
        .usage, code: "meter_setting", "a hold-off has \(range.lowerBound) to \(range.upperBound) seconds")
    }
    let again = MeterSettings.readAgainRange
    if let readAgainSeconds, readAgainSeconds != 0, !again.contains(readAgainSeconds) {
      throw GatewayError(
        .usage, code: "meter_setting",
        "a meter is read again after \(again.lowerBound) to \(again.upperBound) seconds, or never (0)")
    }
    if case .peripheral(let id) = choice {
      guard let entry = gateway.registry.peripheral(id: id), !entry.isDisabled else {
        throw GatewayError(
          .usage, code: "unknown_peripheral",
          gateway.registry.peripheral(id: id).map { "\($0.name) (\(id)) is disabled and kept for old records only" }
            ?? gateway.registry.isNoBluetoothPeripheral(id),
          hint: "`meterhost peripherals list` shows what there is")
      }
    }
    if isShared == true, weighsAnybody == true {
      throw GatewayError(
        .usage, code: "meter_setting", "a scale is shared by people, or weighs anybody: it cannot be both",
        hint: "leave out one of the two")
    }
    let changed = try owner.store.changeMeterSettings(of: meter.uuid) { settings in
      if let syncsClock { settings.syncsClock = syncsClock }
      if let holdOffSeconds { settings.holdOffSeconds = holdOffSeconds }
      // Who stands on it is one thing: what was said last.
      if let weighsAnybody {
        settings.weighsAnybody = weighsAnybody
        if weighsAnybody { settings.isShared = nil }
      }
      if let isShared {
        settings.isShared = isShared
        if isShared { settings.weighsAnybody = nil }
      }
      if let readAgainSeconds { settings.readAgainSeconds = readAgainSeconds }
      switch choice {
      case .peripheral(let id): settings.peripheral = id
      case Choice.none?: settings.peripheral = nil
      case nil: break
      }
    }
    if let changed { meter = changed }
    owner.retryPassive()
    return KnownMeterDescription(meter, in: gateway)
  }
}

extension MeterStore {
  /// A meter by its UUID as somebody typed it.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_meter`; `StoreError`.
  func knownMeter(_ text: String) throws -> StoredMeter {
    guard let uuid = UUID(uuidString: text), let meter = try meter(uuid) else {
      throw GatewayError(
        .usage, code: "unknown_meter", "this gateway knows no meter with the UUID \(text)",
        hint: "`meterhost meters list` shows them")
    }
    return meter
  }
}
