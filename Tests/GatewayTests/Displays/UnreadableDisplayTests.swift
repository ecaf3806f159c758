import GatewayEngine
import DriverContract
import Foundation
import MeterCore
import MeterDrivers
import MeterOCR
import TestSupport
import Testing

/// More than 300 displays that show no reading of the chosen meter, drawn and then read by the shipped driver: no value
/// from a film, nor from a photograph where one is taken too. Eighteen readers of one bundle work in this process at once.
@Suite(.timeLimit(.minutes(60))) struct UnreadableDisplayTests {
  /// What each type of meter shows for the others.
  private static let shown: [PeripheralType: [String]] = [
    .glucoseMeter: ["106"], .bloodPressure: ["128", "82", "66"], .thermometer: ["98.6"], .weightScale: ["72.4"],
    .pulseOximeter: ["98", "71"],
  ]
  private static let frames = 24

  /// The meter whose layout is looked at, with the reader that all share.
  private struct Chosen {
    let peripheral: OCRPeripheral
    let reader: DisplayReader
    var texts: [String] { UnreadableDisplayTests.shown[peripheral.type] ?? [] }

    func meter(_ content: SyntheticMeter.Scene.Content) -> SyntheticMeter {
      SyntheticMeter(
        layout: peripheral.layout, scenes: [SyntheticMeter.Scene(content, frames: UnreadableDisplayTests.frames)])
    }
  }

  private func chosen() async throws -> [Chosen] {
    let gateway = try GatewayFixture.gateway(.inProcess)
    var all: [Chosen] = []
    for entry in gateway.registry.ocrPeripherals() {
      let reader = try await gateway.drivers.displayReader(for: entry, in: gateway.registry)
      all.append(Chosen(peripheral: try await OCRPeripheral(entry, reader), reader: reader))
    }
    try #require(all.count == 18)
    return all
  }

  /// What a film of these pictures, and one of them as a photograph, give; nil is no value. The rules of all meters, which
  /// are the weakest that the host has. A photograph takes as long as twenty frames.
  private func values(
    _ chosen: Chosen, _ pictures: [GreyImage], _ overlay: ImageBox, isPhotographed: Bool = true
  ) async throws -> (film: [String]?, photograph: [String]?) {
    let (reader, id, rows) = (chosen.reader, chosen.peripheral.id, chosen.peripheral.layout.rows)
    func look(_ image: GreyImage, _ place: ImageBox, isStill: Bool) async throws -> StillVote.Look {
      let reading = try await reader.recognize(
        DisplayFrame(image: image, isStill: isStill, place: .overlay(place)), meter: id)
      let texts = reading.rows.map { $0.state == .text ? $0.text : "" }
      return StillVote.Look(reading, try await reader.interpret(texts, meter: id))
    }
    var convergence = Convergence(rows: rows, rules: ConvergenceRules())
    var film: [String]?
    for (number, image) in pictures.enumerated() {
      let look = try await look(image, overlay, isStill: false)
      let outcome = convergence.add(
        look.reading, verdict: look.verdict, fingerprint: UInt64(number), at: UInt64(number) * 100_000_000)
      if case .agreed(let agreement) = outcome { film = agreement.texts }
    }
    var vote = StillVote(rows: rows)
    if isPhotographed, let picture = pictures.last {
      var looks: [StillVote.Look] = []
      for place in StillVote.places(overlay) { looks.append(try await look(picture, place, isStill: true)) }
      vote.add(looks)
    }
    if case .agreed(let agreement) = vote.outcome { return (film, agreement.texts) }
    return (film, nil)
  }

  /// Every third frame of a drawn meter.
  private func pictures(_ meter: SyntheticMeter, _ change: (inout GreyImage) -> Void = { _ in }) -> [GreyImage] {
    stride(from: 0, to: meter.frameCount, by: 3).compactMap { number in
      guard var picture = meter.frame(number) else { return nil }
      change(&picture)
      return picture
    }
  }

  private func expectNothing(
    _ chosen: Chosen, _ pictures: [GreyImage], _ overlay: ImageBox, _ what: String, isPhotographed: Bool = true
  ) async throws {
    try #require(pictures.count == Self.frames / 3)
    let found = try await values(chosen, pictures, overlay, isPhotographed: isPhotographed)
    #expect(found.film == nil && found.photograph == nil, "\(chosen.peripheral.name), \(what): \(found)")
  }

  /// The overlay of a meter where nobody has moved it, in a picture of 640 x 480, and its rows.
  private func place(_ chosen: Chosen) -> (overlay: ImageBox, rows: [ImageBox]) {
    let layout = chosen.peripheral.layout
    let geometry = OverlayGeometry(aspect: layout.aspect, frame: ViewSize(width: 640, height: 480))
    return (geometry.overlayInFrame, geometry.rowsInFrame(layout))
  }

  @Test func aDisplayOfTheChosenMeterIsRead() async throws {
    for chosen in try await chosen() {
      let found = try await values(chosen, pictures(chosen.meter(.texts(chosen.texts))), place(chosen).overlay)
      #expect(found.film == chosen.texts && found.photograph == chosen.texts, "\(chosen.peripheral.name): \(found)")
    }
  }

  @Test("a display of another type of meter is none of the chosen one") func aDisplayOfAnotherMeter() async throws {
    let all = try await chosen()
    let films = all.map { pictures($0.meter(.texts($0.texts))) }
    var count = 0
    for chosen in all {
      for (other, film) in zip(all, films) where other.peripheral.type != chosen.peripheral.type {
        // Nothing but the person tells a scale in kilograms from a thermometer in Fahrenheit.
        guard (chosen.peripheral.type, other.peripheral.type) != (.weightScale, .thermometer) else { continue }
        count += 1
        try await expectNothing(
          chosen, film, place(chosen).overlay, "a display of \(other.peripheral.name)",
          isPhotographed: count.isMultiple(of: 4))
      }
    }
    #expect(count == 236)
  }

  @Test("a self-test and an empty display are no values") func aSelfTestAndAnEmptyDisplay() async throws {
    for chosen in try await chosen() {
      try await expectNothing(chosen, pictures(chosen.meter(.selfTest)), place(chosen).overlay, "self-test")
      try await expectNothing(chosen, pictures(chosen.meter(.blank)), place(chosen).overlay, "empty")
    }
  }

  @Test("a reflection over a digit of any row leaves no value") func aReflectionOverADigit() async throws {
    for chosen in try await chosen() {
      let (overlay, rows) = place(chosen)
      for (row, box) in rows.enumerated() {
        // Texts stand at the right of their row: this is their last digit.
        let spot = ImageBox(
          x: box.x + box.width - 0.62 * box.height, y: box.y - 0.1 * box.height, width: 0.7 * box.height,
          height: 1.2 * box.height)
        let lit = pictures(chosen.meter(.texts(chosen.texts))) { $0.saturate(spot) }
        try await expectNothing(chosen, lit, overlay, "a reflection over row \(row)")
      }
    }
  }

  @Test("a display that the picture cuts off has no value") func aDisplayThatThePictureCutsOff() async throws {
    for chosen in try await chosen() {
      let (overlay, rows) = place(chosen)
      let box = try #require(rows.first)
      // Through the last digit of the first row.
      let right = Int(box.x + box.width - 0.3 * box.height)
      let cut = pictures(chosen.meter(.texts(chosen.texts))) { $0.cut(toWidth: right) }
      try await expectNothing(chosen, cut, overlay, "cut off")
    }
  }
}

extension GreyImage {
  /// Makes an ellipse as bright as a picture can be.
  fileprivate mutating func saturate(_ box: ImageBox) {
    for y in max(0, Int(box.y))..<min(height, Int(box.y + box.height)) {
      for x in max(0, Int(box.x))..<min(width, Int(box.x + box.width)) {
        let across = (Double(x) - box.x - box.width / 2) / (box.width / 2)
        let down = (Double(y) - box.y - box.height / 2) / (box.height / 2)
        if across * across + down * down <= 1 { pixels[y * width + x] = 255 }
      }
    }
  }

  /// Keeps the columns before `right`.
  fileprivate mutating func cut(toWidth right: Int) {
    let kept = min(max(right, 1), width)
    pixels = (0..<height).flatMap { pixels[($0 * width)..<($0 * width + kept)] }
    width = kept
  }
}
