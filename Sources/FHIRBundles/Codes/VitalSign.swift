/// FHIR's own profiles of vital signs, which every server of R4 knows.
enum VitalSign: String, Sendable, Hashable {
  case bloodPressure = "bp"
  case heartRate = "heartrate"
  case respiratoryRate = "resprate"
  case oxygenSaturation = "oxygensat"
  case bodyTemperature = "bodytemp"
  case bodyWeight = "bodyweight"
  case bodyHeight = "bodyheight"
  case bodyMassIndex = "bmi"

  var profile: String { "http://hl7.org/fhir/StructureDefinition/\(rawValue)" }
}
