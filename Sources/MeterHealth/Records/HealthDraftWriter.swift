import DriverContract
import HostPrimitives
import MeterCore

/// Writes what an export comes to as drafts of records.
struct HealthDraftWriter {
  let result: HealthResult
  let family: HealthFamily
  let driver: String
  let version: String

  // MARK: Days

  func day(_ day: HealthDay) -> HealthRecordDraft? {
    var draft = RecordDraft(type: .routine, time: Self.time(day.day), source: source(nil), origin: .device)
    write(day.metrics, to: &draft)
    draft.texts.append(RecordDraft.Text("category", "daily"))
    if let manual = day.manualSteps, let device = day.deviceSteps {
      draft.extras.append(RecordExtra(name: "manual_steps", value: .number(Self.number(manual))))
      draft.extras.append(RecordExtra(name: "device_steps", value: .number(Self.number(device))))
    }
    return entry(.day, draft, day.identity, day.content)
  }

  func intraday(_ steps: IntradaySteps) -> HealthRecordDraft {
    var draft = RecordDraft(type: .intraday, time: Self.time(steps.day), source: source(nil), origin: .device)
    draft.granularity = RecordSeries.Granularity(interval: Int(IntradaySteps.interval), unit: "min")
    draft.channels = [
      RecordDraft.Channel(
        "steps", unit: "{count}", points: steps.points.map { RecordDraft.Point($0.time, $0.value.description) })
    ]
    return HealthRecordDraft(
      kind: .intraday, draft: draft, name: steps.identity.recordName, alternates: [], content: steps.content,
      sourceKey: "", word: "")
  }

  func nutrition(_ food: DailyNutrition) -> HealthRecordDraft? {
    let last = food.origin.end - 1_000_000
    var draft = RecordDraft(
      type: .nutrition,
      time: RecordTime(
        startMicroseconds: food.origin.start, endMicroseconds: last,
        civilMicroseconds: food.origin.start + Int64(food.origin.utcOffset) * 1_000_000,
        utcOffsetSeconds: food.origin.utcOffset, zoneSource: .user, kind: .civil),
      source: source(food.origin.source), origin: food.origin.isManual ? .manual : .device)
    write(food.metrics, to: &draft)
    draft.texts += [RecordDraft.Text("meal", "Daily nutrition"), RecordDraft.Text("category", "other")]
    let items = food.items.count <= RecordDraft.segmentLimit ? food.items : []
    draft.segments = items.map { item in
      let values = item.metrics.filter { Self.isKnown($0.name, in: .nutrition) }.map(Self.value)
      let name = item.meal.flatMap(Self.text) ?? item.food.flatMap(Self.text)
      return RecordDraft.Segment(
        name: name, startMicroseconds: min(item.start, last), endMicroseconds: min(max(item.start, item.end), last),
        values: values,
        foods: item.meal == nil
          ? [] : item.food.flatMap(Self.text).map { [RecordDraft.Food(name: $0, values: [])] } ?? [])
    }
    return entry(.nutrition, draft, food.identity, food.content, source: food.origin.source)
  }

  // MARK: Nights and workouts

  func sleep(_ session: SleepSession) -> HealthRecordDraft? {
    var draft = RecordDraft(
      type: .sleep, time: Self.time(session.origin), source: source(session.origin.source),
      origin: session.origin.isManual ? .manual : .device)
    write(session.metrics, to: &draft)
    if !session.isMain { draft.tags.append(RecordTag(name: "nap", value: "true")) }
    if session.segments.count <= RecordDraft.segmentLimit {
      draft.segments = session.segments.map {
        RecordDraft.Segment(
          name: Self.name(of: $0.stage), startMicroseconds: $0.start, endMicroseconds: $0.end, values: [])
      }
    }
    return entry(
      .sleep, draft, session.identity, session.content, session.alternates, source: session.origin.source)
  }

  private static func name(of stage: SleepStage) -> String {
    switch stage {
    case .inBed: "in_bed"
    case .asleep, .session: "asleep"
    case .awake: "awake"
    case .core: "light"
    case .deep: "deep"
    case .rem: "rem"
    }
  }

  func workout(_ workout: HealthWorkout) -> HealthRecordDraft? {
    var draft = RecordDraft(
      type: .fitness, time: Self.time(workout.origin), source: source(workout.origin.source),
      origin: workout.origin.isManual ? .manual : .device)
    write(workout.metrics, to: &draft)
    draft.texts = [
      RecordDraft.Text("activity_name", Self.text(workout.name) ?? "Other"),
      RecordDraft.Text("category", workout.category),
    ]
    if workout.segments.count <= RecordDraft.segmentLimit {
      draft.segments = workout.segments.map {
        RecordDraft.Segment(
          name: Self.text($0.name), startMicroseconds: $0.start, endMicroseconds: $0.end, values: [])
      }
    }
    return entry(
      .workout, draft, workout.identity, workout.content, workout.alternates, source: workout.origin.source)
  }

  // MARK: Measurements

