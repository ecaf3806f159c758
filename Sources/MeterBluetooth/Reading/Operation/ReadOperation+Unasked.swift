import DriverContract
import HostPrimitives
import MeterDrivers

extension ReadOperation {
  /// An error as a person can do something about it: where a question could not be asked, that is what has gone wrong, and
  /// neither the meter nor the person has refused anything.
  func explained(_ error: BluetoothError) -> BluetoothError {
    guard let prompt = desk.unasked, !cancellation.isCancelled else { return error }
    let cure = cure(for: prompt)
    guard !error.message.contains(cure) else { return error }
    switch error.code {
    case .keyMissing: return error.retold(.keyMissing, "\(error.message) \(cure)")
    case .cancelled, .pairingFailure:
      let question = prompt.text.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? prompt.text
      return error.retold(
        .answerNeeded,
        "\(plan.peripheral.name) asks a person, and nobody can be asked here: \"\(question)\" \(cure)")
    default: return error
    }
  }

  /// What to do about a question that nobody could be asked.
  private func cure(for prompt: DriverPrompt) -> String {
    let command = "`meterhost \(purpose == .pair ? "pair" : "read") \(plan.peripheral.id)`"
    let byHand = "Run \(command) at a terminal, or give it the answers with --answers FILE"
    guard let name = prompt.keepAs.flatMap(StorageName.credential(namedBy:)) else { return byHand }
    return "\(byHand); or store the key with `meterhost key set \(plan.peripheral.id) \(name)`"
  }
}
