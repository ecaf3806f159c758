import MeterBluetooth

/// The radios of the machine.
extension Doctor {
  func examineBluetooth() async -> DoctorFinding {
    let survey = await AdapterSurvey.look()
    if let problem = survey.problem {
      let isRefused = problem.code == .noPermission
      return finding(
        "bluetooth", isRefused ? .failed : .warning, problem.message,
        cure: Self.cure(of: problem) ?? Self.virtualRadio)
    }
    guard !survey.adapters.isEmpty else {
      return finding(
        "bluetooth", .warning, "no Bluetooth adapter",
        cure: "plug one in (Bluetooth 4.0 or later); \(Self.virtualRadio)")
    }
    let problems = survey.adapters.compactMap(\.problem)
    let usable = survey.adapters.filter { $0.problem == nil }
    let names = usable.map { "\($0.name) (\($0.address ?? "no address"))" }.joined(separator: ", ")
    let keeper = survey.hasDaemon ? "bluetoothd runs the adapters and keeps their bonds" : "bonds are kept here"
    guard let worst = problems.first else { return finding("bluetooth", .passed, "\(names); \(keeper)") }
    guard usable.isEmpty else {
      return finding("bluetooth", .warning, "\(names) can be used; \(worst.message)")
    }
    return finding("bluetooth", .failed, worst.message, cure: Self.cure(of: worst))
  }

  private static let virtualRadio = "virtual meters are read without one, with --air"

  private static func cure(of problem: BluetoothError) -> String? {
    switch problem.code {
    case .noPermission: "docs/bluetooth.md shows a systemd unit that gives the rights"
    default: nil
    }
  }
}
