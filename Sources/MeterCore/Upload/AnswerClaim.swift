internal import StrictJSON

/// What an answer claims about what was sent, by the members of the contract, and by those in which servers of all kinds say that
/// something went wrong although the status is a success.
enum AnswerClaim {
  /// The statuses by which a receiver says that it has what was sent. Those of a part (206), of several answers (207) or of an answer
  /// that was changed on its way (203) say something else, and no request of the host calls for them.
  static let accepting: Set<Int> = [200, 201, 202, 204]

  // MARK: Success

  /// Whether an answer tells of a failure: errors that are listed, `success` that is false, a status that is an error's. It counts
  /// in the answer itself and in what lies directly in it, such as `data` or each element of `results`.
  static func isOfFailure(_ answer: JSONElement) -> Bool {
    places(in: answer).contains { place in
      place.members.contains { key, value in
        let name = folded(key)
        if isOfErrors(name) { return saysSomething(value) }
        if affirmations.contains(name) { return isNo(value) }
        return verdicts.contains(name) && isVerdictOfFailure(value)
      }
    }
  }

  /// Whether an object without a failure is a receiver's: it says nothing, or something that the contract knows. Objects of anything
  /// else, such as a network's `{"captive": true}` or a gateway's `{"message": ...}`, are no success of anybody.
  static func isOfReceiver(_ answer: JSONElement) -> Bool {
    let said = answer.members.filter { key, value in value.kind != .null && !isOfErrors(folded(key)) }
    return said.isEmpty
      || said.contains { key, value in
        let name = folded(key)
        return contract.contains(name) || affirmations.contains(name) && value.asBool == true
          || verdicts.contains(name) && isVerdictOfSuccess(value)
      }
  }

  /// Members of answers by either format; in the Legacy one a record stands under its type's name.
  private static let contract: Set<String> = Set(
    ["data", "id", "logid", "activityid", "uid", "userid", "organizationid", "user", "revision", "checksum"]
      + RecordType.allCases.map(\.rawValue))
  private static let affirmations: Set<String> = [
    "success", "successful", "succeeded", "issuccess", "ok", "isok", "accepted", "stored", "saved", "valid", "active",
  ]
  private static let verdicts: Set<String> = [
    "status", "statuscode", "httpstatus", "code", "result", "outcome", "state",
  ]
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
    case .string: folded(value) == "0" || isVerdictOfFailure(value)
    default: false
    }
  }

  private static func isVerdictOfFailure(_ value: JSONElement) -> Bool {
    switch value.kind {
    case .false: return true
    case .number: return value.asDouble.map { $0 < 0 || $0 >= 400 } ?? true
    case .string:
      let word = folded(value)
      // As in "503" and "503 Service Unavailable".
      let digits = word.prefix { $0.isNumber }
      if digits.utf8.count == 3, let status = Int(digits) { return status >= 400 }
      return ["down", "busy", "no", "false", "ko", "nok"].contains(word) || badWords.contains { word.hasPrefix($0) }
    default: return false
    }
  }

  private static func isVerdictOfSuccess(_ value: JSONElement) -> Bool {
    switch value.kind {
    case .true: true
    case .number: value.asDouble.map { (200..<300).contains($0) } ?? false
    case .string: goodWords.contains(folded(value))
    default: false
    }
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

  /// An answer and the objects that lie directly in it, also in lists.
  private static func places(in answer: JSONElement) -> [JSONElement] {
    [answer]
      + answer.members.flatMap { _, value in
        value.kind == .array ? value.walk.filter { $0.kind == .object } : value.kind == .object ? [value] : []
      }
  }

  /// A key or word in small letters without what spellings differ in.
  private static func folded(_ element: JSONElement) -> String { folded(element.asString ?? "") }

  private static func folded(_ text: String) -> String {
    let letters = text.utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
    return String(decoding: letters.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
