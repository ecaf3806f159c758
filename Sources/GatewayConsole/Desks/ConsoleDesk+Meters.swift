import GatewayAPI
import Synchronization

extension ConsoleDesk {
  /// The page of meters.
  func meters(sort: String?) async throws -> DeskAnswer {
    let order = sort.flatMap { MetersPage.Order(rawValue: $0) } ?? .name
    let meters = try await host.perform(MetersListRequest())
    let search = state.with(session) { $0.search }
    // What is told beside the list does not keep it back.
    let surroundings = MetersPage.Surroundings(
      catalogue: (try? await host.peripherals()) ?? [], passive: try? await host.perform(PassiveShowRequest()),
      radios: try? await host.perform(RadioShowRequest()))
    return .page(
      MetersPage(meters, search: search, order: order, heard: state.heard, beside: surroundings, times: times))
  }

  /// One meter's page, the list as a file, or the pairing that is under way.
  func meterPart(_ name: String) async throws -> DeskAnswer {
    let meters = try await host.perform(MetersListRequest())
    if name == "meters.csv" {
      return .download(
        name: "meters.csv", mediaType: "text/csv; charset=utf-8", bytes: Array(MeterTable.csv(meters).utf8))
    }
    if name == "pairing" { return try await pairing() }
    guard let meter = meters.first(where: { $0.uuid == name }) else { throw NoSuchPage() }
    let passive = try? await host.perform(PassiveShowRequest())
    return .page(MeterPage(meter, entry: try await entry(meter.peripheral), passive: passive, times: times))
  }

  private func entry(_ id: UInt32?) async throws -> PeripheralDescription? {
    guard let id else { return nil }
    return try await host.peripherals().first {
      $0.id == id && $0.kind == MeterPictureName.Catalogue.bluetooth.rawValue
    }
  }

  /// A picture of the catalogue.
  func drawing(_ name: MeterPictureName) async throws -> DeskAnswer {
    guard let picture = try await host.picture(name) else { throw NoSuchPage() }
    return .drawing(picture)
  }

  /// Searches, listens, pairs, or forgets.
  func actOnMeters(_ name: String, _ action: String, _ fields: FormFields) async throws -> DeskAnswer {
    switch (name, action) {
    case ("list", "find"):
      let search = (fields.filled("search") ?? "").clipped(to: 100)
      state.with(session) { $0.search = search }
      return .redirect(PageArea.meters.path)
    case ("air", "listen"): return await listen()
    case ("pairing", "begin"): return try await beginPairing(fields)
    case ("pairing", "answer"):
      guard let asked = fields["question"] else { throw BadForm() }
      if state.conversations[.pairing]?.answer(asked, fields["answer"]) != true {
        say(.problem("This question does not wait any more."))
      }
      return .redirect("/meters/pairing")
    case ("pairing", "cancel"):
      state.conversations[.pairing]?.patience.end()
      return .redirect("/meters/pairing")
    case (let uuid, "forget"): return try await forget(uuid, fields)
    default: throw NoSuchPage()
    }
  }

  private func listen() async -> DeskAnswer {
    await doing(nil, then: PageArea.meters.path) {
      let found = Mutex<[String: SightingDescription]>([:])
      let partner = ControlPartner<ScanTelling>(patience: Patience()) { telling in
        switch telling {
        case .heard(let device), .found(let device):
          // A neighbourhood may be full of them.
          found.withLock { if $0.count < 200 || $0[device.address] != nil { $0[device.address] = device } }
        case .listening, .over, .unknown: break
        }
      }
      var request = ScanRequest()
      request.timeout = 8
      try await host.converse(request, with: partner)
      state.heard = found.withLock { Array($0.values) }
    }
  }

  private func forget(_ uuid: String, _ fields: FormFields) async throws -> DeskAnswer {
    let path = "/meters/\(uuid)"
    guard let meter = try await host.perform(MetersListRequest()).first(where: { $0.uuid == uuid }) else {
      throw NoSuchPage()
    }
    guard fields["sure"] == "yes" else {
      return .page(
        QuestionPage(
          title: "Forget a meter?",
          lines: [
            "\(meter.name.clipped), \(meter.peripheralName?.clipped ?? "of an unknown kind")",
            "Its bond, its keys, its owner and its settings go. To be read again it has to be paired again.",
            "Readings of it stay.",
          ], action: "\(path)/forget", fields: [], label: "Forget it", back: path))
    }
    return await doing("The meter is forgotten.", then: PageArea.meters.path) {
      _ = try await host.perform(MetersForgetRequest(uuid))
    }
  }

  // MARK: Pairing

  private func pairing() async throws -> DeskAnswer {
    guard let conversation = state.conversations[.pairing] else { return .redirect(PageArea.meters.path) }
    let entry = try await entry(state.pairing)
    return .page(PairingPage(title: conversation.title, shown: conversation.shown, entry: entry))
  }

  private func beginPairing(_ fields: FormFields) async throws -> DeskAnswer {
    guard let id = fields.filled("peripheral").flatMap({ UInt32($0) }) else {
      say(.problem("Which kind of meter is it? Name its number in the catalogue."))
      return .redirect(PageArea.meters.path)
    }
    guard let entry = try await entry(id) else {
      say(.problem("The catalogue has no meter \(id).", hint: "`meterhost peripherals list` shows the numbers"))
      return .redirect(PageArea.meters.path)
    }
    let conversation = Conversation(title: "Pair \(entry.name)")
    guard state.conversations.begin(conversation, as: .pairing) else {
      say(.problem("Another meter is being paired. End that first."))
      return .redirect("/meters/pairing")
    }
    state.pairing = id
    var request = PairRequest(peripheral: id)
    request.allow = fields.filled("address").map { [$0] }
    request.answersQuestions = true
    let (wanted, host) = (request, host)
    // It goes on while the browser asks how far it is, and ends by itself or when the person gives up.
    Task {
      let partner = ControlPartner<ReadTelling>(patience: conversation.patience) { telling in
        conversation.say(Self.words(telling))
      } ask: { question in
        await conversation.ask(question)
      }
      do {
        try await host.converse(wanted, with: partner)
        conversation.finish(.done("The pairing is over. The list of meters shows whether it is paired."))
      } catch {
        let told = GatewayError.told(error)
        conversation.finish(.problem(told.message, hint: told.hint))
      }
    }
    return .redirect("/meters/pairing")
  }

  private static func words(_ telling: ReadTelling) -> String {
    switch telling {
    case .warning(let text): text
    case .read(let event): event.text ?? event.kind.rawValue.replacing("_", with: " ")
    case .delivery(let delivery, _): "\(delivery.delivered) delivered"
    }
  }
}
