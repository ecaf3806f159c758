import FHIRBundles
import HostPrimitives
import MeterCore
import StrictJSON

/// A patient as a server has them, as far as a person can tell by it whether it is the right one.
struct PatientResource {
  /// The reference to it, such as `Patient/123`.
  let reference: String
  private let root: JSONElement

  /// Nil for what is no patient with an id.
  init?(_ resource: FHIRResource) {
    guard resource.type == "Patient", let id = resource.text("id"), LogicalID.isOne(id) else { return nil }
    (reference, root) = ("Patient/\(id)", resource.root)
  }

  /// Whether the record is one of those that are not to be used any more: inactive, or merged into another one.
  var isOutOfUse: Bool {
    if root.member("active")?.asBool == false { return true }
    return (root.member("link")?.elements ?? []).contains { $0.member("type")?.asString == "replaced-by" }
  }

  /// Whether the patient has an identifier. A server that does not know how to look for one answers with anybody.
  func has(system: String, value: String) -> Bool {
    (root.member("identifier")?.elements ?? []).contains { identifier in
      identifier.member("system")?.asString?.isExactly(system) == true
        && identifier.member("value")?.asString?.isExactly(value) == true
    }
  }

  /// What a person sees, each fit for a terminal.
  func subject() -> SinkSubject {
    var facts = [SinkSubject.Fact("patient", reference), SinkSubject.Fact("name", name ?? "none is told")]
    facts.append(SinkSubject.Fact("birth date", birthDate ?? "none is told"))
    if let gender { facts.append(SinkSubject.Fact("gender", gender)) }
    return SinkSubject(reference: reference, facts: facts, birthDate: birthDate)
  }

  private var birthDate: String? { plain(root.member("birthDate")) }
  private var gender: String? { plain(root.member("gender")) }

  /// The official name, else the usual one, else the first that is not an old one.
  private var name: String? {
    let names = (root.member("name")?.elements ?? []).filter { $0.member("use")?.asString != "old" }
    func first(_ use: String) -> JSONElement? { names.first { $0.member("use")?.asString == use } }
    guard let name = first("official") ?? first("usual") ?? names.first else { return nil }
    if let text = plain(name.member("text")) { return text }
    let parts = (name.member("given")?.elements ?? []) + [name.member("family")].compactMap(\.self)
    let text = parts.compactMap(plain).joined(separator: " ")
    return text.isEmpty ? nil : text
  }

  private func plain(_ element: JSONElement?) -> String? {
    guard let text = element?.asString, !text.isEmpty else { return nil }
    return shown(text, limit: 120)
  }
}

/// What a server has found for a patient's identifier.
enum PatientSearch {
  case found(PatientResource)
  case none
  case several
  /// It is no answer to that question.
  case unclear

  init(_ body: [UInt8], system: String, value: String) {
    guard let bundle = FHIRResource(body), bundle.type == "Bundle", bundle.text("type") == "searchset" else {
      self = .unclear
      return
    }
    var patients: [PatientResource] = []
    for entry in bundle.root.member("entry")?.elements ?? [] {
      if let mode = entry.member("search")?.member("mode")?.asString, mode != "match" { continue }
      guard let resource = FHIRResource(entry.member("resource")), let patient = PatientResource(resource),
        patient.has(system: system, value: value)
      else {
        self = .unclear
        return
      }
      patients.append(patient)
    }
    let hasMore = (bundle.root.member("link")?.elements ?? []).contains { $0.member("relation")?.asString == "next" }
    let total = bundle.root.member("total")?.numeral.flatMap { Int($0) } ?? patients.count
    switch patients.count {
    case 0: self = total == 0 && !hasMore ? .none : .unclear
    case 1 where total == 1 && !hasMore: self = .found(patients[0])
    default: self = .several
    }
  }

  /// What is asked for, behind the server's address.
  static func path(system: String, value: String) -> String {
    "/Patient?" + FHIRQuery.identifier(system, value).replacing("|", with: "%7C")
  }
}
