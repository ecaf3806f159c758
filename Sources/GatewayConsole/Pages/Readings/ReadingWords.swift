import GatewayAPI

/// Words of the queue as people read them.
enum ReadingWords {
  /// A state of delivery.
  static func state(_ word: String) -> String {
    switch word {
    case "pending": "waits for delivery"
    case "in_flight": "is being sent"
    case "delivered": "delivered"
    case "held": "held: waits for a person"
    case "dead": "refused by the receiver"
    case "excluded": "not sent"
    default: word.clipped
    }
  }

  /// Why it is held, refused or excluded: the stable word, without underscores.
  static func reason(_ word: String?) -> String {
    guard let word else { return "" }
    return switch word {
    case "no_session": "read without a session: nobody knows whose it is"
    case "implausible_value": "a value is outside what a person can have"
    case "beyond_range": "a value is beyond what the meter can measure"
    case "unlike_weight": "unlike the weights before: somebody else may have stood on the scale"
    case "questionable_value": "the meter itself doubts a value"
    case "clock_in_future": "the meter's clock is ahead: the time lies in the future"
    case "clock_suspect": "the meter's clock was set or lost, so that the time may be wrong"
    case "host_clock_unsynchronized": "the gateway's own clock was not set when it was read"
    case "unknown_owner": "nobody knows which user of the meter it belongs to"
    case "identity_collision": "it came under the id of another reading"
    case "taken_back": "the meter or the person has taken it back"
    case "driver_asks": "the driver asks for a person's look"
    case "awaiting_confirmation": "somebody asked to confirm before it is sent"
    case "not_asked_for": "it was read along with others and not asked for"
    case "unknown_metric": "it holds a metric that this version does not know"
    case "not_deliverable": "no receiver has a form for it"
    case "control_solution": "measured with control solution: never a person's value"
    default: word.replacing("_", with: " ").clipped
    }
  }

  /// A metric's name.
  static func metric(_ name: String) -> String { name.replacing("_", with: " ").clipped }

  /// A value without its unit: the number with the digits that were reported, the word of a code, or what a status says.
  static func number(_ value: ReadingDescription.Value) -> String {
    if let word = value.word { return coded(word) }
    return StatusWords.text(metric: value.metric, number: value.reported) ?? value.reported.clipped
  }

  /// The dictionary's word for a code.
  static func coded(_ word: String) -> String { word.replacing("_", with: " ").clipped }

  /// A unit as people write it.
  static func unit(_ ucum: String) -> String {
    switch ucum {
    case "1": ""
    case "mm[Hg]": "mmHg"
    case "Cel": "°C"
    case "[degF]": "°F"
    case "[lb_av]": "lb"
    case "[in_i]": "in"
    case "/min": "per minute"
    case "{INR}": "INR"
    default: ucum.clipped
    }
  }
}
