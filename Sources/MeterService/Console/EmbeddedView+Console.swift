import GatewayConsole
import GatewayAPI
package import MeterConsole
import MeterOCR

extension EmbeddedView: ConsoleView {}

extension DeskError {
  /// An error of the host as the view tells it.
  package init(describing error: any Error) {
    guard let known = GatewayError(describing: error) else {
      self.init(.failed, code: "failed", message: "\(error)", cause: error)
      return
    }
    let kind: Kind =
      switch known.code {
      case "unknown_peripheral", "unit_not_shown": .notFound
      case FrameSourceError.Code.cameraDenied.rawValue: .cameraDenied
      default: .failed
      }
    self.init(
      kind, code: known.code, message: known.message + (known.hint.map { "; \($0)" } ?? ""), cause: known)
  }
}
