import CurlHTTP
package import MeterCore
import SinkHTTP

extension InfluxSinkSetting: SinkSetting {
  /// The kind's name in the store and for `sink add --kind`.
  package static let kind = "influx"
  /// What is shown beside the kind.
  package static let summary = "a series database, by InfluxDB's line protocol over HTTP"
  /// Whether it wants a token: that of version 2, the password of version 1.
  package static let credentialUse = CredentialUse.optional
  /// What its JSON says.
  package static let members =
    SinkReach.members + [
      SinkMember(
        Member.version.rawValue, .word(Version.allCases.map(\.rawValue)), help: "the interface that the database has"),
      SinkMember(Member.organization.rawValue, help: "of version 2: the organisation"),
      SinkMember(Member.bucket.rawValue, help: "of version 2: the bucket"),
      SinkMember(Member.database.rawValue, help: "of version 1: the database"),
      SinkMember(Member.retentionPolicy.rawValue, help: "of version 1: the retention policy"),
      SinkMember(Member.user.rawValue, help: "of version 1: the user whose password the token is"),
      SinkMember(
        Member.identity.rawValue, .word(PointIdentity.allCases.map(\.rawValue)),
        help: "what keeps readings of one time apart: a tag each, or the part of the time that meters do not give"),
      SinkMember(Member.subject.rawValue, help: "the tag subject, which says whose readings they are"),
    ]

  /// Where readings go.
  package var address: String { reach.http.address }

  /// Address, proxy, the paths of the files, and whose database it is.
  package var privateTexts: [String] {
    reach.http.privateTexts + [organization, bucket, database, user, subject].compactMap(\.self)
  }

  /// Many readings a request, of those that have a number, without pictures. What the database answers it has written down.
  package var capabilities: SinkCapabilities {
    SinkCapabilities(
      batchSize: InfluxSink.batchSize, takesImages: false, acknowledgement: .receiver,
      takes: { RecordLines.takes($0) })
  }

  /// How many requests there may be.
  package var deliverySettings: DeliverySettings { reach.deliverySettings }

  /// The setting with every part checked, the machine as well.
  ///
  /// - Throws: `HTTPReachError`; `SinkSettingError` with code `sink_setting`.
  package func checked(in place: SinkPlace) throws -> InfluxSinkSetting {
    var setting = self
    setting.reach = try reach.checked()
    let (needed, foreign): ([(Member, String?)], [(Member, String?)]) =
      switch version {
      case .two:
        (
          [(.organization, organization), (.bucket, bucket)],
          [(.database, database), (.retentionPolicy, retentionPolicy), (.user, user)]
        )
      case .one: ([(.database, database)], [(.organization, organization), (.bucket, bucket)])
      }
    if let missing = needed.first(where: { $0.1?.isEmpty ?? true })?.0 {
      throw SinkSettingError(.setting, "version \(version.rawValue) wants \(missing.rawValue), and it is not there")
    }
    if let extra = foreign.first(where: { $0.1 != nil })?.0 {
      throw SinkSettingError(
        .setting, "\(extra.rawValue) means nothing to version \(version.rawValue)",
        hint: "leave it out, or say the other version")
    }
    for (member, text) in needed + foreign + [(Member.subject, subject)] {
      if let text { try Self.check(text, member) }
    }
    return setting
  }

  private static func check(_ text: String, _ member: Member) throws(SinkSettingError) {
    let isName =
      (1...256).contains(text.utf8.count) && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    guard isName, member != .user || !text.contains(":") else {
      throw SinkSettingError(
        .setting,
        "\(member.rawValue) is no name: 1 to 256 bytes without control characters"
          + (member == .user ? ", and without a colon" : ""))
    }
  }

  /// Looks at a credential that is to be kept.
  package func check(_ token: AccessToken) throws(SinkSettingError) {
    guard version == .one, user == nil else { return }
    throw SinkSettingError(
      .credential, "of version 1 the token is a user's password, and the setting names no user",
      hint: "say user=NAME, or leave the token out")
  }

  /// A sink that is reached by it.
  package func sink() throws -> any Sink { InfluxSink(self) }
}
