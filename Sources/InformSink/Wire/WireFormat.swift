public import MeterCore
import HostPrimitives
import StrictJSON

/// The form in which records go to a receiver.
public enum WireFormat: String, Sendable, Hashable, Codable, CaseIterable {
  /// Validic Inform v2: all record types.
  case informV2 = "inform-v2"
  /// Validic's Legacy API (v1): seven record types, a field and a unit for each value.
  case legacyV1 = "legacy-v1"

  /// Whether a record can be written in this form; the form's encoder refuses all others.
  public func takes(_ record: Record) -> Bool {
    do {
      switch self {
      case .informV2: _ = try InformV2Encoder().parts(record)
      case .legacyV1: _ = try LegacyV1Encoder().parts(record)
      }
    } catch {
      return false
    }
    return true
  }
}

/// What stands in a record for the receiver to tell a repetition from a change. Both are members of ours.
public enum ContentMark: Sendable, Hashable {
  /// Nothing: the receiver counts for itself.
  case none
  /// `revision`: the same one must have the same content.
  case revision
  /// `content_hash` as well, over what the meter has reported: another gateway, with its own zone and its own clock, may
  /// send the same reading.
  case revisionAndHash

  func write(_ record: Record, _ json: inout JSONWriter) {
    if self != .none { json.member("revision", integer: Int64(record.revision)) }
    if self == .revisionAndHash { json.member("content_hash", record.contentHash.hexadecimal) }
  }
}
