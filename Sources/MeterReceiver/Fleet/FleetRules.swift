import HostPrimitives

/// What messages of gateways may be; the same as for uploads over HTTP.
package struct FleetRules: Sendable {
  let validator: RecordValidator
  /// The largest record in bytes.
  let bodyLimit: Int

  /// The rules of a receiver.
  package init(_ configuration: ReceiverConfiguration) {
    validator = RecordValidator(vocabulary: configuration.vocabulary)
    bodyLimit = configuration.bodyLimit
  }

  /// The record of a message.
  ///
  /// - Throws: ``Refusal`` for what will never be a record.
  func record(_ message: FleetMessage, collection: String) throws(Refusal) -> ValidRecord {
    guard let accepted = RecordType.accepted(at: collection) else {
      throw Refusal("type", "there is no such record type")
    }
    guard message.payload.count <= bodyLimit else {
      throw Refusal("too_large", "the record has more than \(bodyLimit) bytes")
    }
    let value: JSONValue
    do { value = try JSONValue.parse(message.payload) } catch {
      throw Refusal("syntax", "the record is not JSON")
    }
    do { return try validator.validate(value, accepting: accepted) } catch {
      throw Refusal("invalid", Self.words(error))
    }
  }

  /// Why something is no record.
  struct Refusal: Error {
    /// A stable word.
    let reason: String
    let text: String

    init(_ reason: String, _ text: String) { (self.reason, self.text) = (reason, text) }
  }

  /// The first reasons; the whole list would be longer than anybody reads.
  private static func words(_ errors: FieldErrors) -> String {
    let most = 3
    // A member's name is the sender's: a letter may have thousands of marks, and a database takes no NUL.
    let words = errors.reasons.prefix(most).map { "\($0.field.oneLine(atMost: 120)): \($0.reasons.first ?? "")" }
    return (words.joined(separator: "; ") + (errors.reasons.count > most ? "; and more" : "")).oneLine(atMost: 800)
  }
}
