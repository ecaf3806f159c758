package import GatewayAPI
import InformSink
import Foundation
package import MeterCore

extension SessionDescription {
  /// Describes a session.
  package init(_ session: Session, setting: (any SinkSetting)?) {
    // The address of a session that has ended is nobody's.
    let setting = session.user == nil ? nil : setting
    let unknownZone = session.options.unknownZone
    self.init(
      user: session.user?.userID, organization: session.user?.organizationID, receiver: setting?.address,
      kind: setting.flatMap { $0.kindName == ReceiverSetting.kind ? nil : $0.kindName }, format: setting?.format,
      zone: unknownZone == nil ? session.options.zone : nil,
      unknownZone: unknownZone, validated: session.isValidated, body: session.body.map { BodyDescription($0) })
  }

  /// Describes the session of a store with what is known of its receivers.
  ///
  /// - Throws: `StoreError`, ``GatewayError`` with code `receiver_setting`.
  package init(showing store: MeterStore) throws {
    let session = try store.currentSession()
    self.init(session, setting: try GatewaySink.own(in: store)?.setting)
    guard user != nil else { return }
    let others = try GatewaySink.further(in: store).map { SinkDescription($0) }
    sinks = others.isEmpty ? nil : others
    let skews = try store.clockSkews().mapValues(\.seconds)
    clockSkew = skews.isEmpty ? nil : skews
  }

  /// Describes a session that has just started.
  package init(_ start: GatewayDelivery.Start, setting: any SinkSetting) {
    self.init(start.session, setting: setting)
    reason = start.unvalidated
    ended = start.ended.map { EndedSessionDescription($0) }
  }
}

extension BodyDescription {
  init(_ body: BodyProfile) {
    self.init(heightCentimetres: body.heightCentimetres, sex: body.sex.rawValue, born: body.born)
  }

  /// The same, when somebody can have it.
  var profile: BodyProfile? {
    BodyProfile.Sex(rawValue: sex).flatMap {
      BodyProfile(heightCentimetres: heightCentimetres, sex: $0, born: born)
    }
  }
}

extension EndedSessionDescription {
  /// Describes what a session's end has left.
  package init(_ ended: EndedSession) {
    self.init(
      user: ended.user.userID, organization: ended.user.organizationID, unsynced: ended.unsynced,
      unsyncedImages: ended.unsyncedImages, recoveryFile: ended.recoveryFile?.path, reason: ended.reason?.rawValue)
  }
}
