/// A browser that has been let in.
struct ConsoleSession: Sendable, Hashable {
  /// What the browser shows with each request. A script cannot read it.
  let cookie: String
  /// Proves that a form comes from a page of ours; a page of another origin cannot read it.
  let formToken: String
}
