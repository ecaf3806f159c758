/// Why a display was looked at and no value came of it. The raw value is stable and stands in `--json` output.
public enum NoValueReason: String, Sendable, Hashable, CaseIterable {
  /// Light was reflected over the digits.
  case glare
  /// The picture was not sharp.
  case blur
  /// The display was not in the overlay.
  case align
  /// There was too little light.
  case dark
  /// Something was there that is no text: cut off, covered, or a self-test.
  case unreadable
  /// The display was empty.
  case nothingSeen = "nothing_seen"
  /// The camera gave the same picture again and again.
  case frozen
  /// What was read was not sure enough.
  case unsure
  /// A row that has to be there was missing.
  case incomplete
  /// The display showed something else than a reading.
  case notAValue = "not_a_value"
  /// The display went on changing, or was read differently from frame to frame.
  case changing
  /// The display is not of the chosen meter.
  case wrongMeter = "wrong_meter"
  /// The meter shows its other unit.
  case otherUnit = "other_unit"
  /// Two photographs show different readings.
  case contradicting
  /// The camera gave no picture.
  case noFrames = "no_frames"
  /// The pictures ended before enough of them agreed.
  case tooFewFrames = "too_few_frames"

  /// What happened and what to do, for people.
  public var message: String {
    switch self {
    case .glare: "light is reflected over the digits; tilt the meter or move the lamp"
    case .blur: "the picture is not sharp; hold still, or move until it is in focus"
    case .align: "the display is not where it is looked for; bring it into the overlay"
    case .dark: "there is too little light; switch on a lamp"
    case .unreadable: "the digits cannot be read; bring all of the display into the overlay, without anything over it"
    case .nothingSeen: "the display is empty; switch the meter on or recall its reading"
    case .frozen:
      "the camera gives the same picture again and again; close other programs that use it, or unplug it once"
    case .unsure: "the digits could not be read for certain; come nearer, with light from the side, and hold still"
    case .incomplete: "a line of the display is missing; bring all of it into the overlay and wait for the result"
    case .notAValue: "the display shows no reading; wait until the meter shows its result"
    case .changing: "the display was read differently from frame to frame; wait for the result and hold still"
    case .wrongMeter: "no display of the chosen meter shows this; choose the meter that it is"
    case .otherUnit: "the meter shows its other unit; choose that unit"
    case .contradicting: "the pictures show different readings; give pictures of one reading"
    case .noFrames: "the camera gives no pictures; unplug it once, or choose another one"
    case .tooFewFrames: "the pictures ended too early; hold the meter before the camera for longer"
    }
  }
}
