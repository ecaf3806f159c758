import HostPrimitives
import MeterDrivers

@testable import MeterHealth

/// An export.xml that a test puts together, as a phone writes it: every date has the one offset that the phone had then.
///
/// Times are told as ``Export`` takes them, `01 10:00` of March 2026 or with a date before it, on a clock that is an hour ahead of UTC.
struct AppleDocument {
  /// How far the phone's clock was ahead of UTC when it wrote the file, in hours.
  var hours: Int64 = 1
  /// When it wrote it.
  var exported = "2026-03-31 21:00:00"
  /// What stands before the root.
  var prologue = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  private(set) var body = ""

  private static let categories: [String: String] = [
    "SleepAnalysis": "HKCategoryValueSleepAnalysis", "AppleStandHour": "HKCategoryValueAppleStandHour",
    "MindfulSession": "HKCategoryValue",
  ]

  /// A time as the phone writes it.
  func date(_ text: String) -> String {
    let moment = CivilMoment(microseconds: Export.time(text) + (hours - 1) * 3_600_000_000).text(.none)
    return moment.split(separator: "T").joined(separator: " ") + (hours < 10 ? " +0\(hours)00" : " +\(hours)00")
  }

  /// An element's type in full: `StepCount` is `HKQuantityTypeIdentifierStepCount`.
  static func type(_ name: String) -> String {
    (categories[name] == nil ? "HKQuantityTypeIdentifier" : "HKCategoryTypeIdentifier") + name
  }

  /// One record. A word of a category is told without its prefix.
  mutating func record(
    _ type: String, _ source: String, _ start: String, _ end: String? = nil, _ value: String, unit: String? = nil,
    device: String? = nil, created: String? = nil, metadata: [(String, String)] = []
  ) {
    body += Self.indented(
      element(type, source, start, end, value, unit: unit, device: device, created: created, metadata: metadata))
  }

  /// A record as text, for what stands in another element.
  func element(
    _ type: String, _ source: String, _ start: String, _ end: String? = nil, _ value: String, unit: String? = nil,
    device: String? = nil, created: String? = nil, metadata: [(String, String)] = []
  ) -> String {
    let isWord = value.first?.isLetter == true
    let value = (isWord ? Self.categories[type] ?? "" : "") + value
    var text = "<Record type=\"\(Self.type(type))\" sourceName=\"\(source)\""
    if let device { text += " device=\"\(device)\"" }
    if let unit { text += " unit=\"\(unit)\"" }
    text += " creationDate=\"\(date(created ?? end ?? start))\" startDate=\"\(date(start))\""
    text += " endDate=\"\(date(end ?? start))\" value=\"\(value)\""
    guard !metadata.isEmpty else { return text + "/>" }
    return text + ">"
      + metadata.map { "<MetadataEntry key=\"\($0.0)\" value=\"\($0.1)\"/>" }.joined() + "</Record>"
  }

  /// A workout with what stands in it, and further attributes.
  mutating func workout(
    _ activity: String, _ source: String, _ start: String, _ end: String, attributes: String = "",
    _ children: String = ""
  ) {
    body += Self.indented(
      "<Workout workoutActivityType=\"HKWorkoutActivityType\(activity)\" sourceName=\"\(source)\" \(attributes) "
        + "startDate=\"\(date(start))\" endDate=\"\(date(end))\">\(children)</Workout>")
  }

  /// A pressure as a cuff's program writes it: a correlation, and its two records beside it.
  mutating func pressure(_ source: String, _ time: String, _ high: String, _ low: String, isLinked: Bool = true) {
    let parts = [("BloodPressureSystolic", high), ("BloodPressureDiastolic", low)].map {
      element($0.0, source, time, nil, $0.1, unit: "mmHg")
    }
    if isLinked {
      let times = "startDate=\"\(date(time))\" endDate=\"\(date(time))\""
      body += Self.indented(
        "<Correlation type=\"HKCorrelationTypeIdentifierBloodPressure\" sourceName=\"\(source)\" \(times)>"
          + parts.joined() + "</Correlation>")
    }
    for part in parts { body += Self.indented(part) }
  }

  /// Anything.
  mutating func add(_ text: String) { body += Self.indented(text) }

  private static func indented(_ text: String) -> String { " \(text)\n" }

  /// The file.
  var bytes: [UInt8] {
    Array(
      (prologue + "<HealthData locale=\"en_US\">\n <ExportDate value=\"\(date(exported))\"/>\n" + body
        + "</HealthData>\n").utf8)
  }

  /// The file in an archive as the Health app makes it.
  var archive: [UInt8] { StoredZip([.init(name: "apple_health_export/export.xml", content: bytes)]).bytes }

  /// What the real driver and the merging make of it.
  func read(zone: String = "Europe/Berlin") async throws -> HealthResult {
    try await ImportStage.shared.get().read(bytes, zone: zone).result
  }
}

extension ImportStage {
  /// One in this process for the many tests that only ask what an export comes to.
  static let shared = Result { try ImportStage(.inProcess) }
}

extension HealthResult {
  /// A metric of the only night or nap; `-` without one, or with several.
  func night(_ metric: String) -> String { sleep.count == 1 ? sleep[0].metrics[metric] : "-" }

  /// A metric of the only workout.
  func workout(_ metric: String) -> String { workouts.count == 1 ? workouts[0].metrics[metric] : "-" }

  /// Everything that an import names.
  var identities: Set<HealthIdentity> {
    Set(
      days.map(\.identity) + sleep.map(\.identity) + workouts.map(\.identity) + measurements.map(\.identity)
        + nutrition.map(\.identity))
  }
}
