import DriverContract

/// What one frame says about a display, before it is compared with others.
enum FrameSight: Sendable, Hashable {
  /// Every row is empty or was read for certain, and at least one was read.
  case sure([String])
  /// The display could be seen, and was not read for certain.
  case doubtful(NoValueReason)
  /// It could not be seen: says nothing about the reader.
  case hidden(NoValueReason)
  /// It is empty, or all of it is lit: what comes next is another reading.
  case restart(NoValueReason)

  /// - Parameter rows: The layout's.
  init(_ reading: DisplayReading, _ rows: [DisplayRow], _ rules: ConvergenceRules) {
    let states = reading.rows.map(\.state)
    if reading.rows.count != rows.count || rows.isEmpty {
      self = .doubtful(.unreadable)
    } else if reading.advice == .glare || reading.coversRow(rules.glareShare) {
      self = .hidden(.glare)
    } else if let reason = reading.advice.hides {
      self = .hidden(reason)
    } else if states.allSatisfy({ $0 == .empty }) {
      // A display whose every row blinks is dark every second time.
      self = rows.allSatisfy(\.blinks) ? .hidden(.nothingSeen) : .restart(.nothingSeen)
    } else if states.contains(.unreadable) {
      self = states.contains(.text) ? .doubtful(.unreadable) : .restart(.unreadable)
    } else if reading.advice == .align {
      self = .doubtful(.align)
    } else if reading.rows.allSatisfy({ $0.state == .empty || $0.confidence >= rules.floor }) {
      self = .sure(reading.texts)
    } else {
      self = .doubtful(.unsure)
    }
  }

  /// Whether the result has to wait for clear frames.
  var holdsBack: Bool { self == .hidden(.glare) || self == .doubtful(.unreadable) }
}

extension DisplayReading {
  /// The text of every row; empty where there is none.
  var texts: [String] { rows.map { $0.state == .text ? $0.text : "" } }

  /// How sure the least sure of the texts is.
  var leastConfidence: Double { rows.filter { $0.state == .text }.map(\.confidence).min() ?? 0 }

  /// Whether reflections together cover more than a part of some row.
  func coversRow(_ share: Double) -> Bool {
    rows.contains { row in
      guard let box = ImageBox(around: row.corners), box.area > 0 else { return false }
      return glareAreas.reduce(0) { $0 + box.intersection($1).area } > share * box.area
    }
  }
}

extension DisplayAdvice {
  /// Why a frame with this advice shows nothing.
  var hides: NoValueReason? {
    switch self {
    case .blur: .blur
    case .dark: .dark
    case .none, .glare, .align: nil
    }
  }
}

extension [String] {
  /// Whether every digit of every text is an eight: a meter that shows all its segments. Whether it may be a value is for
  /// the driver to say.
  var isSelfTest: Bool {
    let digits = joined().filter { $0 != "." && $0 != "-" && $0 != " " }
    return !digits.isEmpty && digits.allSatisfy { $0 == "8" }
  }

  /// Whether these texts, though a value, are what a display with all segments lit shows: eights, behind a first 1 or not.
  /// Two of them are no display's all.
  var mayBeSelfTest: Bool {
    let digits = joined().filter(\.isNumber)
    let eights = digits.first == "1" ? digits.dropFirst() : digits[...]
    return eights.count > 2 && eights.allSatisfy { $0 == "8" }
  }

  /// The texts without their points. What differs in the point alone is one display, read right or ten times wrong.
  var withoutPoints: [String] { map { $0.filter { $0 != "." } } }
}
