package import GatewayAPI

/// The running host as the console sees it: what its control interface does for commands, it does for pages.
package protocol ConsoleHost: Sendable {
  /// Has a request performed.
  ///
  /// - Throws: Anything that ``GatewayError/init(describing:)`` can put into words.
  func perform<R: ControlRequest>(_ request: R) async throws -> R.Answer

  /// Holds a conversation to its end.
  func converse<C: ControlConversation>(_ conversation: C, with partner: ControlPartner<C.Event>) async throws

  /// The drivers that are installed, as `driver list` shows them.
  func drivers() async throws -> [InstalledDriver]

  /// The catalogue of meters that speak over the radio and of those whose display is read, as `peripherals list` shows it.
  func peripherals() async throws -> [PeripheralDescription]

  /// A picture of the catalogue, read and checked now; nil where the entry has none on this machine.
  func picture(_ name: MeterPictureName) async throws -> CataloguePicture?

  /// What the doctor finds now. It starts every driver once, and takes a while.
  func examine() async -> [ConsoleFinding]

  /// The support file without private data, as `doctor --report` writes it.
  func supportFile() async throws -> String

  /// Fetches and installs the version of a driver's package that a source offers, as `driver update` does.
  ///
  /// - Parameters:
  ///   - version: The version that a person has seen: when another one is offered by now, nothing is installed.
  ///   - tell: Takes each step, for people.
  /// - Returns: What a person has to know of it beside.
  func update(
    package: String, to version: String, tell: @escaping @Sendable (String) -> Void
  ) async throws -> [String]

  /// Puts a package of a driver back to the version before it, as `driver rollback --from` does.
  ///
  /// - Parameter version: The version that the person has seen in use; when another one is, nothing changes.
  func rollBack(package: String, from version: String) async throws

  /// Whether a text is the console's password; nil where none is set.
  func isPassword(_ text: String) async -> Bool?

  /// Whether a password is set.
  var hasPassword: Bool { get }

  /// The version of the program.
  var version: String { get }

  /// A folder of the state folder for what is uploaded, until it is imported; only the host's user reads it.
  var uploadFolder: String { get }
}

/// One thing that the doctor looked at.
package struct ConsoleFinding: Sendable, Hashable {
  /// What came of it.
  package enum Status: String, Sendable, Hashable {
    case passed, warning, failed
  }

  package var check: String
  package var status: Status
  package var message: String
  /// What to do; nil when there is nothing to do.
  package var cure: String?

  package init(check: String, status: Status, message: String, cure: String? = nil) {
    (self.check, self.status, self.message, self.cure) = (check, status, message, cure)
  }
}
