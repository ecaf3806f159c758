import Foundation
import GatewayAPI
import MeterCore

extension ConsoleDesk {
  /// So many lines a page has at least, if there are as many.
  private static let lines = 50
  /// So many entries of the queue are looked at for a page at most.
  private static let looks = 4000

  // MARK: Lists

  /// A page of the list.
  ///
  /// - Parameters:
  ///   - before: The position in front of which it begins; nil begins with the newest.
  ///   - isHeld: Only what is held, whatever is chosen else.
  func readings(before: Int64?, isHeld: Bool) async throws -> DeskAnswer {
    let filter = isHeld ? ReadingFilter(state: DeliveryState.held.word) : state.with(session) { $0.filter }
    let times = times
    var (items, looked, position, isPaused): ([QueueItem], Int, Int64, Bool) = ([], 0, before ?? .max, false)
    var next: Int64?
    repeat {
      var request = QueueListRequest(before: position, limit: 200)
      request.states = DeliveryState.allCases.filter { $0.word == filter.state }
      let page = try await host.perform(request)
      isPaused = page.paused
      next = page.items.count < 200 ? nil : page.items.last?.position
      for item in page.items {
        // A reading's receivers stay on one page.
        if items.count >= Self.lines, item.position != items.last?.position {
          next = position
          break
        }
        position = item.position
        looked += 1
        if filter.admits(item, times: times) { items.append(item) }
      }
    } while next != nil && items.count < Self.lines && looked < Self.looks
    let isCut = next != nil && items.count < Self.lines
    return .page(
      ReadingsPage(
        items, next: next, isFirst: before == nil, looked: isCut ? looked : nil, filter: filter, isPaused: isPaused,
        isHeld: isHeld, times: times))
  }

  /// Keeps what a person wants to see.
  func filterReadings(_ fields: FormFields) -> DeskAnswer {
    var filter = ReadingFilter()
    if fields["all"] == nil {
      filter.state = fields.filled("state").flatMap { ReadingsPage.stateWords.contains($0) ? $0 : nil }
      filter.type = fields.filled("type").flatMap { ReadingsPage.typeWords.contains($0) ? $0 : nil }
      filter.peripheral = fields.filled("peripheral").flatMap { Int($0) }
      filter.from = fields.filled("from").flatMap(Self.day)
      filter.to = fields.filled("to").flatMap(Self.day)
    }
    let chosen = filter
    state.with(session) { $0.filter = chosen }
    return .redirect(PageArea.readings.path)
  }

