import GatewayAPI
import HostPrimitives

/// Answers requests of somebody who has been let in: asks the host, and makes pages of what it says. Each kind of page has an extension.
struct ConsoleDesk: Sendable {
  let host: any ConsoleHost
  let state: ConsoleState
  let session: ConsoleSession

  var times: LocalTimes { state.times }

  /// The next page says this.
  func say(_ notice: PageNotice) { state.with(session) { $0.notice = notice } }

  /// Does something that may be refused: the person reads why on the next page.
  ///
  /// - Parameter done: What the page says when it was done.
  func doing(_ done: String?, then path: String, _ body: () async throws -> Void) async -> DeskAnswer {
    do {
      try await body()
      if let done { say(.done(done)) }
    } catch {
      let told = GatewayError.told(error)
      say(.problem(told.message, hint: told.hint))
    }
    return .redirect(path)
  }

  /// An answer, or nil with the reason among the problems.
  func ask<R: ControlRequest>(_ request: R, _ problems: inout [String]) async -> R.Answer? {
    do { return try await host.perform(request) } catch {
      problems.append(GatewayError.told(error).message)
      return nil
    }
  }
}