  func measurement(_ measurement: HealthMeasurement) -> HealthRecordDraft? {
    guard let type = Self.type(of: measurement) else { return nil }
    var draft = RecordDraft(
      type: type, time: Self.time(measurement.origin), source: source(measurement.origin.source),
      origin: measurement.origin.isManual ? .manual : .device)
    let extras = Self.extras(of: measurement)
    if extras.isEmpty {
      write(measurement.metrics.map(Self.ofDictionary), to: &draft)
      for word in measurement.words where Metric.named(word.name).contains(where: { $0.kind == .code }) {
        draft.values.append(RecordDraft.Value(word.name, word.word))
      }
    } else {
      (draft.extras, draft.isOfWords) = (extras, true)
    }
    return entry(
      .measurement, draft, measurement.identity, measurement.content, measurement.alternates,
      source: measurement.origin.source, word: measurement.metrics.first?.name ?? measurement.words.first?.name ?? "",
      place: measurement.place)
  }

  /// The type of a measurement's record, nil where the dictionary has no metric for any of its values and there are no words.
  static func type(of measurement: HealthMeasurement) -> RecordType? {
    if !extras(of: measurement).isEmpty { return .biometrics }
    let type: RecordType
    switch measurement.kind {
    case .body: type = .weight
    case .glucose: type = .diabetes
    case .vital, .reproductive: type = .biometrics
    }
    return measurement.metrics.contains { isKnown(ofDictionary($0).name, in: type) } ? type : nil
  }

  /// A value as the dictionary has it: a basal rate is told in kJ there.
  private static func ofDictionary(_ metric: HealthMetric) -> HealthMetric {
    guard metric.name == HealthQuantity.basalRate.word, let factor = Fraction(4184, over: 1000),
      let value = metric.value.fraction.multiplied(by: factor)?.rounded(places: 0)
    else { return metric }
    return HealthMetric("basal_metabolism", value, "kJ")
  }

  // MARK: Parts

  private static func isKnown(_ name: String, in type: RecordType) -> Bool {
    Metric.named(name).contains { $0.kind == .quantity && $0.belongs(to: type) }
  }

  private static func value(_ metric: HealthMetric) -> RecordDraft.Value {
    RecordDraft.Value(metric.name, metric.value.description, metric.unit)
  }

  static func number(_ value: HealthDecimal) -> ReportedNumber {
    ReportedNumber(mantissa: value.mantissa, exponent: Int8(clamping: -value.places))
  }

  /// Values that the dictionary knows, and the others as extras.
  private func write(_ metrics: [HealthMetric], to draft: inout RecordDraft) {
    for metric in metrics {
      if Self.isKnown(metric.name, in: draft.type) {
        draft.values.append(Self.value(metric))
      } else {
        draft.extras.append(RecordExtra(name: metric.name, value: .number(Self.number(metric.value))))
      }
    }
  }

  private func entry(
    _ kind: HealthRecordDraft.Kind, _ draft: RecordDraft, _ identity: HealthIdentity, _ content: TracedContent,
    _ alternates: [HealthIdentity] = [], source: Int? = nil, word: String = "", place: HealthIdentity.Place? = nil
  ) -> HealthRecordDraft? {
    guard !draft.values.isEmpty || draft.isOfWords else { return nil }
    return HealthRecordDraft(
      kind: kind, draft: draft, name: identity.recordName, alternates: alternates.map(\.logID), content: content,
      sourceKey: source.flatMap { result.sourceKeys.indices.contains($0) ? result.sourceKeys[$0] : nil } ?? "",
      word: word, place: place)
  }

  private static func time(_ origin: HealthOrigin) -> RecordTime {
    RecordTime(
      startMicroseconds: origin.start, endMicroseconds: origin.end, civilMicroseconds: nil,
      utcOffsetSeconds: origin.utcOffset, zoneSource: origin.hasOwnOffset ? .meter : .user, kind: .utc)
  }

  /// From its first second to its last.
  private static func time(_ day: DayBorders.Day) -> RecordTime {
    RecordTime(
      startMicroseconds: day.start, endMicroseconds: day.end - 1_000_000,
      civilMicroseconds: day.start + Int64(day.utcOffset) * 1_000_000, utcOffsetSeconds: day.utcOffset,
      zoneSource: .user, kind: .civil)
  }

  /// The device of a source; of sums of several sources only the store.
  private func source(_ index: Int?) -> RecordSource {
    let source = index.flatMap { result.sources.indices.contains($0) ? result.sources[$0] : nil }
    let kind = source.map(SourceKey.kind) ?? .other
    let isApple = family == .apple && (source == nil || kind != .other)
    let model: String? =
      switch (isApple, kind) {
      case (true, .watch): "apple watch"
      case (true, .phone): "iphone"
      default: source.flatMap { Self.text($0.name) }
      }
    return RecordSource(
      peripheralID: 0, manufacturer: isApple ? "Apple" : nil, model: model, deviceID: "", driverID: driver,
      driverVersion: version)
  }

  /// A text of an export without control characters, at most 200 characters; nil for an empty one.
  static func text(_ text: String) -> String? {
    let shown = String(
      String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }).prefix(200))
    return shown.isEmpty ? nil : shown
  }
}
