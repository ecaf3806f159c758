import DriverContract
import MeterCore
import MeterDrivers

extension Check {
  /// Rule R17, the draft of displays: layouts, readings and verdicts, asked of whatever a camera and a person may show.
  static let displays: [Check] = [
    display(
      "layouts", "Every meter has a layout that keeps the contract, and its overlay is an asset.",
      mend: "compare with mh_ocr_layout in meterhost/draft/ocr.h, and list the overlay in the entry's assets"
    ) { context, reader, meters in
      for meter in meters {
        context.trace.begin("", "layout(\(meter.id))")
        _ = try await reader.layout(meter: meter.id)
      }
      return .passed
    },
    display(
      "unknown-meter", "A meter that is not the driver's is refused.",
      mend: "answer MH_E_NOT_FOUND in layout to every id that is not in your table"
    ) { context, reader, _ in
      for id in [0, .max] as [UInt32] {
        context.trace.begin("", "layout(\(id))")
        do {
          _ = try await reader.layout(meter: id)
          return .failed("it has a layout for the meter \(id), which nobody has defined")
        } catch let fault as DriverFault where fault.code == .refused {
          continue
        }
      }
      return .passed
    },
    display(
      "frames", "Frames of any size, with the overlay anywhere, are read within the contract.",
      mend: "clip every box to the frame, and give confidences and corners that are numbers"
    ) { context, reader, meters in
      for meter in meters {
        var seed = Seed(context.seed)
        for frame in DisplayFrame.strange(&seed) {
          context.trace.begin("", "recognize(\(meter.id)): \(frame.image.width) x \(frame.image.height)")
          _ = try await reader.recognize(frame, meter: meter.id)
        }
      }
      return .passed
    },
    display(
      "nothing", "A frame on which nothing is shown holds no reading.",
      mend: "say that a row without contrast is empty or unreadable"
    ) { context, reader, meters in
      for meter in meters {
        for grey in [0, 128, 255] as [UInt8] {
          context.trace.begin("", "recognize(\(meter.id)): all of it \(grey)")
          let reading = try await reader.recognize(.flat(grey), meter: meter.id)
          let texts = reading.rows.map { $0.state == .text ? $0.text : "" }
          context.trace.begin("", "interpret(\(meter.id)): \(texts)")
          if case .valid = try await reader.interpret(texts, meter: meter.id) {
            return .failed("it reads \(texts) where there is nothing")
          }
        }
      }
      return .passed
    },
    display(
      "again", "The same frame is read the same again.",
      mend: "let recognize depend on the frame and the meter alone; who remembers frames is the host"
    ) { context, reader, meters in
      for meter in meters {
        var seed = Seed(context.seed)
        let frames = DisplayFrame.strange(&seed)
        var first: [DisplayReading] = []
        for frame in frames { first.append(try await reader.recognize(frame, meter: meter.id)) }
        for (frame, reading) in zip(frames, first).reversed() {
          context.trace.begin("", "recognize(\(meter.id)): \(frame.image.width) x \(frame.image.height) again")
          guard try await reader.recognize(frame, meter: meter.id) == reading else {
            return .failed("the same frame was read in another way the second time")
          }
        }
      }
      return .passed
    },
    display(
      "texts", "Any texts are judged, in every unit, and the same twice; without any text there is no reading.",
      mend: "look at the form and the range of every text before it becomes a number, and keep nothing"
    ) { context, reader, meters in
      for meter in meters {
        let rows = try await reader.layout(meter: meter.id).rows
        var seed = Seed(context.seed)
        var cases = [rows.map { _ in "" }]
        cases += (0..<200).map { _ in rows.map { seed.text(of: $0.characters) } }
        let units = [nil] + meter.units.compactMap { MetricUnit.withUCUM($0)?.code }
        for unit in units {
          for texts in cases {
            context.trace.begin("", "interpret(\(meter.id), unit \(unit.map { "\($0)" } ?? "default")): \(texts)")
            let verdict = try await reader.interpret(texts, meter: meter.id, unit: unit)
            guard try await reader.interpret(texts, meter: meter.id, unit: unit) == verdict else {
              return .failed("the same texts were judged in another way the second time")
            }
            if case .valid = verdict, texts.allSatisfy(\.isEmpty) {
              return .failed("it reads a value without any text")
            }
          }
        }
      }
      return .passed
    },
    Check(
      .r17, "pictures", "Broken files of pictures are refused, and what was encoded is decoded to its size.",
      mend: "check every length of a file before it is used, and refuse what is above the limits before there is room",
      needs: [.image]
    ) { context in
      let codec = try await ImageCodec.open(
        host: context.host, bundle: context.subject.bundle, entry: context.subject.entry)
      do {
        let verdict = try await pictures(context, codec)
        await codec.close()
        return verdict
      } catch {
        await codec.close()
        // A picture that was refused is the driver's affair here: it was its own, or harmless.
        if case ImageCodecError.fault(let fault) = error { throw fault }
        return .failed("\(error)")
      }
    },
  ]

