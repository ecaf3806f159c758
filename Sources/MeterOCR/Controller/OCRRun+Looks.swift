import DriverContract
import HostPrimitives

extension OCRRun {
  /// Looks at one frame of a camera or film.
  func lookAtFrame(_ frame: CapturedFrame, _ geometry: OverlayGeometry, _ number: Int) async {
    let overlay = geometry.overlayInFrame
    do throws(DriverFault) {
      let look = try await look(frame, overlay)
      guard ended == nil else { return }
      framesLookedAt += 1
      let outcome = convergence.add(
        look.reading, verdict: look.verdict, fingerprint: FrameFingerprint.of(frame.image, area: overlay),
        at: frame.moment)
      show(look.reading, frame, geometry, number, outcome.objection)
      switch outcome {
      case .agreed(let agreement): await complete(agreement, OCRSight(frame: frame, geometry: geometry))
      case .noValue(let reason): finish(without: reason)
      case .looking, .wrongMeter, .otherUnit: break
      }
    } catch { finish(.failed(.driver(error))) }
  }

  /// Looks at one photograph several times.
  func lookAtPhotograph(_ frame: CapturedFrame, _ geometry: OverlayGeometry, _ number: Int) async {
    var looks: [StillVote.Look] = []
    do throws(DriverFault) {
      for overlay in StillVote.places(geometry.overlayInFrame) {
        let look = try await look(frame, overlay)
        guard ended == nil else { return }
        if looks.isEmpty { show(look.reading, frame, geometry, number, look.verdict.objection) }
        looks.append(look)
      }
    } catch { return finish(.failed(.driver(error))) }
    framesLookedAt += 1
    let outcome = vote.add(looks)
    // The picture that goes with the reading is one that shows it.
    let sight = OCRSight(frame: frame, geometry: geometry)
    if case .agreed = outcome { photograph = sight } else { photograph = photograph ?? sight }
  }

  private func look(_ frame: CapturedFrame, _ overlay: ImageBox) async throws(DriverFault) -> StillVote.Look {
    let reading = try await recogniser.recognize(
      DisplayFrame(image: frame.image, isStill: frame.isStill, place: .overlay(overlay)), meter: peripheral.id)
    guard ended == nil, reading.rows.contains(where: { $0.state == .text }) else {
      return StillVote.Look(reading, .incomplete)
    }
    // Texts that nobody will believe are not worth the driver's time; a photograph's are all counted.
    let sight = FrameSight(reading, peripheral.layout.rows, rules)
    guard frame.isStill || sight == .sure(reading.texts), reading.rows.count == peripheral.layout.rows.count else {
      return StillVote.Look(reading, .incomplete)
    }
    return StillVote.Look(
      reading, try await recogniser.interpret(reading.texts, meter: peripheral.id, unit: options.unit))
  }

  private func show(
    _ reading: DisplayReading, _ frame: CapturedFrame, _ geometry: OverlayGeometry, _ number: Int,
    _ objection: NoValueReason?
  ) {
    // The view may have got another size meanwhile.
    let view = place.view
    partials.send(
      OCRPartial(
        text: reading.texts.joined(separator: "\n"),
        glareAreas: reading.glareAreas.map { view?.toPreview($0) ?? $0 }, advice: reading.advice, objection: objection,
        unitToChoose: objection == .otherUnit ? peripheral.otherUnit(than: options.unit) : nil,
        progress: (convergence.agreeing, rules.agreeing),
        crop: frame.crop(geometry.rowsInFrame(peripheral.layout)), overlayFrame: view?.overlayFrame ?? .zero,
        number: number))
  }

  // MARK: - Reading

  /// The driver has the last word on the texts (rule R17).
  func complete(_ agreement: DisplayAgreement, _ sight: OCRSight) async {
    let verdict: DisplayVerdict
    do throws(DriverFault) {
      verdict = try await recogniser.interpret(agreement.texts, meter: peripheral.id, unit: options.unit)
    } catch { return finish(.failed(.driver(error))) }
    guard case .valid(let records) = verdict, !records.isEmpty else {
      let fault = DriverFault(
        .brokeRule, driver: peripheral.name, rule: "R17",
        message: "the same texts were a reading before and are none now; report the driver")
      return finish(.failed(.driver(fault)))
    }
    finish(.completed(reading(agreement, records, sight)))
  }

  /// Whether a person has to say that it is right: the reader is in doubt, or what it read may be something else.
  private func isUnsure(_ agreement: DisplayAgreement) -> Bool {
    agreement.confidence < options.holdBelow || agreement.texts.mayBeSelfTest
      || (options.unit == nil && peripheral.needsStatedUnit)
  }

  private func reading(
    _ agreement: DisplayAgreement, _ records: [DriverRecord], _ sight: OCRSight
  ) -> OCRReading {
    let (frame, geometry, layout) = (sight.frame, sight.geometry, peripheral.layout)
    let metadata = OCRMetadata(
      frame: frame.picture, overlayFrame: place.overlayFrame,
      overlayInFrame: frame.inPicture(geometry.overlayInFrame), confidence: agreement.confidence,
      agreeing: agreement.looks, framesLookedAt: framesLookedAt, damagedPictures: damaged.count,
      isPhotograph: frame.isStill, moment: options.now(), isClockSynchronized: options.isClockSynchronized)
    return OCRReading(
      id: id, peripheralID: peripheral.id, unit: options.unit,
      rows: zip(layout.rows, agreement.texts).map { OCRReadingRow(role: $0.role, readText: $1, text: $1) },
      crop: frame.crop(geometry.rowsInFrame(layout)), metadata: metadata,
      isUnsure: isUnsure(agreement), interpreted: records)
  }
}

/// A frame, and where the overlay lay in it when it was looked at.
struct OCRSight: Sendable {
  var frame: CapturedFrame
  var geometry: OverlayGeometry
}

extension Convergence.Outcome {
  /// What is wrong with the display itself.
  var objection: NoValueReason? {
    switch self {
    case .wrongMeter, .noValue(.wrongMeter): .wrongMeter
    case .otherUnit, .noValue(.otherUnit): .otherUnit
    case .looking, .agreed, .noValue: nil
    }
  }
}

extension DisplayVerdict {
  /// What is wrong with the display itself.
  var objection: NoValueReason? {
    switch self {
    case .wrongMeter: .wrongMeter
    case .otherUnit: .otherUnit
    case .valid, .incomplete, .notAValue: nil
    }
  }
}
