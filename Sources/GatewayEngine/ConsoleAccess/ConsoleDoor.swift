package import GatewayAPI
import HostPrimitives
import Synchronization

/// The way to the console of this process, for requests: where it listens is known while it does.
package final class ConsoleDoor: Sendable {
  private struct State: Sendable {
    var makeLink: (@Sendable () -> ConsoleLinkRequest.Answer)?
    var closeVisits: (@Sendable () -> Void)?
    var problem: String?
    /// Settled when it is known whether the console that is expected listens; nil where none is.
    var opening: FirstOutcome<Void>?
  }

  private let state = Mutex(State())

  init() {}

  /// A console is about to listen: who asks for a link waits for it.
  package func expect() { state.withLock { $0 = State(opening: FirstOutcome()) } }

  /// The console listens, makes links by this, and closes itself in every browser by that.
  package func opened(
    _ makeLink: @escaping @Sendable () -> ConsoleLinkRequest.Answer, closeVisits: @escaping @Sendable () -> Void
  ) {
    become(State(makeLink: makeLink, closeVisits: closeVisits))
  }

  /// Closes the console in every browser, if it listens.
  func closeVisits() { state.withLock(\.closeVisits)?() }

  /// The console does not listen.
  ///
  /// - Parameter problem: Why it does not though it should; nil where none is wanted.
  package func closed(_ problem: String? = nil) { become(State(problem: problem)) }

  private func become(_ next: State) {
    let opening = state.withLock { state in
      defer { state = next }
      return state.opening
    }
    opening?.settle(())
  }

  /// A new link.
  ///
  /// - Throws: ``GatewayError`` with code `console_off`.
  func link() async throws(GatewayError) -> ConsoleLinkRequest.Answer {
    await state.withLock(\.opening)?.value
    let now = state.withLock(\.self)
    if let makeLink = now.makeLink { return makeLink() }
    throw GatewayError(
      .unavailable, code: "console_off", now.problem ?? "no console runs here",
      hint: now.problem == nil ? "start the host with it: `meterhost run --console`" : nil)
  }
}