  /// A check that needs an open reader; it is closed again.
  private static func display(
    _ name: String, _ title: String, mend: String,
    _ body: @escaping @Sendable (CheckContext, DisplayReader, [Peripheral]) async throws -> Verdict
  ) -> Check {
    Check(.r17, name, title, mend: mend, needs: [.ocr]) { context in
      let meters = context.subject.peripherals.filter { $0.kind == .ocr }
      guard !meters.isEmpty else { return .skipped("no meter of the registry has a display that this driver reads") }
      let reader = try await DisplayReader.open(
        host: context.host, bundle: context.subject.bundle, entry: context.subject.entry)
      do {
        let verdict = try await body(context, reader, meters)
        await reader.close()
        return verdict
      } catch {
        await reader.close()
        throw error
      }
    }
  }

  private static func pictures(_ context: CheckContext, _ codec: ImageCodec) async throws(ImageCodecError) -> Verdict {
    var seed = Seed(context.seed)
    let pixels = (0..<48 * 20 * 3).map { UInt8(truncatingIfNeeded: $0 / 7) }
    context.trace.begin("", "encode: 48 x 20")
    let file = try await codec.encodeJPEG(
      DecodedImage(width: 48, height: 20, format: .rgb, pixels: pixels), quality: 80)
    for format in DecodedImage.Format.allCases {
      context.trace.begin("", "decode: its own file")
      let image = try await codec.decode(file, format: format)
      guard (image.width, image.height, image.format) == (48, 20, format) else {
        return .failed("a picture of 48 x 20 became one of \(image.width) x \(image.height)")
      }
    }
    let files = [[], [0xFF, 0xD8], Array("\u{89}PNG\r\n\u{1A}\n".utf8)] + (0..<64).map { _ in seed.spoil(file) }
    for broken in files + file.indices.map({ Array(file.prefix($0)) }) {
      context.trace.begin("", "decode: \(broken.count) bytes")
      do {
        _ = try await codec.measure(broken)
        _ = try await codec.decode(broken, format: .grey)
      } catch {
        if case .fault = error { throw error }
      }
    }
    return .passed
  }
}

extension DisplayFrame {
  fileprivate static func flat(_ grey: UInt8) -> DisplayFrame {
    DisplayFrame(
      image: GreyImage(width: 160, height: 120, pixels: [UInt8](repeating: grey, count: 160 * 120)), isStill: false,
      place: .overlay(ImageBox(x: 20, y: 10, width: 120, height: 100)))
  }

  /// Noise, stripes and single pixels; the overlay in the frame, around it, beside it, and smaller than a pixel.
  fileprivate static func strange(_ seed: inout Seed) -> [DisplayFrame] {
    var frames: [DisplayFrame] = []
    for (width, height) in [(1, 1), (1, 200), (200, 1), (7, 9), (64, 48), (161, 83), (320, 240)] {
      let kind = Int.random(in: 0..<3, using: &seed)
      let pixels = (0..<width * height).map { index -> UInt8 in
        switch kind {
        case 0: UInt8.random(in: 0...255, using: &seed)
        case 1: index % width % 8 < 4 ? 20 : 220
        default: index / width % 6 < 3 ? 20 : 220
        }
      }
      let (w, h) = (Double(width), Double(height))
      let boxes = [
        ImageBox(x: 0, y: 0, width: w, height: h), ImageBox(x: -w, y: -h, width: 3 * w, height: 3 * h),
        ImageBox(x: w / 2, y: h / 2, width: 0.01, height: 0.01), ImageBox(x: 5 * w, y: 0, width: w, height: h),
      ]
      for (index, box) in boxes.enumerated() {
        frames.append(
          DisplayFrame(
            image: GreyImage(width: width, height: height, pixels: pixels), isStill: index % 2 == 1,
            place: .overlay(box)))
      }
    }
    return frames
  }
}

extension Seed {
  /// A text as a row could show it, and mostly none that it means.
  fileprivate mutating func text(of characters: String) -> String {
    let all = Array(characters)
    let length = Int.random(in: 0...16, using: &self)
    guard !all.isEmpty else { return "" }
    return String((0..<length).map { _ in all[Int.random(in: 0..<all.count, using: &self)] })
  }
}
