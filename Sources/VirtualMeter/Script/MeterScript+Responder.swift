import BluetoothWire

extension MeterScript {
  /// How a meter behaves whose questions and answers stand in the script.
  public struct Responder: Sendable {
    /// What it answers; the first exchange that fits a question counts.
    var exchanges: [Exchange]
    /// How many readings its answers bring, beside those of the records.
    package var readings: Int

    /// A question and what comes of it.
    struct Exchange: Sendable {
      enum Trigger: Sendable {
        /// A value that is written.
        case write(BluetoothUUID, BytePattern)
        /// A subscription.
        case subscribe(BluetoothUUID)
      }

      /// What a person calls it.
      var name: String
      var trigger: Trigger
      /// The exchange of the same connection that must have come before it; nil: none.
      var after: String?
      var answers: [Answer]
      /// What the client must write next to the same characteristic; nil: anything.
      var expected: BytePattern?
      /// Whether a client that never asks has done something wrong.
      var isRequired: Bool
      /// Records that are gone then.
      var deletion: Selection?
      /// Whether everything has been said with the last answer.
      var ends: Bool
    }

    /// One value that the meter sends.
    struct Answer: Sendable {
      var characteristic: BluetoothUUID
      var value: BytePattern
      /// Milliseconds behind the question or the answer before it.
      var afterMilliseconds: Int
      /// Once for each of these records; nil: once.
      var records: Selection?
      /// The meter still settles the value: it is no reading yet.
      var isSettling: Bool
      /// The value is measured now and kept nowhere.
      var isLive: Bool
    }

    /// Which records.
    enum Selection: Sendable, Equatable {
      case all
      /// The one whose place in the memory, from 0 for the oldest on, the question names.
      case at(String)
    }

    /// Every characteristic that is asked or answers, with what it must be able to do.
    var needs: [(uuid: BluetoothUUID, property: CharacteristicProperties)] {
      exchanges.flatMap { exchange -> [(uuid: BluetoothUUID, property: CharacteristicProperties)] in
        let asked: (uuid: BluetoothUUID, property: CharacteristicProperties) =
          switch exchange.trigger {
          case .write(let uuid, _): (uuid, [.write, .writeWithoutResponse])
          case .subscribe(let uuid): (uuid, [.notify, .indicate])
          }
        return [asked] + exchange.answers.map { ($0.characteristic, [.notify, .indicate]) }
      }
    }
  }
}

extension MeterScript.Responder {
  static let keys = ["kind", "writes_to", "answers_on", "exchanges", "readings"]
  private static let most = 1000

  init(_ object: ScriptObject) throws {
    let places = ResponderPlaces(
      writes: try object.optional("writes_to"), answers: try object.optional("answers_on"))
    let written: [WrittenExchange] = try object.required("exchanges")
    guard !written.isEmpty, written.count <= Self.most else {
      throw object.invalid("exchanges", "needs 1 to \(Self.most) exchanges")
    }
    exchanges = try written.enumerated().map { try $0.element.exchange(places, place: $0.offset, of: object) }
    readings =
      try object.int("readings", in: 0...100_000) ?? exchanges.flatMap(\.answers).count { $0.isLive && !$0.isSettling }
    for exchange in exchanges {
      guard let after = exchange.after, !exchanges.contains(where: { $0.name == after }) else { continue }
      throw object.invalid("exchanges", "“\(exchange.name)” comes after “\(after)”, which there is not")
    }
  }
}

/// Where questions go and answers come from when an exchange does not say.
private struct ResponderPlaces {
  let writes: BluetoothUUID?
  let answers: BluetoothUUID?
}

private struct WrittenExchange: Decodable {
  let object: ScriptObject

  init(from decoder: any Decoder) throws {
    object = try ScriptObject(
      decoder, allowed: ["name", "on", "after", "answer", "expect", "required", "delete", "ends"])
  }

