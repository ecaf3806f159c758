import MeterCore
import CurlHTTP
internal import StrictJSON

/// What an answer claims about what was sent, by the members of the contract, and by those in which servers of all kinds say that
/// something went wrong although the status is a success.
enum AnswerClaim {
  /// The statuses by which a receiver says that it has what was sent. Those of a part (206), of several answers (207) or of an answer
  /// that was changed on its way (203) say something else, and no request of the host calls for them.
  static let accepting: Set<Int> = [200, 201, 202, 204]

  // MARK: Success

  /// Whether an answer tells of a failure: errors that are listed, `success` that is false, a status that is an error's. It counts
  /// in the answer itself and in `data` and each element of `results`, where only what cannot be a member of a record that is
  /// echoed says so: a glucose may be a `result` of 412.
  static func isOfFailure(_ answer: JSONElement) -> Bool {
    answer.members.contains { key, value in
      let name = folded(key)
      return saysFailure(name, value) || affirmations.contains(name) && isNo(value)
        || name == "code" && isStatusOfFailure(value) || verdicts.contains(name) && isWordOfFailure(value)
    }
      || places(in: answer).contains { place in
        place.members.contains { key, value in saysFailure(folded(key), value) }
      }
  }

  private static func saysFailure(_ name: String, _ value: JSONElement) -> Bool {
    if isOfErrors(name) { return saysSomething(value) }
    if denials.contains(name) { return isNo(value) }
    return statuses.contains(name) && (isStatusOfFailure(value) || isWordOfFailure(value))
  }

  /// Whether an object without a failure is a receiver's: it says nothing, or something that the contract knows. Objects of anything
  /// else, such as a network's `{"captive": true}` or a gateway's `{"message": ...}`, are no success of anybody.
  static func isOfReceiver(_ answer: JSONElement) -> Bool {
    let said = answer.members.filter { key, value in value.kind != .null && !isOfErrors(folded(key)) }
    return said.isEmpty
      || said.contains { key, value in
        let name = folded(key)
        return contract.contains(name) || affirmations.contains(name) && isYes(value)
          || verdicts.contains(name) && isVerdictOfSuccess(value)
      }
  }

  /// Members of answers by either format; in the Legacy one a record stands under its type's name.
  private static let contract: Set<String> = Set(
    [
      "data", "id", "logid", "activityid", "recordid", "uid", "userid", "organizationid", "user", "revision",
      "checksum",
    ]
      + RecordType.allCases.map(\.rawValue))
  private static let affirmations: Set<String> = [
    "success", "successful", "succeeded", "issuccess", "ok", "isok", "accepted", "stored", "saved", "received",
    "created",
    "valid", "active",
  ]
  /// Of those what says of a whole answer or part that it went wrong, when it is false.
  private static let denials: Set<String> = ["success", "successful", "succeeded", "issuccess", "ok", "isok"]
  private static let statuses: Set<String> = ["status", "statuscode", "httpstatus"]
  private static let verdicts = statuses.union(["code", "result", "outcome", "state"])
  private static let goodWords: Set<String> = [
    "ok", "success", "successful", "succeeded", "accepted", "created", "updated", "unchanged", "superseded", "deleted",
    "stored", "saved", "received", "queued", "done", "valid", "active",
  ]
  /// How words of failure begin.
  private static let badWords = [
    "err", "fail", "fault", "exception", "reject", "refuse", "invalid", "denied", "unauth", "forbidden", "unavail",
    "notfound", "notstored", "timeout", "timedout", "fatal", "abort", "cancel", "conflict",
  ]

  private static func isOfErrors(_ name: String) -> Bool {
    ["error", "fault", "exception"].contains { name.hasPrefix($0) }
  }

  private static func isNo(_ value: JSONElement) -> Bool {
    switch value.kind {
    case .false: true
    case .number: value.asDouble == 0
    case .string: folded(value) == "0" || isStatusOfFailure(value) || isWordOfFailure(value)
    default: false
    }
  }

  private static func isYes(_ value: JSONElement) -> Bool {
    switch value.kind {
    case .true: true
    case .number: value.asDouble.map { $0 >= 1 } ?? false
    case .string: ["1", "true", "yes"].contains(folded(value)) || goodWords.contains(folded(value))
    default: false
    }
  }

  /// A status of HTTP, as a number or as in "503" and "503 Service Unavailable".
  private static func status(_ value: JSONElement) -> Double? {
    if value.kind == .number { return value.asDouble }
    let digits = folded(value).prefix { $0.isNumber }
    return digits.utf8.count == 3 ? Double(digits) : nil
  }

  private static func isStatusOfFailure(_ value: JSONElement) -> Bool {
    status(value).map { $0 < 0 || (400..<600).contains($0) } ?? false
  }

  private static func isWordOfFailure(_ value: JSONElement) -> Bool {
    if value.kind == .false { return true }
    guard value.kind == .string else { return false }
    let word = folded(value)
    return ["down", "busy", "no", "false", "ko", "nok"].contains(word) || badWords.contains { word.hasPrefix($0) }
  }

  private static func isVerdictOfSuccess(_ value: JSONElement) -> Bool {
    if value.kind == .true { return true }
    return status(value).map { (200..<300).contains($0) } ?? goodWords.contains(folded(value))
  }

  /// Whether a member is neither empty nor null, false or 0.
  static func saysSomething(_ element: JSONElement) -> Bool {
    switch element.kind {
    case .object, .array: element.count > 0
    case .string: element.asString?.isEmpty == false
    case .number: element.asDouble != 0
    case .true: true
    default: false
    }
  }

  // MARK: Names

  /// Whether an answer names, anywhere but among its errors and what a refusal says of another record, something that is not meant.
  ///
  /// - Parameters:
  ///   - name: The member that names it, such as `log_id`, in whatever spelling (`logId`).
  ///   - isMeant: Whether a value is the right one; null is as good as no member.
  static func names(_ name: String, in answer: JSONElement, otherThan isMeant: (JSONElement) -> Bool) -> Bool {
    let wanted = folded(name)
    func isOther(_ element: JSONElement) -> Bool {
      element.walk.contains(where: isOther)
        || element.members.contains { key, value in
          let key = folded(key)
          if isOfErrors(key) || key == "conflict" { return false }
          return key == wanted ? value.kind != .null && !isMeant(value) : isOther(value)
        }
    }
    return isOther(answer)
  }

  /// The objects in which an answer tells of each part, also in lists.
  private static func places(in answer: JSONElement) -> [JSONElement] {
    answer.members.flatMap { key, value -> [JSONElement] in
      guard parts.contains(folded(key)) else { return [] }
      return value.kind == .array ? value.walk.filter { $0.kind == .object } : value.kind == .object ? [value] : []
    }
  }

  private static let parts = Set(
    ["data", "results", "result", "records", "responses", "response", "items"]
      + RecordType.allCases.map { folded($0.rawValue) })

  /// A key or word in small letters without what spellings differ in.
  private static func folded(_ element: JSONElement) -> String { folded(element.asString ?? "") }

  private static func folded(_ text: String) -> String {
    let letters = text.utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
    return String(decoding: letters.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
