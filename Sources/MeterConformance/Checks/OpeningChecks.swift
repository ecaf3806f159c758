import CMeterDriver
import DriverContract
import DriverProbe
import MeterDrivers

extension Check {
  /// What a driver is told when it is opened.
  static let opening: [Check] = [
    Check(
      .r9, "purposes", "A purpose of a later minor is answered MH_E_UNSUPPORTED.",
      mend: "serve the purposes that you know and answer MH_E_UNSUPPORTED to every other, before anything else"
    ) { context in
      guard context.hasSessions else { return .skipped(context.noSession) }
      return try await context.probing { probe in
        for purpose in [6, 7, 99, UInt32.max] {
          let status = try context.status(of: context.plainOpening, purpose: purpose, on: probe)
          guard status == MH_E_UNSUPPORTED else {
            return .failed("open answered \(status) to the purpose \(purpose), not MH_E_UNSUPPORTED (-2)")
          }
        }
        for purpose in DriverPurpose.allCases {
          let status = try context.status(of: context.plainOpening, purpose: purpose.rawValue, on: probe)
          guard (MH_E_NO_VALUE...MH_OK).contains(status) else {
            return .failed("open answered \(status) to the purpose \(purpose), which is no status of the contract")
          }
        }
        return .passed
      }
    },
    Check(
      .r9, "unknown-parameters", "Parameters that the driver does not know are passed over.",
      mend: "look for the names and types that you know, and let the others be"
    ) { context in
      try await context.compareSessions([]) { opening in
        var opening = opening
        let unknown: [DriverParameter.Value] = [.integer(-1), .float(.nan), .bytes([0xFF, 0]), .text("")]
        for (index, value) in unknown.enumerated() {
          opening.parameters.insert(DriverParameter(name: 0x7F00 + UInt16(index), value: value), at: 0)
          opening.parameters.append(DriverParameter(name: 0xFF00 + UInt16(index), value: value))
        }
        return opening
      }
    },
    Check(
      .r9, "openings", "An opening may say next to nothing, or as much as fits.",
      mend: "expect every text to be empty, or as long as 248 bytes, and every number to be anything"
    ) { context in
      guard context.hasSessions else { return .skipped(context.noSession) }
      return try await context.probing(.guardsMemory) { probe in
        for opening in [DriverOpening(), fullest(context.plainOpening)] {
          let status = try context.status(of: opening, purpose: 0, on: probe)
          guard (MH_E_NO_VALUE...MH_OK).contains(status) else {
            return .failed("open answered \(status), which is no status of the contract")
          }
        }
        return .passed
      }
    },
  ]

  /// As much as a host may say.
  private static func fullest(_ plain: DriverOpening) -> DriverOpening {
    var opening = plain
    // The longest name that GAP allows (Core Specification, Vol 3 Part C 12.1), the longest extended advertisement.
    let name = String(repeating: "\u{10FFFF}", count: 62)
    (opening.manufacturer, opening.model, opening.name, opening.advertisedName) = (name, name, name, name)
    opening.advertisement = [UInt8](repeating: 0xFF, count: 1650)
    opening.address = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
    (opening.unixMicroseconds, opening.since, opening.until) = (.max, .max, .min)
    (opening.utcOffsetSeconds, opening.limit) = (.min, .max)
    opening.parameters += (0..<64).map {
      DriverParameter(name: 0x4000 + $0, value: .bytes([UInt8](repeating: 0, count: 512)))
    }
    return opening
  }
}

extension CheckContext {
  /// Whether the driver has sessions at all.
  var hasSessions: Bool { !subject.entry.capabilities.isDisjoint(with: [.connect, .advertisementOnly]) }

  /// What `open` says; the session is closed again.
  func status(of opening: DriverOpening, purpose: UInt32, on probe: ProbeProcess) throws(DriverFault) -> Int32 {
    trace.begin("", "open purpose \(purpose == 0 ? opening.purpose.rawValue : purpose)")
    do throws(ProbeFailure) {
      let status = try probe.client.open(1, driver: driver, opening, purpose: purpose)
      if status == MH_OK { try probe.client.close(1) }
      return status
    } catch { throw probe.fault(error) }
  }
}
