import MeterCore
import CurlHTTP
internal import StrictJSON

/// An answer that is a receiver's, and that to another request, as of a proxy that mixes answers up. Nothing is done for good about it,
/// whether it accepts or refuses.
enum MixedAnswer: Sendable, Hashable {
  /// It names another record.
  case record
  /// It says that an older revision is stored than the one that was sent.
  case revision
  /// It names another image, or one of another record.
  case image

  var error: TransportError {
    TransportError(.foreignAnswer, "\(words), as of a proxy that mixes answers up; \(cure).")
  }

  /// What is wrong, without what to do.
  var words: String {
    switch self {
    case .record: "the answer is that to another record"
    case .revision: "the answer says that an older revision is stored than the one that was sent"
    case .image: "the answer is that to another image"
    }
  }

  private var cure: String {
    self == .revision
      ? "check network and proxy, and ask who runs the receiver"
      : "check network and proxy"
  }
}

extension WireCalls {
  /// What the answer to a record is instead, whether it accepts or refuses; nil when it names this one or none.
  ///
  /// - Parameter isRefusal: Under the name there may stand what is wrong with it, such as "has been taken".
  func mixUp(_ answer: [UInt8], with record: Record, isRefusal: Bool) -> MixedAnswer? {
    guard let object = ReceiverAnswer.object(answer) else { return nil }
    let name = format == .informV2 ? "log_id" : "activity_id"
    let isOfOther = AnswerClaim.names(name, in: object) { value in
      value.asString.flatMap { LogID($0) }.map { $0 == record.logID } ?? isRefusal
    }
    return isOfOther ? .record : nil
  }

  /// The same for the answer to a delivery, which says what revision is stored: content that is not is not to be deleted here.
  func mixUp(_ answer: [UInt8], withDeliveryOf record: Record, isRefusal: Bool) -> MixedAnswer? {
    if let mixed = mixUp(answer, with: record, isRefusal: isRefusal) { return mixed }
    guard let stored = revision(in: answer, of: record.type) else { return nil }
    return stored < record.revision ? .revision : nil
  }

  /// What the answer to an image is instead; nil when it names this one or none.
  ///
  /// - Parameters:
  ///   - recordID: The receiver's id of its record.
  ///   - logID: The record's own name; nil when it is not known.
  func mixUp(
    _ answer: [UInt8], with image: RecordImage, ofRecord recordID: String, logID: LogID? = nil
  ) -> MixedAnswer? {
    guard let object = ReceiverAnswer.object(answer) else { return nil }
    // Records that lie deeper may have checksums of their own.
    let isOther = [object, object.member("data")].compactMap(\.self).contains { place in
      let id = place.member("record_id").flatMap { $0.kind == .null ? nil : $0 }
      return id.map { !ReceiverAnswer.isText($0, recordID) } ?? false
        || place.member("checksum")?.asString.map { Self.isDigest($0) && $0.lowercased() != image.checksum } ?? false
    }
    let isOfOther = logID.map { logID in
      ["log_id", "activity_id"].contains { name in
        AnswerClaim.names(name, in: object) { $0.asString.flatMap { LogID($0) } == logID }
      }
    }
    return isOther || isOfOther == true ? .image : nil
  }

  /// Whether a checksum is the SHA-256 of the contract; one of another kind tells nothing.
  private static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { Int(String(Unicode.Scalar($0)), radix: 16) != nil }
  }
}
