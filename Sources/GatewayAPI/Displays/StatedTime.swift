import MeterCore

/// When a person says that something was measured, as it goes over the control socket. Its words do not grow: the time
/// is handed back as it was answered.
struct StatedTime: Codable {
  private enum Kind: String, CaseIterable {
    case none, civil, utc
    case civilWithOffset = "civil_with_offset"
  }

  private enum Source: String, CaseIterable { case meter, gateway, user }

  private enum CodingKeys: String, CodingKey {
    case kind
    case start = "start_microseconds"
    case end = "end_microseconds"
    case civil = "civil_microseconds"
    case offset = "utc_offset_seconds"
    case source = "zone_source"
  }

  let time: RecordTime

  init(_ time: RecordTime) { self.time = time }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let kind: Kind = try container.word(.kind)
    let source = try container.decodeIfPresent(RequestWord<Source>.self, forKey: .source)?.word
    time = RecordTime(
      startMicroseconds: try container.decode(Int64.self, forKey: .start),
      endMicroseconds: try container.decode(Int64.self, forKey: .end),
      civilMicroseconds: try container.decodeIfPresent(Int64.self, forKey: .civil),
      utcOffsetSeconds: try container.decodeIfPresent(Int.self, forKey: .offset), zoneSource: source.map(Self.source),
      kind: Self.kind(kind))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.name(time.kind).rawValue, forKey: .kind)
    try container.encode(time.startMicroseconds, forKey: .start)
    try container.encode(time.endMicroseconds, forKey: .end)
    try container.encodeIfPresent(time.civilMicroseconds, forKey: .civil)
    try container.encodeIfPresent(time.utcOffsetSeconds, forKey: .offset)
    try container.encodeIfPresent(time.zoneSource?.rawValue, forKey: .source)
  }

  private static func kind(_ kind: Kind) -> RecordTime.Kind {
    switch kind {
    case .none: .none
    case .civil: .civil
    case .utc: .utc
    case .civilWithOffset: .civilWithOffset
    }
  }

  private static func name(_ kind: RecordTime.Kind) -> Kind {
    switch kind {
    case .none: .none
    case .civil: .civil
    case .utc: .utc
    case .civilWithOffset: .civilWithOffset
    }
  }

  private static func source(_ source: Source) -> RecordTime.ZoneSource {
    switch source {
    case .meter: .meter
    case .gateway: .gateway
    case .user: .user
    }
  }
}
