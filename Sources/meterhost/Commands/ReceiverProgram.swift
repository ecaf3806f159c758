import Foundation
import GatewayAPI

/// The receiver's own program, which this one becomes for the commands that are that one's.
enum ReceiverProgram {
  /// Becomes `meterhost-receiver` with these arguments, in the same process.
  ///
  /// - Returns: Why it could not.
  static func become(_ arguments: [String]) -> GatewayError {
    guard let program = places.first(where: { access($0, X_OK) == 0 }) else {
      return GatewayError(
        .unavailable, code: "no_receiver_program",
        "the program meterhost-receiver is not installed at \(places.joined(separator: " or "))",
        hint: "install the package meterhost-receiver")
    }
    let pointers: [UnsafeMutablePointer<CChar>?] = (["meterhost-receiver"] + arguments).map { strdup($0) } + [nil]
    execv(program, pointers)
    return GatewayError(
      .unavailable, code: "no_receiver_program", "\(program) cannot be started: \(String(cString: strerror(errno)))")
  }

  /// Beside this program, or where programs lie that people do not call.
  private static var places: [String] {
    let folder = URL(fileURLWithPath: LocalPlaces.program).deletingLastPathComponent().path
    return ["\(folder)/meterhost-receiver", "\(folder)/../libexec/meterhost/meterhost-receiver"]
  }
}
