extension RecordDraft {
  /// Bytes of one text; receivers take no longer ones.
  package static let textLimit = 4096
  /// Values, texts, foods, channels and extras, each; values and tags together, because facts become tags.
  package static let partLimit = 60
  /// Segments: nights have hundreds of phases.
  package static let segmentLimit = 1000
  /// Points of all channels: what fits an upload of 1 MiB.
  package static let pointLimit = 5000

  /// The record.
  ///
  /// - Parameter name: What it is named by.
  /// - Throws: ``DraftError``, the first fault.
  public func record(named name: RecordName = .random) throws(DraftError) -> Record {
    try checkTime()
    try checkCounts()
    _ = try Self.checked(source.driverID, "source")
    let logID = name.logID
    guard logID.high != 0 || logID.low != 0 else { throw DraftError(.badName, "", "the nil UUID names nothing") }
    let reader = DraftReader(type: type, names: names, keepsImplausible: keepsImplausible)
    let readValues = try reader.values(values, "values")
    let details = RecordDetails(
      segments: try readSegments(reader), series: try series(reader), tags: try checkedTags(),
      extras: try checkedExtras())
    let record = Record(
      logID: logID, identityClass: name.identityClass, type: type, time: time, values: readValues,
      notes: try readTexts(), source: source, origin: origin, details: details)
    let isMeasured = details.series != nil || readValues.contains { Metric.isPrimary($0.metric) }
    guard isMeasured || isOfWords && record.isOfWords else {
      throw DraftError(.noValue, "", "a record needs at least one measured value of its own")
    }
    guard keepsImplausible || !RecordRules.hasExchangedPressures(readValues) else { throw .exchangedPressures }
    return record
  }

  private func checkTime() throws(DraftError) {
    try Self.checkInterval(time.startMicroseconds, time.endMicroseconds, "time")
    guard (time.utcOffsetSeconds == nil) == (time.zoneSource == nil) else {
      throw DraftError(.badTime, "time", "a UTC offset and its source are stated together")
    }
    guard time.utcOffsetSeconds.map({ (-64_800...64_800).contains($0) }) ?? true else {
      throw DraftError(.badTime, "time", "the UTC offset is out of range", allowed: ["-64800...64800"])
    }
  }

  /// The moments that a receiver takes, in the order of time.
  static func checkInterval(_ start: Int64, _ end: Int64, _ place: String) throws(DraftError) {
    guard RecordTime.deliverable.contains(start), RecordTime.deliverable.contains(end) else {
      throw DraftError(.badTime, place, "the time is outside the years 1900 to 9999, and no receiver takes it")
    }
    guard start <= end else { throw DraftError(.badTime, place, "the end lies before the start") }
  }

  private func checkCounts() throws(DraftError) {
    let counts = [
      ("values", values.count, Self.partLimit), ("texts", texts.count, Self.partLimit),
      ("segments", segments.count, Self.segmentLimit), ("tags", values.count + tags.count, Self.partLimit),
      ("extras", extras.count, Self.partLimit), ("channels", channels.count, Self.partLimit),
    ]
    for (place, count, limit) in counts where count > limit {
      throw DraftError(.tooMany, place, "\(count) are too many", allowed: ["0...\(limit)"])
    }
  }

  private func readTexts() throws(DraftError) -> [RecordNote] {
    var result: [RecordNote] = []
    for (index, text) in texts.enumerated() {
      let place = "texts[\(index)]"
      let fields = Metric.all.filter { $0.kind == .text && $0.belongs(to: type) }
      guard let field = fields.first(where: { $0.name == text.field }) else {
        throw DraftError(
          .unknownMetric, place, "\(type.rawValue) has no text of this name", allowed: fields.map(\.name))
      }
      // Notes may be many; the others are properties of the record.
      guard field.name == "note" || !result.contains(where: { $0.field == field.code }) else {
        throw DraftError(.duplicate, place, "\(field.name) is there twice")
      }
      result.append(RecordNote(field: field.code, text: try Self.checked(text.text, place)))
    }
    return result
  }

  private func readSegments(_ reader: DraftReader) throws(DraftError) -> [RecordSegment] {
    var result: [RecordSegment] = []
    for (index, segment) in segments.enumerated() {
      let place = "segments[\(index)]"
      guard [.fitness, .sleep, .nutrition, .routine].contains(type) else {
        throw DraftError(
          .notOfType, place, "\(type.rawValue) has no segments", allowed: ["fitness", "sleep", "nutrition", "routine"])
      }
      guard (segment.startMicroseconds == nil) == (segment.endMicroseconds == nil) else {
        throw DraftError(.badTime, place, "start and end are stated together")
      }
      if let start = segment.startMicroseconds, let end = segment.endMicroseconds {
        try Self.checkInterval(start, end, place)
        guard start >= time.startMicroseconds, end <= time.endMicroseconds else {
          throw DraftError(.badTime, place, "the segment reaches out of its record")
        }
      }
      result.append(
        RecordSegment(
          name: try segment.name.map { name throws(DraftError) in try Self.checked(name, place) },
          startMicroseconds: segment.startMicroseconds, endMicroseconds: segment.endMicroseconds,
          values: try reader.values(segment.values, "\(place).values"), foods: try foods(segment, place, reader)))
    }
    return result
  }

