import GatewayAPI
import Foundation
import InformSink
import MeterCore
import StrictJSON

/// Reads the members of one object of a record document.
struct RecordMembers {
  private let object: JSONElement
  private let document: String
  private let zone: TimeZone
  private let zoneSource: RecordTime.ZoneSource

  init(_ object: JSONElement, name: String, zone: TimeZone, source: RecordTime.ZoneSource = .gateway) {
    self.object = object
    document = name
    self.zone = zone
    zoneSource = source
  }

  // MARK: The record

  func entry() throws(GatewayError) -> RecordDocument.Entry {
    try allow([
      "type", "time", "end", "day", "zone", "log_id", "id", "summary", "origin", "source", "values", "notes", "tags",
      "extras", "segments", "granularity", "channels",
    ])
    let zone = try namedZone()
    let typeName = try required("type")
    guard let type = RecordType(rawValue: typeName) else {
      throw fault(
        "type", "there is no type \(shown(typeName)); \(RecordType.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    let origin = try word("origin", ValueOrigin.self) ?? .manual
    var draft = RecordDraft(type: type, time: try time(zone), source: try source(of: origin), origin: origin)
    draft.names = .inform
    draft.values = try list("values") { members throws(GatewayError) in try members.value() }
    draft.texts = try list("notes") { members throws(GatewayError) in
      try members.allow(["field", "text"])
      return RecordDraft.Text(try members.text("field") ?? "note", try members.required("text"))
    }
    draft.tags = try list("tags") { members throws(GatewayError) in
      try members.allow(["name", "value"])
      return RecordTag(name: try members.required("name"), value: try members.required("value"))
    }
    draft.extras = try extras()
    draft.segments = try list("segments") { members throws(GatewayError) in try members.segment(zone) }
    draft.granularity = try granularity()
    draft.channels = try list("channels") { members throws(GatewayError) in try members.channel(zone) }
    return RecordDocument.Entry(
      draft: draft, name: try name(source: draft.source), receiverID: try text("id"),
      place: "\(document):\(object.position.line):\(object.position.column)")
  }

  private func name(source: RecordSource) throws(GatewayError) -> RecordName {
    if let logID = try text("log_id") {
      guard object.member("summary") == nil else {
        throw fault("summary", "a record has a log_id or a summary, not both")
      }
      guard let logID = LogID(logID) else { throw fault("log_id", "\(shown(logID)) is no UUID") }
      return .given(logID)
    }
    guard let summary = object.member("summary") else { return .random }
    let members = RecordMembers(summary, name: document, zone: zone)
    try members.allow(["kind", "interval"])
    return .summary(
      source: Array((source.deviceID.isEmpty ? "manual" : source.deviceID).utf8), kind: try members.required("kind"),
      interval: try members.required("interval"))
  }

  private func namedZone() throws(GatewayError) -> TimeZone {
    guard let name = try text("zone") else { return zone }
    guard let zone = TimeZone(databaseName: name) else {
      throw fault("zone", "there is no time zone \(shown(name)); they are named like Europe/Berlin")
    }
    return zone
  }

  private func time(_ zone: TimeZone) throws(GatewayError) -> RecordTime {
    // Without a zone of its own the record has that of the session's user, or the gateway's.
    let source = object.member("zone") == nil ? zoneSource : .user
    let (start, end, day) = (try clock("time"), try clock("end"), try text("day"))
    do {
      switch (start, day) {
      case (let start?, nil): return try RecordTime.written(start, to: end, zone: zone, source: source)
      case (nil, let day?) where end == nil: return try RecordTime.day(day, zone: zone, source: source)
      default: throw DraftError(.badTime, "time", "a record has a time, with or without an end, or a day")
      }
    } catch let error as DraftError {
      throw fault(error.place, "\(error.message)" + (error.allowed.first.map { ", such as \($0)" } ?? ""))
    } catch {
      throw fault("time", "\(error)")
    }
  }

  /// What people enter has no device, and is not sent as one's.
  private func source(of origin: ValueOrigin) throws(GatewayError) -> RecordSource {
    var (device, manufacturer, model): (String?, String?, String?)
    if let element = object.member("source") {
      let members = RecordMembers(element, name: document, zone: zone)
      try members.allow(["device_id", "manufacturer", "model"])
      device = try members.text("device_id")
      manufacturer = try members.text("manufacturer")
      model = try members.text("model")
    }
    return RecordSource(
      peripheralID: 0, manufacturer: manufacturer, model: model, deviceID: device ?? "",
      driverID: origin == .manual ? "manual" : "submission",
      driverVersion: GatewayVersion.host)
  }

  // MARK: Its parts

  private func value() throws(GatewayError) -> RecordDraft.Value {
    try allow(["metric", "value", "unit", "qualifier"])
    return RecordDraft.Value(
      try required("metric"), try number("value"), try text("unit"),
      qualifier: try word("qualifier", ValueQualifier.self) ?? .exact)
  }

  private func segment(_ zone: TimeZone) throws(GatewayError) -> RecordDraft.Segment {
    try allow(["name", "start", "end", "values", "foods"])
    return RecordDraft.Segment(
      name: try text("name"), startMicroseconds: try moment("start", zone), endMicroseconds: try moment("end", zone),
      values: try list("values") { members throws(GatewayError) in try members.value() },
      foods: try list("foods") { members throws(GatewayError) in try members.food() })
  }

  private func food() throws(GatewayError) -> RecordDraft.Food {
    try allow(["name", "brand", "serving_amount", "serving_unit", "values"])
    return RecordDraft.Food(
      name: try required("name"), brand: try text("brand"),
      servingAmount: object.member("serving_amount") == nil ? nil : try number("serving_amount"),
      servingUnit: try text("serving_unit"),
      values: try list("values") { members throws(GatewayError) in try members.value() })
  }

  private func granularity() throws(GatewayError) -> RecordSeries.Granularity? {
    guard let element = object.member("granularity") else { return nil }
    let members = RecordMembers(element, name: document, zone: zone)
    try members.allow(["interval", "unit"])
    guard let interval = Int(try members.number("interval")) else {
      throw members.fault("interval", "this is no whole number")
    }
    return RecordSeries.Granularity(interval: interval, unit: try members.required("unit"))
  }

  private func channel(_ zone: TimeZone) throws(GatewayError) -> RecordDraft.Channel {
    try allow(["metric", "unit", "points"])
    return RecordDraft.Channel(
      try required("metric"), unit: try text("unit"),
      points: try list("points") { members throws(GatewayError) in try members.point(zone) })
  }

  private func point(_ zone: TimeZone) throws(GatewayError) -> RecordDraft.Point {
    try allow(["time", "value", "qualifier", "scheduled"])
    guard let time = try moment("time", zone) else { throw fault("time", "it is missing") }
    return RecordDraft.Point(
      time, try number("value"), qualifier: try word("qualifier", ValueQualifier.self) ?? .exact,
      isScheduled: try flag("scheduled"))
  }

  private func extras() throws(GatewayError) -> [RecordExtra] {
    guard let extras = object.member("extras") else { return [] }
    guard extras.kind == .object else { throw fault("extras", "this is \(extras.kind.name); an object is wanted") }
    var result: [RecordExtra] = []
    for (key, value) in extras.members {
      let name = key.asString ?? ""
      if let text = value.kind == .string ? value.asString : nil {
        result.append(RecordExtra(name: name, value: .text(text)))
      } else if let flag = value.asBool {
        result.append(RecordExtra(name: name, value: .flag(flag)))
      } else if let number = value.numeral.flatMap({ ReportedNumber(decimal: $0) }) {
        result.append(RecordExtra(name: name, value: .number(number)))
      } else if value.kind == .number {
        throw fault(
          "extras", "\(shown(name)) is no decimal number of at most 18 digits, 18 places on either side of the point")
      } else {
        throw fault("extras", "\(shown(name)) is \(value.kind.name); a text, a number or a boolean is wanted")
      }
    }
    return result
  }

  // MARK: Members

  private func allow(_ names: Set<String>) throws(GatewayError) {
    guard object.kind == .object else {
      throw RecordDocument.fault("\(place("")) is \(object.kind.name); an object is wanted")
    }
    for (key, _) in object.members {
      guard let name = key.asString, names.contains(name) else {
        throw fault(key.asString ?? "", "no such member is known here; \(names.sorted().joined(separator: ", "))")
      }
    }
  }

  private func list<Part>(
    _ name: String, _ read: (RecordMembers) throws(GatewayError) -> Part
  ) throws(GatewayError) -> [Part] {
    guard let element = object.member(name) else { return [] }
    guard element.kind == .array else { throw fault(name, "this is \(element.kind.name); an array is wanted") }
    var parts: [Part] = []
    for part in element.elements { parts.append(try read(RecordMembers(part, name: document, zone: zone))) }
    return parts
  }

  private func text(_ name: String) throws(GatewayError) -> String? {
    guard let element = object.member(name) else { return nil }
    guard element.kind == .string, let text = element.asString else {
      throw fault(name, "this is \(element.kind.name); a string is wanted")
    }
    return text
  }

  private func required(_ name: String) throws(GatewayError) -> String {
    guard let text = try text(name) else { throw fault(name, "it is missing") }
    return text
  }

  /// A number as it is written: `6.20` has two digits behind the point, and a float would not.
  private func number(_ name: String) throws(GatewayError) -> String {
    guard let element = object.member(name) else { throw fault(name, "it is missing") }
    guard let text = element.numeral ?? (element.kind == .string ? element.asString : nil) else {
      throw fault(name, "this is \(element.kind.name); a number is wanted")
    }
    return text
  }

  private func flag(_ name: String) throws(GatewayError) -> Bool? {
    guard let element = object.member(name) else { return nil }
    guard let flag = element.asBool else { throw fault(name, "this is \(element.kind.name); a boolean is wanted") }
    return flag
  }

  private func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ type: Word.Type
  ) throws(GatewayError) -> Word? {
    guard let text = try text(name) else { return nil }
    guard let word = Word(rawValue: text) else {
      throw fault(name, "there is no \(shown(text)); \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return word
  }

  /// A time as it is written, of a date alone its midnight.
  private func clock(_ name: String) throws(GatewayError) -> String? {
    guard let text = try text(name) else { return nil }
    // `now` is a word of the command line; a document is read again later.
    return text == "now" ? text : MomentText(text)?.timeText ?? text
  }

  private func moment(_ name: String, _ zone: TimeZone) throws(GatewayError) -> Int64? {
    guard let text = try clock(name) else { return nil }
    do throws(DraftError) { return try RecordTime.written(text, zone: zone, source: .user).startMicroseconds } catch {
      guard error.code == .badTime else { throw fault(name, error.message) }
      throw fault(name, "\(shown(text)) is no date and time, such as 2026-03-29T07:00:00Z")
    }
  }

  private func place(_ name: String) -> String {
    let position = (object.member(name) ?? object).position
    let path = object.path + (name.isEmpty ? "" : ".\(shown(name))")
    return "\(document):\(position.line):\(position.column): \(path)"
  }

  private func fault(_ name: String, _ problem: String) -> GatewayError {
    RecordDocument.fault("\(place(name)): \(problem)")
  }
}
