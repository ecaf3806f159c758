/// A page with a sentence: what was refused, or is not there.
struct MessagePage: ConsolePage {
  static let template = PageTemplate.message
  static let area: PageArea? = nil
  let title: String
  let text: String
  let hint: String?
}

/// The page on which a password is typed.
struct LoginPage: ConsolePage {
  static let template = PageTemplate.login
  static let area: PageArea? = nil
  let title = "Open the console"
  /// Why the last try was refused.
  let problem: String?
  let hasPassword: Bool
}

/// A question before something is done.
struct QuestionPage: ConsolePage {
  static let template = PageTemplate.question
  static let area: PageArea? = nil

  struct Field: Sendable {
    let name: String
    let value: String
  }

  let title: String
  /// What is about to happen, a sentence a line.
  let lines: [String]
  /// Where the answer goes.
  let action: String
  let fields: [Field]
  /// The button's words.
  let label: String
  /// Where to go instead.
  let back: String
  /// What stands over it.
  var heading = "This cannot be undone"
}
