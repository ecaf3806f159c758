package import GatewayAPI
import Synchronization

/// The way to the console of this process, for requests: where it listens is known while it does.
package final class ConsoleDoor: Sendable {
  private struct State: Sendable {
    var makeLink: (@Sendable () -> ConsoleLinkRequest.Answer)?
    var problem: String?
  }

  private let state = Mutex(State())

  init() {}

  /// The console listens, and makes links by this.
  package func opened(_ makeLink: @escaping @Sendable () -> ConsoleLinkRequest.Answer) {
    state.withLock { $0 = State(makeLink: makeLink) }
  }

  /// The console does not listen.
  ///
  /// - Parameter problem: Why it does not though it should; nil where none is wanted.
  package func closed(_ problem: String? = nil) { state.withLock { $0 = State(problem: problem) } }

  /// A new link.
  ///
  /// - Throws: ``GatewayError`` with code `console_off`.
  func link() throws(GatewayError) -> ConsoleLinkRequest.Answer {
    let now = state.withLock(\.self)
    if let makeLink = now.makeLink { return makeLink() }
    throw GatewayError(
      .unavailable, code: "console_off", now.problem ?? "no console runs here",
      hint: now.problem == nil ? "start the host with it: `meterhost run --console`" : nil)
  }
}