  func exchange(
    _ places: ResponderPlaces, place: Int, of whole: ScriptObject
  ) throws -> MeterScript.Responder.Exchange {
    let on: WrittenQuestion = try object.required("on")
    var known: Set<String> = []
    let trigger: MeterScript.Responder.Exchange.Trigger
    if let subscribed = on.subscribe {
      trigger = .subscribe(subscribed)
    } else {
      guard let characteristic = on.characteristic ?? places.writes else {
        throw object.invalid("on", "names no characteristic; add one, or writes_to for all exchanges")
      }
      let pattern = try question(on.value ?? "", "on")
      known = pattern.names
      trigger = .write(characteristic, pattern)
    }
    let deletion = try object.optional("delete", as: String.self).map { try selection($0, known, "delete") }
    let written: [WrittenAnswer] = try object.list("answer")
    let expected = try object.optional("expect", as: String.self).map { try question($0, "expect") }
    if expected != nil, on.subscribe != nil {
      throw object.invalid("expect", "is what is written next to the characteristic of the question; there is none")
    }
    return .init(
      name: try object.optional("name") ?? "exchange \(place + 1)", trigger: trigger,
      after: try object.optional("after"),
      answers: try written.map { answer in try answer.answer(places, known, self) }, expected: expected,
      isRequired: try object.optional("required") ?? false, deletion: deletion,
      ends: try object.optional("ends") ?? false)
  }

  private func question(_ text: String, _ key: String) throws -> BytePattern {
    let pattern = try pattern(text, key)
    if let problem = pattern.problemAsQuestion { throw object.invalid(key, problem) }
    return pattern
  }

  func pattern(_ text: String, _ key: String) throws -> BytePattern {
    do throws(BytePattern.Problem) { return try BytePattern(text) } catch { throw object.invalid(key, error.words) }
  }

  func selection(_ word: String, _ known: Set<String>, _ key: String) throws -> MeterScript.Responder.Selection {
    guard word != "all" else { return .all }
    guard known.contains(word) else {
      throw object.invalid(key, "“\(word)” is neither “all” nor a name that the question keeps")
    }
    return .at(word)
  }
}

/// A question as it is written: a pattern alone, or an object.
private struct WrittenQuestion: Decodable {
  var characteristic: BluetoothUUID?
  var value: String?
  var subscribe: BluetoothUUID?

  init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      value = text
      return
    }
    let object = try ScriptObject(decoder, allowed: ["characteristic", "value", "subscribe"])
    subscribe = try object.optional("subscribe")
    characteristic = try object.optional("characteristic")
    value = try object.optional("value")
    guard (subscribe == nil) != (value == nil) else {
      throw object.invalid("value", "write either a value that is written or a characteristic that is subscribed to")
    }
  }
}

/// An answer as it is written: a value alone, or an object.
private struct WrittenAnswer: Decodable {
  let value: String
  var object: ScriptObject?

  init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      value = text
      return
    }
    let object = try ScriptObject(
      decoder, allowed: ["characteristic", "value", "after_ms", "record", "settling", "live"])
    value = try object.required("value")
    self.object = object
  }

  func answer(
    _ places: ResponderPlaces, _ known: Set<String>, _ exchange: WrittenExchange
  ) throws -> MeterScript.Responder.Answer {
    let pattern = try exchange.pattern(value, "answer")
    if let problem = pattern.problemAsAnswer(known: known) { throw exchange.object.invalid("answer", problem) }
    guard let characteristic = try object?.optional("characteristic") ?? places.answers else {
      throw exchange.object.invalid("answer", "names no characteristic; add one, or answers_on for all exchanges")
    }
    let records = try object?.optional("record", as: String.self).map { try exchange.selection($0, known, "answer") }
    guard records != nil || !pattern.needsRecord else {
      throw exchange.object.invalid("answer", "has a {record}; say which with “record”: “all”, or a name")
    }
    return .init(
      characteristic: characteristic, value: pattern,
      afterMilliseconds: try object?.int("after_ms", in: 0...600_000) ?? 0, records: records,
      isSettling: try object?.optional("settling") ?? false, isLive: try object?.optional("live") ?? false)
  }
}
