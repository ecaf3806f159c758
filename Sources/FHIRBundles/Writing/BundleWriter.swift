import MeterCore
import StrictJSON

/// Writes the transaction of a record, entry by entry.
///
/// Devices are created where the server has none with their identifier. An observation's first revision is created likewise; a
/// later one takes the place of what is there, so that one gateway's first revision never takes back what another one knows by now.
struct BundleWriter: Sendable {
  let plan: RecordPlan
  let record: Record
  let meter: FHIRMeter?
  let gateway: FHIRGateway
  let subject: FHIRSubject
  let identifierSystem: String

  func bundle() -> FHIRBundle {
    let identity = EntryIdentity(record, of: subject)
    let identifiers = plan.observations.enumerated().map { identity.value(of: $0.element, isMain: $0.offset == 0) }
    let gatewayIdentifier = EntryIdentity.identifier(of: gateway)
    let meterIdentifier = meter?.identifier
    let frame = ObservationFrame(
      record: record, subject: subject, identifierSystem: identifierSystem, identity: identity,
      devices: meterIdentifier.map { (EntryIdentity.url($0), EntryIdentity.url(gatewayIdentifier)) },
      clock: meter?.clock.map { _ in identity.url(identity.clock) }, main: identity.url(identifiers[0]))
    let guide = meter.flatMap { GuideIdentifier(record, $0, subject) }?.values(of: plan.observations)
    let writer = ObservationWriter(frame: frame)
    var count = 0
    var main = 0
    var json = JSONWriter(capacity: 4_096)
    json.object { json in
      json.member("resourceType", "Bundle")
      json.member("type", "transaction")
      json.array("entry") { json in
        if let meter, let meterIdentifier {
          device(meterIdentifier, &json) { DeviceWriter.write(meter, of: record, &$0) }
          device(gatewayIdentifier, &json) { DeviceWriter.write(gateway, &$0) }
          count += 2
          if let clock = meter.clock {
            observation(identity.clock, identity, &json) { writer.write(clock, identifier: identity.clock, &$0) }
            count += 1
          }
        }
        main = count
        for (place, planned) in plan.observations.enumerated() {
          let identifier = identifiers[place]
          observation(identifier, identity, &json) {
            writer.write(planned, identifier: identifier, guide: guide?[place], isMain: place == 0, &$0)
          }
          count += 1
        }
      }
    }
    return FHIRBundle(json: json.bytes, mainEntry: main, mainIdentifier: identifiers[0], entryCount: count)
  }

  private func device(
    _ identifier: FHIRDeviceIdentifier, _ json: inout JSONWriter, _ resource: (inout JSONWriter) -> Void
  ) {
    json.object { json in
      json.member("fullUrl", EntryIdentity.url(identifier))
      resource(&json)
      json.create("Device", FHIRQuery.identifier(identifier.system, identifier.value))
    }
  }

  private func observation(
    _ identifier: String, _ identity: EntryIdentity, _ json: inout JSONWriter,
    _ resource: (inout JSONWriter) -> Void
  ) {
    let query = FHIRQuery.identifier(identifierSystem, identifier)
    json.object { json in
      json.member("fullUrl", identity.url(identifier))
      resource(&json)
      if record.revision > 1 { json.update("Observation", query) } else { json.create("Observation", query) }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func create(_ type: String, _ query: String) {
    object("request") { json in
      json.member("method", "POST")
      json.member("url", type)
      json.member("ifNoneExist", query)
    }
  }

  fileprivate mutating func update(_ type: String, _ query: String) {
    object("request") { json in
      json.member("method", "PUT")
      json.member("url", "\(type)?\(query)")
    }
  }
}
