/// An export.xml as a phone writes it, made of its parts.
struct WrittenExport {
  /// One record. Texts are put in as they are.
  struct Record {
    var type = "HKQuantityTypeIdentifierStepCount"
    var source = "iPhone"
    var unit: String? = "count"
    var value: String? = "1000"
    /// Of 1 March 2026, at +0100.
    var start = "10:00:00"
    var end = "10:10:00"
    /// More attributes, before and behind the others.
    var first = ""
    var last = ""
    /// Children.
    var children = ""

    var text: String {
      var text = " <Record \(first)type=\"\(type)\" sourceName=\"\(source)\""
      if let unit { text += " unit=\"\(unit)\"" }
      text += " creationDate=\"2026-03-01 12:00:00 +0100\" startDate=\"2026-03-01 \(start) +0100\""
      text += " endDate=\"2026-03-01 \(end) +0100\""
      if let value { text += " value=\"\(value)\"" }
      return text + last + (children.isEmpty ? "/>\n" : ">\n\(children) </Record>\n")
    }
  }

  static func metadata(_ key: String, _ value: String) -> String {
    "  <MetadataEntry key=\"\(key)\" value=\"\(value)\"/>\n"
  }

  /// A type definition that lacks a `>`, as phones write it since iOS 16.
  static let brokenDTD = """
    <!DOCTYPE HealthData [
    <!ELEMENT RightEye EMPTY>
    <!ATTLIST RightEye
      sphere CDATA #IMPLIED
    ]>

    """

  static func file(_ body: String, dtd: String = "") -> [UInt8] {
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(dtd)<HealthData locale=\"en_US\">\n"
    let date = " <ExportDate value=\"2026-03-31 22:00:00 +0200\"/>\n"
    return Array((head + date + body + "</HealthData>\n").utf8)
  }

  static func file(_ records: [Record]) -> [UInt8] { file(records.map(\.text).joined()) }

  static let workout = """
     <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30" durationUnit="min" totalDistance="2.0" \
    totalDistanceUnit="km" sourceName="Kim" creationDate="2026-03-30 10:40:00 +0200" \
    startDate="2026-03-30 10:00:00 +0200" endDate="2026-03-30 10:35:00 +0200">
      <MetadataEntry key="HKTimeZone" value="Europe/Berlin"/>
      <MetadataEntry key="HKExternalUUID" value="11111111-2222-3333-4444-555555555555"/>
      <WorkoutEvent type="HKWorkoutEventTypePause" date="2026-03-30 10:10:00 +0200"/>
      <WorkoutEvent type="HKWorkoutEventTypeResume" date="2026-03-30 10:15:00 +0200"/>
      <WorkoutActivity uuid="A" workoutActivityType="HKWorkoutActivityTypeSocialDance" \
    startDate="2026-03-30 10:00:00 +0200" endDate="2026-03-30 10:20:00 +0200" duration="20" durationUnit="min">
       <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" average="1" minimum="1" maximum="1" unit="count/min"/>
      </WorkoutActivity>
      <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" sum="200.5" unit="kcal"/>
      <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" sum="2.5" unit="km"/>
      <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" average="120.5" minimum="80" maximum="160" \
    unit="count/min"/>
     </Workout>

    """

  static let pressure = """
     <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="Cuff" \
    creationDate="2026-03-02 08:00:09 +0200" startDate="2026-03-02 08:00:00 +0200" endDate="2026-03-02 08:00:00 +0200">
      <Record type="HKQuantityTypeIdentifierBloodPressureSystolic" sourceName="Cuff" unit="mmHg" \
    startDate="2026-03-02 08:00:00 +0200" endDate="2026-03-02 08:00:00 +0200" value="120"/>
      <Record type="HKQuantityTypeIdentifierBloodPressureDiastolic" sourceName="Cuff" unit="mmHg" \
    startDate="2026-03-02 08:00:00 +0200" endDate="2026-03-02 08:00:00 +0200" value="80"/>
     </Correlation>

    """

  static let rings = """
     <ActivitySummary dateComponents="2026-03-02" activeEnergyBurned="500.25" activeEnergyBurnedUnit="kcal" \
    appleExerciseTime="31" appleStandHours="12"/>

    """

  /// About 20 kB with everything that an export has.
  static func whole() -> [UInt8] {
    let device = "&lt;&lt;HKDevice: 0x28349235%02d&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch&gt;"
    var body = ""
    for index in 0..<40 {
      let address = device.replacing("%02d", with: "\(10 + index)")
      body +=
        Record(
          source: "Kim\u{2019}s\u{a0}Watch", value: "\(index + 1)", last: " device=\"\(address)\"",
          children: index % 3 == 0 ? metadata("HKMetadataKeySyncIdentifier", "s\(index)") : ""
        ).text
    }
    return file(body + workout + pressure + rings, dtd: brokenDTD)
  }
}
