import MeterCore

/// One observation of a record, as a value: what is written, without the devices and the time that all of a record share.
struct Observation: Sendable {
  /// A number in a unit of UCUM, with the digits that were reported.
  struct Quantity: Sendable {
    let number: ReportedNumber
    let ucum: String
    /// `>` or `<` where the meter could only say that much.
    let comparator: String?
  }

  enum Value: Sendable {
    case quantity(Quantity)
    case concept(Concept)
    /// Its components say it.
    case none
  }

  /// A part of an observation.
  struct Component: Sendable {
    enum Value: Sendable {
      case quantity(Quantity)
      case concept(Concept)
      case flag(Bool)
    }

    let code: Concept
    let value: Value
    var isQuestionable = false
  }

  /// The profiles of the implementation guide, for what a meter said.
  enum Shape: String, Sendable {
    case numeric = "PhdNumericObservation"
    case compound = "PhdCompoundNumericObservation"
    case coded = "PhdCodedEnumerationObservation"
    case bits = "PhdBitsEnumerationObservation"
  }

  /// What it is of, by the dictionary's name: a part of its identity.
  let name: String
  let shape: Shape
  let code: Concept
  let value: Value
  var components: [Component] = []
  var vitalSign: VitalSign?
  var isVitalSign = false
  var isQuestionable = false
  /// Whether it says something about the main observation, and nothing without it.
  var isContext = false
  var notes: [String] = []

  /// The term of IEEE 11073-10101, which the guide's own identifier is made of.
  var term: String? { code.codings.first { $0.system == Coding.mdc(0).system }?.code }

  /// The terms that say in which way it was measured.
  var modalities: [String] {
    components.compactMap { component in
      if case .concept(let concept) = component.value { concept.codings.first?.code } else { nil }
    }
  }
}
