import Foundation
import HostPrimitives
import MeterBluetooth
public import MeterCore
public import MeterDrivers

/// What drivers have done wrong, and who is kept away for it.
public struct QuarantineListRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "quarantine.list"
  /// Only those of this driver.
  public var driver: String?

  /// Asks for the list.
  public init(driver: String? = nil) { self.driver = driver }

  /// Performs it.
  public func perform(on owner: GatewayOwner) throws -> [OffenceDescription] {
    let offences = try owner.store.offences().filter { driver == nil || $0.driver == driver }
    return offences.map { OffenceDescription($0, now: MeterStore.wallClockMicroseconds) }
  }
}

/// Lets a driver be used again, with one meter or with all.
public struct QuarantineLiftRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "quarantine.lift"
  /// What is lifted twice is lifted.
  public static let isRepeatable = true
  /// The driver's id.
  public var driver: String
  /// A meter's name as the list shows it; nil: the driver itself and all its meters.
  public var meter: String?

  /// Lifts what is known of a driver.
  public init(driver: String, meter: String? = nil) {
    self.driver = driver
    self.meter = meter
  }

  /// - Throws: ``GatewayError`` with code `not_in_quarantine`.
  public func perform(on owner: GatewayOwner) throws -> [OffenceDescription] {
    let lifted = try owner.store.offences().filter {
      $0.driver == driver && (meter == nil || $0.meter?.name.uppercased() == meter?.uppercased())
    }
    guard !lifted.isEmpty else {
      throw GatewayError(
        .usage, code: "not_in_quarantine",
        "nothing is noted against driver \(driver)\(meter.map { " with meter \($0)" } ?? "")",
        hint: "`meterhost driver quarantine` shows what is")
    }
    for bundle in Set(lifted.map(\.bundle)) {
      try owner.store.changeOffences(of: bundle) { $0.filter { !lifted.contains($0) } }
    }
    owner.retryPassive()
    return lifted.map { OffenceDescription($0, now: MeterStore.wallClockMicroseconds) }
  }
}

/// A bundle has failed its self-test, in which no meter has a part: it is set aside.
public struct SelfTestFaultRequest: ControlRequest {
  /// Its name on the socket.
  public static let name = "quarantine.self-test"
  /// The driver's id.
  public var driver: String
  /// The fault's code, rule and words.
  private var code: String
  private var rule: String?
  private var message: String

  /// Notes a fault; nil when it is not the driver's.
  public init?(driver: String, _ fault: DriverFault) {
    guard QuarantinePolicy().isOffence(fault) else { return nil }
    self.driver = driver
    (code, rule, message) = (fault.code.rawValue, fault.rule, fault.message)
  }

  /// - Returns: What is noted against the driver now.
  /// - Throws: ``GatewayError``, `StoreError`, `BundleError`.
  public func perform(on owner: GatewayOwner) throws -> [OffenceDescription] {
    let gateway = owner.gateway
    guard let code = DriverFault.Code(rawValue: code) else { return [] }
    let bundle = try gateway.bundles.bundle(for: try gateway.driver(driver))
    _ = try Quarantine(store: owner.store).noteSelfTest(
      DriverFault(code, driver: driver, rule: rule, message: message), bundle: bundle)
    return try QuarantineListRequest(driver: driver).perform(on: owner)
  }
}

/// What a driver has done wrong, as `--json` shows it.
public struct OffenceDescription: Codable, Sendable, Hashable {
  /// What came of it.
  public enum State: String, Codable, Sendable, Hashable {
    /// Nothing yet: the next fault sets the meter aside.
    case noted
    /// The meter is not read with this bundle until `until`.
    case setAside = "set_aside"
    /// The time is over; the next fault doubles it.
    case over
    /// The bundle is not used.
    case quarantined
  }

  /// The driver's id.
  public var driver: String
  /// The SHA-256 of its bundle.
  public var bundle: String
  /// The meter's serial number, System ID or address; left out for the bundle itself.
  public var meter: String?
  /// What came of it.
  public var state: State
  /// How often.
  public var count: Int
  /// When first, as ISO 8601 in UTC.
  public var first: String
  /// When last.
  public var last: String
  /// Until when it is set aside.
  public var until: String?
  /// The last fault's code.
  public var code: String
  /// The rule that it broke.
  public var rule: String?
  /// Its words.
  public var message: String
  /// The recording of the session in which it happened.
  public var recording: String?

  /// Describes an offence.
  public init(_ offence: DriverOffence, now: Int64) {
    driver = offence.driver
    bundle = offence.bundle
    meter = offence.meter?.name
    count = offence.count
    first = Self.time(offence.firstMicroseconds)
    last = Self.time(offence.lastMicroseconds)
    (code, rule, message, recording) = (offence.code, offence.rule, offence.message, offence.recording)
    switch QuarantinePolicy().verdict(on: [offence], meter: offence.meter?.key, now: now) {
    case .bundleSetAside: state = .quarantined
    case .pairSetAside(_, let end): (state, until) = (.setAside, Self.time(end))
    case .free: state = offence.setAsideMicroseconds == nil ? .noted : .over
    }
  }

  private static func time(_ microseconds: Int64) -> String {
    CivilMoment.utcSeconds(microseconds: microseconds)
  }
}