  private static func day(_ text: String) -> String? {
    text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) == nil ? nil : text
  }

  /// The charts.
  func charts() async throws -> DeskAnswer {
    let page = try await host.perform(QueueListRequest(before: .max, limit: QueueListRequest.longest))
    return .page(ChartPage(page.items, times: times))
  }

  // MARK: One reading

  /// A reading's page.
  ///
  /// - Parameter seen: The revision that a person has decided about, where it is another one by now.
  func reading(_ name: QueueName, seen: Int? = nil) async throws -> DeskAnswer {
    let all = try await host.perform(QueueShowRequest(name))
    // Readings that came under its log_id have pages of their own. Where it has gone itself, one of them is what there is.
    let shown = all.contains { $0.name == "\(name)" } ? "\(name)" : all.first?.name
    let items = all.filter { $0.name == shown }
    guard !items.isEmpty else { throw NoSuchPage() }
    let pictures = try await host.perform(ImageShowRequest(shown.flatMap { QueueName($0) } ?? name))
    let page = ReadingPage(items, hasPicture: !pictures.isEmpty, seen: seen, times: times)
    return seen == nil ? .page(page) : .refused(page, status: 409)
  }

  /// The picture that a reading was taken from.
  func picture(_ name: QueueName) async throws -> DeskAnswer {
    guard let picture = try await host.perform(ImageShowRequest(name)).first,
      ["image/jpeg", "image/png"].contains(picture.contentType)
    else { throw NoSuchPage() }
    return .picture(mediaType: picture.contentType, bytes: Array(picture.content))
  }

  /// Confirms a reading if it is still what was shown: the host compares.
  func confirm(_ name: QueueName, _ fields: FormFields) async throws -> DeskAnswer {
    let shown = try Self.revision(fields)
    let done: [QueueDecisionRequest.Done]
    do { done = try await host.perform(QueueDecisionRequest(.confirm, [name], revision: shown)) } catch {
      return await doing(nil, then: ReadingRow.path("\(name)")) { throw error }
    }
    guard done.isEmpty else {
      say(.done("Confirmed. It goes to its receivers now."))
      return .redirect("/readings/held")
    }
    if let changed = try await changed(name, since: shown) { return changed }
    say(.problem("This reading cannot be confirmed: nothing was done with it."))
    return .redirect(ReadingRow.path("\(name)"))
  }

  /// Corrects a reading, which waits for a confirmation as before.
  func correct(_ name: QueueName, _ fields: FormFields) async throws -> DeskAnswer {
    let shown = try Self.revision(fields)
    if let changed = try await changed(name, since: shown) { return changed }
    let path = ReadingRow.path("\(name)")
    return await doing("Corrected. Look whether it is right now.", then: path) {
      let values = try fields.beginning("value-").filter { field in fields["was-\(field.name)"] != field.value }.map {
        field in
        let unit = fields["unit-\(field.name)"].map { " \($0)" } ?? ""
        guard let value = WrittenValue("\(field.name)=\(field.value)\(unit)") else {
          throw GatewayError(.usage, code: "not_a_number", "“\(field.value.clipped(to: 60))” is no value")
        }
        return value
      }
      let time = try fields.filled("time").map { text in
        guard let time = MomentText(text) else {
          throw GatewayError(
            .usage, code: "bad_time", "“\(text.clipped(to: 60))” is no time", hint: "write it as 2026-07-01 08:00")
        }
        return time
      }
      _ = try await host.perform(QueueEditRequest(name, values: values, time: time, revision: shown))
    }
  }

  /// Discards a reading when a person has said it twice.
  func discard(_ name: QueueName, _ fields: FormFields) async throws -> DeskAnswer {
    let shown = try Self.revision(fields)
    if let changed = try await changed(name, since: shown) { return changed }
    let path = ReadingRow.path("\(name)")
    guard fields["sure"] == "yes" else {
      let items = try await deliveries(of: name)
      guard items.first?.revision == shown else { return try await reading(name, seen: shown) }
      let what = items.first?.reading.map { ReadingRow.values($0) } ?? "the reading"
      let time = times.text(items.first?.reading?.time, else: "an unknown time")
      return .page(
        QuestionPage(
          title: "Discard a reading?",
          lines: ["\(what), measured at \(time).", "It goes to no receiver, and is thrown away here."],
          action: "\(path)/discard", fields: [QuestionPage.Field(name: "revision", value: "\(shown)")],
          label: "Discard it", back: path))
    }
    return await doing(nil, then: "/readings") {
      let done = try await host.perform(QueueDecisionRequest(.discard, [name], revision: shown))
      say(
        done.isEmpty
          ? .problem("Nothing was discarded: it waits for delivery, has changed, or is gone.") : .done("Discarded."))
    }
  }

  /// Sends a reading again that a receiver has refused.
  func resend(_ name: QueueName, _ fields: FormFields) async throws -> DeskAnswer {
    let shown = try Self.revision(fields)
    if let changed = try await changed(name, since: shown) { return changed }
    return await doing(nil, then: ReadingRow.path("\(name)")) {
      let done = try await host.perform(QueueDecisionRequest(.resubmit, [name], revision: shown))
      say(done.isEmpty ? .problem("Nothing was sent again.") : .done("It is sent again."))
    }
  }

  /// The reading as it is, where it is no longer what a person was shown.
  private func changed(_ name: QueueName, since shown: Int) async throws -> DeskAnswer? {
    guard let now = try await deliveries(of: name).first else { throw NoSuchPage() }
    return now.revision == shown ? nil : try await reading(name, seen: shown)
  }

  /// The deliveries of a reading alone: the host tells of all that came under its log_id, in an order that changes with each content.
  private func deliveries(of name: QueueName) async throws -> [QueueItem] {
    try await host.perform(QueueShowRequest(name)).filter { $0.name == "\(name)" }
  }

  private static func revision(_ fields: FormFields) throws -> Int {
    guard let revision = fields["revision"].flatMap({ Int($0) }) else { throw BadForm() }
    return revision
  }
}

extension ConsoleDesk {
  /// Does what a person has decided about a reading.
  func decide(_ decision: ReadingDecision, _ name: QueueName, _ fields: FormFields) async throws -> DeskAnswer {
    switch decision {
    case .confirm: try await confirm(name, fields)
    case .correct: try await correct(name, fields)
    case .discard: try await discard(name, fields)
    case .resend: try await resend(name, fields)
    }
  }
}

/// What is decided about a reading.
enum ReadingDecision: String, Sendable, Hashable {
  case confirm, correct, discard, resend
}
