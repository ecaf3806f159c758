import GatewayAPI

extension ConsoleDesk {
  /// The page of drivers.
  func drivers() async throws -> DeskAnswer {
    let offences = try await host.perform(QuarantineListRequest())
    // Without the catalogue the drivers are shown all the same.
    let catalogue = (try? await host.peripherals()) ?? []
    return .page(
      DriversPage(
        try await host.drivers(), catalogue: catalogue, offences: offences, updates: state.updates,
        current: state.conversations[.updating], times: times))
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
    case "install" where id == "updates": return try beginUpdate(fields)
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
            label: "Go back to \(previous)", back: back, heading: "What will be done"))
      }
      return await doing("\(id) went back from version \(seen.clipped).", then: back) {
        try await host.rollBack(package: driver.package ?? id, from: seen)
      }
    default: throw NoSuchPage()
    }
  }

  // MARK: Updates

  /// Installs an offer when a person has said it twice: first after its changes, then to go on.
  private func beginUpdate(_ fields: FormFields) throws -> DeskAnswer {
    let back = PageArea.drivers.path
    guard let package = fields["package"], let version = fields["version"] else { throw BadForm() }
    guard let offer = state.updates?.offers.first(where: { $0.package == package && $0.version == version }) else {
      say(.problem("\(package.clipped) \(version.clipped) is not offered any more.", hint: "Look for updates again."))
      return .redirect(back)
    }
    guard fields["sure"] == "yes" else {
      return .page(
        QuestionPage(
          title: "Install an update?",
          lines: [
            "\(offer.package.clipped) is of version \(offer.installed.clipped) now, and of version \(version.clipped) then.",
            "Its signature is checked, and it is started once, before it is used. The page of drivers leads back to \(offer.installed.clipped).",
          ] + DriversPage.changes(offer), action: "/drivers/updates/install",
          fields: [
            QuestionPage.Field(name: "package", value: package), QuestionPage.Field(name: "version", value: version),
          ], label: "Install \(version.clipped)", back: back, heading: "What will be done"))
    }
    let conversation = Conversation(title: "\(package) \(version)")
    guard state.conversations.begin(conversation, as: .updating) else {
      say(.problem("Another update is being installed. Wait for it."))
      return .redirect(back)
    }
    let (host, state) = (host, state)
    // It goes on while the browser asks how far it is. When the host ends it is given up: what is not installed whole is not installed.
    Task {
      let work = Task { try await host.update(package: package, to: version) { conversation.say($0) } }
      let outcome = await conversation.patience.during {
        work.cancel()
      } _: {
        await work.result
      }
      switch outcome {
      case .success(let warnings):
        for warning in warnings { conversation.say(warning) }
        state.noteInstalled(package, version)
        conversation.finish(.done("\(package.clipped) is of version \(version.clipped) now."))
      case .failure(let error):
        let told = GatewayError.told(error)
        conversation.finish(.problem(told.message, hint: told.hint))
      }
    }
    return .redirect(back)
  }
}
