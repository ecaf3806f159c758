import CMeterDriver
import MeterDriver

// The User Control Point: the scale sends a user's measurements to who knows that user's code (User Data Service 1.0,
// 3.2.2; Weight Scale Profile 1.0, 4.6).
extension WeightScaleDriver {
  /// The user of the scale whose measurements are read.
  var slot: UInt8? { quirks.guest?.user ?? userSlot }

  mutating func openControlPoint(_ output: inout Output) {
    guard controlHandle != 0 else { return subscribe(&output) }
    guard slot != nil else {
      fail(
        .owner,
        "The scale has several users. Tell the gateway which number you are on the scale (user slot), then read again.",
        &output)
      return
    }
    phase = .openingControlPoint
    output.subscribe(controlHandle, token: Token.controlPoint)
  }

  mutating func controlPointOpened(_ output: inout Output) throws(DriverError) {
    if let guest = quirks.guest { return sendConsent(guest.code, &output) }
    if let stored = try output.stored(ConsentCode.key), let known = ConsentCode(stored: stored) {
      sendConsent(known, &output)
      return
    }
    phase = .askingPerson
    output.ask(
      .passkey,
      "Type the code of your user on the scale, one to four digits. The scale shows it in its user settings or when you step on.",
      lengths: 1...4, isSecret: true, token: Token.question)
  }

  mutating func personAnswered(_ answer: RawSpan, _ status: Int32, _ output: inout Output) {
    guard phase == .askingPerson else { return }
    if status == MH_E_UNSUPPORTED {
      fail(.keyMissing, "The gateway has no code for this scale. Read it once by hand and type its code.", &output)
    } else if status != MH_OK {
      fail(.refused, "Without your code the scale sends nothing. Read it again and type the code.", &output)
    } else if let typed = ConsentCode(digits: answer) {
      sendConsent(typed, &output)
    } else {
      fail(.keyWrong, "The code of a scale has one to four digits. Read it again and type the code.", &output)
    }
  }

  private mutating func sendConsent(_ known: ConsentCode, _ output: inout Output) {
    guard let slot else { return }
    phase = .consenting
    code = known
    output.write(controlHandle, known.request(user: slot), token: Token.consent)
    output.timer(Token.silence, after: WeightScaleDriver.controlPointLimit)
  }

  /// Response values: 1 success, 2 not supported, 3 invalid parameter, 4 operation failed, 5 user not authorised.
  mutating func consentAnswered(_ bytes: RawSpan, _ output: inout Output) throws(DriverError) {
    let response: ControlPointResponse?
    do throws(DecodeError) { response = try ControlPointResponse(bytes) } catch { throw .protocolViolation }
    guard let response, response.request == ControlPointResponse.consent, phase == .consenting else { return }
    output.cancelTimer(Token.silence)
    switch response.value {
    case 1:
      // Kept once the scale has accepted it.
      if let code, quirks.guest == nil { output.store(code.stored, as: ConsentCode.key) }
      code = nil
      if purpose == .pair { finish(&output) } else { subscribe(&output) }
    case 2:
      output.log(.info, "the scale knows no consent, reading without")
      if purpose == .pair { finish(&output) } else { subscribe(&output) }
    case 3:
      fail(
        .owner, subcode: 3, "The scale has no user of this number. Check your number on the scale and read again.",
        &output)
    case 5:
      output.removeStored(ConsentCode.key)
      fail(
        .keyWrong, subcode: 5,
        "The scale does not accept this code for your user. Look the code up on the scale and read it again.", &output)
    default:
      fail(
        .meterError, subcode: Int32(response.value), "The scale could not check your code. Read it again.", &output)
    }
  }

  mutating func consentWritten(_ status: Int32, _ output: inout Output) {
    guard status != 0, phase == .consenting else { return }
    output.cancelTimer(Token.silence)
    fail(.communication, subcode: status, "The scale refused the code for now. Read it again.", &output)
  }
}
