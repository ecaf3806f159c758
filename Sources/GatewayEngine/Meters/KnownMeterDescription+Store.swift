package import GatewayAPI
import Foundation
import HostPrimitives
package import MeterCore
import MeterDrivers

extension KnownMeterDescription {
  /// Describes a meter with the words of a catalogue.
  package init(_ meter: StoredMeter, in gateway: Gateway) {
    self.init(
      uuid: meter.uuid.uuidString.lowercased(), name: meter.name, peripheral: meter.peripheral,
      peripheralName: meter.peripheral.flatMap { gateway.registry.peripheral(id: $0)?.name }, address: meter.address,
      addressKind: meter.addressKind,
      paired: meter.pairing.map { Pairing(since: Self.time($0.sinceMicroseconds), bond: $0.bond) },
      assigned: meter.owners.map {
        Assignment(
          user: $0.user.userID, organization: $0.user.organizationID, slot: $0.slot,
          since: $0.sinceMicroseconds.map(Self.time), sinceUnknown: $0.isSinceUnknown ? true : nil)
      }, firstSeen: meter.firstSeenMicroseconds.map(Self.time), lastSeen: meter.lastSeenMicroseconds.map(Self.time),
      lastRead: meter.lastReadMicroseconds.map(Self.time),
      battery: meter.battery.map { Battery(percent: $0.percent, told: Self.time($0.toldMicroseconds)) },
      firmware: meter.firmware,
      settings: Settings(
        syncClock: meter.settings.syncsClock ?? false, holdOff: Int(meter.settings.holdOff.components.seconds),
        peripheral: meter.settings.peripheral, weighsAnybody: meter.settings.weighsAnybody ?? false,
        isShared: meter.settings.isShared ?? false,
        readAgain: Int(meter.settings.readAgain?.components.seconds ?? 0)))
  }

  private static func time(_ microseconds: Int64) -> String {
    CivilMoment.utcSeconds(microseconds: microseconds)
  }
}
