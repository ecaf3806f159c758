import GatewayAPI

extension ConsoleDesk {
  /// The page of drivers.
  func drivers() async throws -> DeskAnswer {
    let offences = try await host.perform(QuarantineListRequest())
    // Without the catalogue the drivers are shown all the same.
    let catalogue = (try? await host.peripherals()) ?? []
    return .page(
      DriversPage(
        try await host.drivers(), catalogue: catalogue, offences: offences, updates: state.updates, times: times))
  }

  /// Does something with a driver.
  func actOnDriver(_ id: String, _ action: String, _ fields: FormFields) async throws -> DeskAnswer {
    let back = PageArea.drivers.path
    switch action {
    case "look" where id == "updates":
      return await doing(nil, then: back) { state.updates = try await host.perform(DriverUpdateCheckRequest()) }
    case "automatic" where id == "updates":
      let isOn = fields["on"] == "yes"
      return await doing(isOn ? "Updates are installed by themselves." : "Nothing is installed by itself.", then: back)
      {
        _ = try await host.perform(DriverUpdateAutoRequest(automatic: isOn))
        state.updates = try await host.perform(DriverUpdateCheckRequest())
      }
    case "release":
      return await doing("\(id) is used again.", then: back) {
        _ = try await host.perform(QuarantineLiftRequest(driver: id))
      }
    case "rollback":
      guard let driver = try await host.drivers().first(where: { $0.id == id }), let previous = driver.previous else {
        throw NoSuchPage()
      }
      // The version that the question was about: an answer that comes twice, or after an update, must not lead forward again.
      guard fields["sure"] == "yes", let seen = fields["from"] else {
        return .page(
          QuestionPage(
            title: "Go back to an earlier driver?",
            lines: [
              "\(id) is of version \(driver.version) now, and of version \(previous) then.",
              "Signature and libraries are checked again. Going back once more leads to \(driver.version).",
            ], action: "/drivers/\(id)/rollback", fields: [.init(name: "from", value: driver.version)],
            label: "Go back to \(previous)", back: back))
      }
      return await doing("\(id) went back from version \(seen.clipped).", then: back) {
        try await host.rollBack(package: driver.package ?? id, from: seen)
      }
    default: throw NoSuchPage()
    }
  }
}
