import CMeterDriver

/// What a person is asked for (`MH_ASK_*`).
public enum Question: Int32 {
  /// Decimal digits: a passkey, a consent code. Lengths count digits; the answer is their ASCII text.
  case passkey = 1
  /// Hexadecimal digits, handed over and kept as bytes. Lengths count digits.
  case hexKey = 2
  /// The text of a QR code, scanned or typed. Lengths count bytes.
  case qrCode = 3
  /// One of several answers: the prompt's lines after the first. The answer is its number from 1, one byte.
  case choice = 4
}

extension Output {
  /// Asks the person. Answer: `userInput` with this token; status 0, `MH_E_DENIED` when they refused, or
  /// `MH_E_UNSUPPORTED` when nobody can be asked (passive reading).
  ///
  /// - Parameters:
  ///   - prompt: What to ask for and where the person finds it.
  ///   - lengths: How short and how long the answer may be.
  ///   - isSecret: The answer is not shown while it is typed and goes into no log.
  ///   - name: Where the host keeps the answer instead of handing it over: `credential/NAME`, or a key under
  ///     `user/secret/` or `meter/secret/`. Nil: the answer comes with the event.
  public mutating func ask(
    _ question: Question, _ prompt: StaticString, lengths: ClosedRange<Int>, isSecret: Bool = false,
    keepAs name: StaticString? = nil, token: UInt64
  ) {
    var action = mh_action()
    action.kind = MH_DO_ASK_USER
    action.token = token
    action.code = question.rawValue
    action.flags = isSecret ? UInt16(MH_ASK_SECRET) : 0
    action.arg = UInt64(clamping: lengths.lowerBound)
    action.arg2 = UInt64(clamping: lengths.upperBound)
    action.text = prompt.contractText
    var bytes: [UInt8] = []
    if let name { for index in 0..<name.utf8CodeUnitCount { bytes.append(name.utf8Start[index]) } }
    append(action, bytes)
  }
}