  private func foods(_ segment: Segment, _ place: String, _ reader: DraftReader) throws(DraftError) -> [RecordFood] {
    guard segment.foods.isEmpty || type == .nutrition else {
      throw DraftError(.notOfType, "\(place).foods", "\(type.rawValue) has no foods", allowed: ["nutrition"])
    }
    guard segment.foods.count <= Self.partLimit, segment.values.count <= Self.partLimit else {
      throw DraftError(.tooMany, place, "too many foods or values", allowed: ["0...\(Self.partLimit)"])
    }
    var result: [RecordFood] = []
    for (index, food) in segment.foods.enumerated() {
      let place = "\(place).foods[\(index)]"
      guard (food.servingAmount == nil) == (food.servingUnit == nil) else {
        throw DraftError(.badText, place, "a serving's amount and unit are stated together")
      }
      result.append(
        RecordFood(
          name: try Self.checked(food.name, place),
          brand: try food.brand.map { brand throws(DraftError) in try Self.checked(brand, place) },
          servingAmount: try food.servingAmount.map { amount throws(DraftError) in
            try DraftReader.number(amount, place)
          },
          servingUnit: try food.servingUnit.map { unit throws(DraftError) in try Self.checked(unit, place) },
          values: try reader.values(food.values, "\(place).values")))
    }
    return result
  }

  private func series(_ reader: DraftReader) throws(DraftError) -> RecordSeries? {
    guard type == .intraday || type == .cgm else {
      guard channels.isEmpty, granularity == nil else {
        throw DraftError(
          .notOfType, "channels", "\(type.rawValue) has no series", allowed: ["intraday", "cgm"])
      }
      return nil
    }
    guard !channels.isEmpty else { throw DraftError(.badSeries, "channels", "a series needs points") }
    guard values.isEmpty else {
      throw DraftError(.notOfType, "values", "\(type.rawValue) has series and no single values")
    }
    guard type == .cgm || granularity != nil else {
      throw DraftError(.badSeries, "granularity", "an intraday series states the distance of its points")
    }
    guard channels.reduce(0, { $0 + $1.points.count }) <= Self.pointLimit else {
      throw DraftError(
        .badSeries, "channels", "too many points; split the series by time", allowed: ["1...\(Self.pointLimit)"])
    }
    if let granularity {
      guard granularity.interval >= 1, RecordSeries.Granularity.units.contains(granularity.unit) else {
        throw DraftError(
          .badSeries, "granularity", "no distance of time", allowed: RecordSeries.Granularity.units)
      }
    }
    return RecordSeries(granularity: granularity, channels: try reader.channels(channels, in: time))
  }

  private func checkedTags() throws(DraftError) -> [RecordTag] {
    for (index, tag) in tags.enumerated() {
      _ = try Self.checked(tag.name, "tags[\(index)]")
      _ = try Self.checked(tag.value, "tags[\(index)]")
    }
    return tags
  }

  private func checkedExtras() throws(DraftError) -> [RecordExtra] {
    var names: Set<String> = []
    for (index, extra) in extras.enumerated() {
      let place = "extras[\(index)]"
      guard names.insert(try Self.checked(extra.name, place)).inserted else {
        throw DraftError(.duplicate, place, "an extra of this name is there twice")
      }
      switch extra.value {
      case .text(let text): _ = try Self.checked(text, place)
      // From 2^53 on readers that take numbers as doubles cannot tell neighbours apart.
      case .number(let number) where abs(number.doubleValue) > 9_007_199_254_740_991:
        throw DraftError(.notANumber, place, "the number is too large to be read exactly")
      case .number, .flag: break
      }
    }
    return extras
  }

  private static func checked(_ text: String, _ place: String) throws(DraftError) -> String {
    guard (1...textLimit).contains(text.utf8.count) else {
      throw DraftError(.badText, place, "the text is empty or too long", allowed: ["1...\(textLimit) bytes"])
    }
    // Line feeds and tabs are what people type; anything else below U+0020, and U+007F, is not.
    guard text.unicodeScalars.allSatisfy({ ($0.value >= 0x20 && $0.value != 0x7F) || $0 == "\n" || $0 == "\t" }) else {
      throw DraftError(.badText, place, "the text has control characters")
    }
    return text
  }
}
