import MeterCore
import StrictJSON

/// What all observations of a record share.
struct ObservationFrame: Sendable {
  let record: Record
  let subject: FHIRSubject
  let identifierSystem: String
  let identity: EntryIdentity
  /// The places of the meter and the gateway; nil for what no meter has said.
  let devices: (meter: String, gateway: String)?
  /// The place of the comparison of clocks.
  let clock: String?
  /// The place of the main observation.
  let main: String
}

/// Writes one observation.
struct ObservationWriter: Sendable {
  let frame: ObservationFrame

  /// - Parameters:
  ///   - guide: The implementation guide's own identifier, where it has one.
  ///   - isMain: Whether it is the record's main observation, which has the record's name besides.
  func write(
    _ observation: Observation, identifier: String, guide: String?, isMain: Bool, _ json: inout JSONWriter
  ) {
    json.object("resource") { json in
      json.member("resourceType", "Observation")
      json.profiles(profiles(observation))
      if let devices = frame.devices { extensions(devices.gateway, &json) }
      json.array("identifier") { json in
        json.identifier(system: frame.identifierSystem, value: identifier)
        if let guide { json.identifier(system: GuideIdentifier.system, value: guide) }
        if isMain { json.identifier(system: EntryIdentity.logIDSystem, value: frame.record.logID.description) }
      }
      json.member("status", frame.record.flags.contains(.takenBack) ? "entered-in-error" : "final")
      categories(observation, &json)
      json.put("code", observation.code)
      json.put("subject", reference: frame.subject.reference)
      time(&json)
      value(observation, &json)
      if observation.isQuestionable { json.questionable() }
      if !observation.notes.isEmpty {
        json.array("note") { json in for note in observation.notes { json.object { $0.member("text", note) } } }
      }
      device(&json)
      if observation.isContext { json.array("derivedFrom") { $0.put(nil, reference: frame.main) } }
      components(observation, &json)
    }
  }

  private func profiles(_ observation: Observation) -> [String] {
    (frame.devices == nil ? [] : [GuideProfile.url(observation.shape.rawValue)])
      + (observation.vitalSign.map { [$0.profile] } ?? [])
  }

  private func extensions(_ gateway: String, _ json: inout JSONWriter) {
    json.array("extension") { json in
      json.object { json in
        json.member("url", GuideProfile.gatewayReference)
        json.put("valueReference", reference: gateway)
      }
      guard let clock = frame.clock else { return }
      json.object { json in
        json.member("url", GuideProfile.clockReference)
        json.put("valueReference", reference: clock)
      }
    }
  }

  private func categories(_ observation: Observation, _ json: inout JSONWriter) {
    let categories =
      (frame.devices == nil ? [] : [Coding.deviceObservation]) + (observation.isVitalSign ? [.vitalSigns] : [])
    guard !categories.isEmpty else { return }
    json.array("category") { json in for category in categories { json.put(nil, Concept(category)) } }
  }

  private func time(_ json: inout JSONWriter) {
    let time = frame.record.time
    let form = FHIRTime(time)
    guard time.endMicroseconds != time.startMicroseconds else {
      json.member("effectiveDateTime", form.text(time.startMicroseconds))
      return
    }
    json.object("effectivePeriod") { json in
      json.member("start", form.text(time.startMicroseconds))
      json.member("end", form.text(time.endMicroseconds))
    }
  }

  private func value(_ observation: Observation, _ json: inout JSONWriter) {
    switch observation.value {
    case .quantity(let quantity): json.put("valueQuantity", quantity)
    case .concept(let concept): json.put("valueCodeableConcept", concept)
    case .none: break
    }
  }

  /// The meter; of what no meter has said by itself, the display or the watch by its name, where it has one.
  private func device(_ json: inout JSONWriter) {
    if let devices = frame.devices {
      json.put("device", reference: devices.meter)
      return
    }
    let source = frame.record.source
    let name = [source.manufacturer, source.model].compactMap { $0.flatMap(FHIRText.string) }.joined(separator: " ")
    if frame.record.origin == .device, !name.isEmpty { json.object("device") { $0.member("display", name) } }
  }

  private func components(_ observation: Observation, _ json: inout JSONWriter) {
    guard !observation.components.isEmpty else { return }
    json.array("component") { json in
      for component in observation.components {
        json.object { json in
          json.put("code", component.code)
          switch component.value {
          case .quantity(let quantity): json.put("valueQuantity", quantity)
          case .concept(let concept): json.put("valueCodeableConcept", concept)
          case .flag(let flag): json.member("valueBoolean", flag: flag)
          }
          if component.isQuestionable { json.questionable() }
        }
      }
    }
  }
}

extension ObservationWriter {
  /// Writes the comparison of both clocks, for whoever wants to know when the meter's time was.
  func write(_ clock: FHIRMeter.ClockReading, identifier: String, _ json: inout JSONWriter) {
    guard let devices = frame.devices else { return }
    let form = FHIRTime(frame.record.time)
    json.object("resource") { json in
      json.member("resourceType", "Observation")
      json.profiles([GuideProfile.clock])
      json.array("identifier") { $0.identifier(system: frame.identifierSystem, value: identifier) }
      json.member("status", "final")
      // A clock that knows how far it is ahead of UTC is IEEE 11073's base offset time.
      json.put("code", Concept(.mdc(frame.record.time.kind == .civil ? 67975 : 68226)))
      json.put("subject", reference: devices.meter)
      json.member("effectiveDateTime", form.text(clock.hostMicroseconds))
      json.member("valueDateTime", form.text(clock.hostMicroseconds &+ clock.aheadMicroseconds))
      json.put("device", reference: devices.gateway)
    }
  }
}
