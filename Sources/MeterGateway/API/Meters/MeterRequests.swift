import Foundation
import MeterBluetooth
import MeterCore
import MeterDrivers

/// The meters that this gateway knows.
public struct MetersListRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "meters.list"
  /// Looking changes nothing.
  public static let isRepeatable = true
  /// Only those that are paired.
  public var isPaired: Bool

  /// Asks for the list.
  public init(paired isPaired: Bool = false) { self.isPaired = isPaired }

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> [KnownMeterDescription] {
    let gateway = owner.gateway
    return try owner.store.meters().filter { !isPaired || $0.pairing != nil }
      .map { KnownMeterDescription($0, in: gateway) }
  }
}

/// Forgets a meter: its bond, its keys, its pairing and its settings.
public struct MetersForgetRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "meters.forget"
  /// The meter's stable UUID as it was typed.
  public var meter: String
  /// The radio whose bond is to be forgotten.
  public var radio: RadioChoice

  /// Forgets a meter.
  public init(_ meter: String, radio: RadioChoice = RadioChoice()) {
    self.meter = meter
    self.radio = radio
  }

  /// - Returns: What was known of it.
  /// - Throws: ``GatewayError`` with code `unknown_meter`; `BluetoothError`.
  public func perform(on owner: GatewayOwner) async throws -> KnownMeterDescription {
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

/// Assigns a meter to the session's user without a read, or to nobody.
public struct MetersAssignRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "meters.assign"
  /// The meter's stable UUID as it was typed.
  public var meter: String
  /// The meter's user slot.
  public var slot: UInt16?
  /// What the meter measured before is the user's, too.
  public var takesHistory = false
  /// End whose it is, or whose the slot is.
  public var toNobody = false
  /// Vouch for the host's clock.
  public var trustsClock = false

  /// Assigns a meter to the session's user.
  public init(_ meter: String) { self.meter = meter }

  /// - Throws: ``GatewayError`` with code `user_slot`, `unknown_meter`, `meter_not_read`, `no_session` or
  ///   `clock_unknown`; `StoreError`.
  public func perform(on owner: GatewayOwner) throws -> KnownMeterDescription {
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

/// Changes what is set for a meter.
public struct MetersSetRequest: ControlRequest {
  /// Which catalogue entry a meter is read as.
  public enum Choice: Codable, Sendable, Hashable {
    /// What its rules say.
    case none
    /// The entry with this id, where the rules fit several.
    case peripheral(UInt32)
  }

  /// Its name on the socket.
  public static let name = "meters.set"
  /// The same settings twice are the same settings.
  public static let isRepeatable = true
  /// The meter's stable UUID as it was typed.
  public var meter: String
  /// Whether reads set its clock; nil leaves it.
  public var syncsClock: Bool?
  /// How long a passive read ignores it after it has stopped advertising, in seconds; nil leaves it.
  public var holdOffSeconds: Int?
  /// Whether the scale weighs infants, pets or things as well; nil leaves it.
  public var weighsAnybody: Bool?
  /// After how many seconds passive reading reads it again while it goes on advertising, 0 for never; nil leaves it.
  public var readAgainSeconds: Int?
  /// The catalogue entry to read it as; nil leaves it.
  public var choice: Choice?

  /// Changes nothing yet.
  public init(_ meter: String) { self.meter = meter }

  /// - Throws: ``GatewayError`` with code `unknown_meter`, `meter_setting` or `unknown_peripheral`; `StoreError`.
  public func perform(on owner: GatewayOwner) throws -> KnownMeterDescription {
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
    let changed = try owner.store.changeMeterSettings(of: meter.uuid) { settings in
      if let syncsClock { settings.syncsClock = syncsClock }
      if let holdOffSeconds { settings.holdOffSeconds = holdOffSeconds }
      if let weighsAnybody { settings.weighsAnybody = weighsAnybody }
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
