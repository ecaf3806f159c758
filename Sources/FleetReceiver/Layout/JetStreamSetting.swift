import StrictJSON

/// A value of a stream's or consumer's configuration, as JetStream writes it.
package enum JetStreamValue: Sendable, Hashable {
  case text(String)
  /// Times are in nanoseconds.
  case integer(Int64)
  case flag(Bool)
  case texts([String])

  /// For people.
  var description: String {
    switch self {
    case .text(let text): text
    case .integer(let number): "\(number)"
    case .flag(let flag): flag ? "true" : "false"
    case .texts(let texts): texts.joined(separator: " ")
    }
  }

  /// The value of an answer, in the form of another one; nil where it is none.
  init?(_ element: JSONElement, like other: JetStreamValue) {
    switch other {
    case .text: guard let text = element.asString else { return nil }; self = .text(text)
    case .integer:
      guard let number = element.numeral.flatMap({ Int64($0) }) else { return nil }; self = .integer(number)
    case .flag: guard let flag = element.asBool else { return nil }; self = .flag(flag)
    case .texts:
      guard element.kind == .array else { return nil }
      self = .texts(element.elements.compactMap(\.asString))
    }
  }
}

/// How a stream or a consumer is to be, by the names of JetStream's API.
package struct JetStreamSetting: Sendable, Hashable {
  /// One member.
  package struct Member: Sendable, Hashable {
    package let name: String
    package let value: JetStreamValue
    /// What JetStream leaves out of its answers: its own default.
    let whenAbsent: JetStreamValue?

    init(_ name: String, _ value: JetStreamValue, whenAbsent: JetStreamValue? = nil) {
      (self.name, self.value, self.whenAbsent) = (name, value, whenAbsent)
    }
  }

  /// One that is otherwise than it is to be.
  package struct Difference: Sendable, Hashable {
    package let member: String
    package let found: String
    package let wanted: String
  }

  package let members: [Member]

  /// The members as they travel.
  func write(_ name: String?, to json: inout JSONWriter) {
    json.object(name) { json in
      for member in members {
        switch member.value {
        case .text(let text): json.member(member.name, text)
        case .integer(let number): json.member(member.name, integer: number)
        case .flag(let flag): json.member(member.name, flag: flag)
        case .texts(let texts): json.array(member.name) { json in for text in texts { json.member(nil, text) } }
        }
      }
    }
  }

  /// What is otherwise in the configuration that an answer tells. Members that we do not set are the operator's.
  func differences(from config: JSONElement) -> [Difference] {
    members.compactMap { member in
      let found = config.member(member.name).flatMap { JetStreamValue($0, like: member.value) } ?? member.whenAbsent
      guard found != member.value else { return nil }
      return Difference(
        member: member.name, found: found?.description ?? "absent", wanted: member.value.description)
    }
  }
}
