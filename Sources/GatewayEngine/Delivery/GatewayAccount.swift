import GatewayAPI
import Foundation
import InformSink
public import MeterCore

/// Whose readings are delivered where.
public struct GatewayAccount: Sendable {
  /// The session's user.
  public var user: SessionUser
  /// The receiver's access token for that user; nil where its kind has none.
  public var token: AccessToken?
  /// How the receiver is reached, whatever its kind.
  public var setting: any SinkSetting
  /// The IANA name of the user's time zone, such as `Europe/Berlin`; nil keeps the one that the user's session has.
  public var zone: String?
  /// What a person has confirmed, where the receiver says whose readings it would take them for (``SinkSubject/digest``).
  public var confirmed: String?

  /// An account at a receiver that is reached by its address alone.
  public init(user: SessionUser, token: AccessToken, receiver: String) {
    self.init(user: user, token: token, setting: ReceiverSetting(receiver: receiver))
  }

  /// An account at a receiver.
  public init(user: SessionUser, token: AccessToken?, setting: any SinkSetting) {
    self.user = user
    self.token = token
    self.setting = setting
  }

  /// The longest id of a user or an organisation, in bytes.
  public static let maximumIDLength = 255

  /// Refuses ids that are empty, too long, or hold spaces around them or control characters, and zones that there are not.
  func check() throws(GatewayError) {
    if let zone, TimeZone(databaseName: zone) == nil {
      throw GatewayError(
        .usage, code: "unknown_zone", "there is no time zone \(zone)", hint: "they are named like Europe/Berlin")
    }
    for (name, id) in [("user", user.userID), ("organization", user.organizationID)] {
      let isPlain = id.unicodeScalars.allSatisfy { !CharacterSet.controlCharacters.contains($0) }
      guard !id.isEmpty, id.utf8.count <= Self.maximumIDLength, isPlain,
        id == id.trimmingCharacters(in: .whitespacesAndNewlines)
      else {
        throw GatewayError(
          .usage, code: "bad_user",
          "the \(name)'s id must have 1 to \(Self.maximumIDLength) bytes, no control characters and no spaces around it"
        )
      }
    }
  }
}
