import CMeterDriver
import Foundation
import Testing

@testable import DriverTestBench

/// Frames that contradict themselves, and weights that are none. In turn: the reader is one for the process.
@Suite(.serialized) struct FrameTests {
  struct Frame {
    var flags: UInt32 = 0
    var width: UInt32 = 64
    var height: UInt32 = 48
    var stride: UInt32 = 64
    var bytes = 64 * 48
    var overlay = mh_ocr_box(x: 4, y: 4, width: 40, height: 36)
    var boxes: [mh_ocr_box] = []
    var structSize = UInt32(MemoryLayout<mh_ocr_frame>.size)
    /// What the pixels are; grey without.
    var picture: [UInt8]?
  }

  func recognize(
    _ bundle: DisplayBundle, _ frame: Frame, meter: UInt32,
    room: UInt32 = UInt32(MemoryLayout<mh_ocr_reading>.size)
  ) -> (status: Int32, reading: mh_ocr_reading) {
    var reading = mh_ocr_reading()
    reading.struct_size = room
    let pixels = frame.picture ?? [UInt8](repeating: 128, count: frame.bytes)
    let status = pixels.withUnsafeBufferPointer { pixels in
      frame.boxes.withUnsafeBufferPointer { boxes in
        var raw = mh_ocr_frame()
        raw.struct_size = frame.structSize
        raw.flags = frame.flags
        raw.width = frame.width
        raw.height = frame.height
        raw.stride = frame.stride
        raw.n_boxes = UInt32(boxes.count)
        raw.overlay = frame.overlay
        raw.boxes = boxes.baseAddress
        raw.pixels = mh_bytes(p: pixels.baseAddress, n: UInt64(pixels.count))
        return bundle.table.recognize(meter, &raw, &reading)
      }
    }
    return (status, reading)
  }

  static let box = mh_ocr_box(x: 2, y: 2, width: 20, height: 10)

  static let broken: [(String, @Sendable (inout Frame) -> Void)] = [
    ("unknown flag", { $0.flags = 4 }), ("no width", { $0.width = 0 }), ("no height", { $0.height = 0 }),
    (
      "giant",
      {
        $0.width = 5000; $0.stride = 5000
      }
    ), ("stride below the width", { $0.stride = 63 }),
    ("too few bytes", { $0.bytes -= 1 }), ("stride beyond the bytes", { $0.stride = .max }),
    ("no bytes", { $0.bytes = 0 }),
    ("overlay of NaN", { $0.overlay.x = .nan }), ("overlay without height", { $0.overlay.height = 0 }),
    ("overlay of infinity", { $0.overlay.width = .infinity }), ("negative overlay", { $0.overlay.width = -5 }),
    ("far away", { $0.overlay.y = 1e9 }), ("short", { $0.structSize = 40 }),
    ("boxes missing", { $0.flags = MH_OCR_FRAME_BOXES }),
    (
      "another number of boxes",
      {
        $0.flags = MH_OCR_FRAME_BOXES; $0.boxes = [FrameTests.box]
      }
    ),
    (
      "a box of NaN",
      {
        $0.flags = MH_OCR_FRAME_BOXES;
        $0.boxes = [FrameTests.box, FrameTests.box, mh_ocr_box(x: .nan, y: 0, width: 1, height: 1)]
      }
    ),
  ]

  @Test(arguments: broken.indices) func contradictionsAreRefused(_ index: Int) throws {
    let bundle = try DisplayBundle()
    var frame = Frame()
    Self.broken[index].1(&frame)
    #expect(recognize(bundle, frame, meter: 10101).status == MH_E_ARG, "\(Self.broken[index].0)")
  }

  @Test func metersThatAreNotThereReadNothing() throws {
    let bundle = try DisplayBundle()
    #expect(recognize(bundle, Frame(), meter: 0).status == MH_E_NOT_FOUND)
    #expect(recognize(bundle, Frame(), meter: 7).status == MH_E_NOT_FOUND)
    #expect(recognize(bundle, Frame(flags: MH_OCR_FRAME_BOXES, boxes: [Self.box]), meter: 7).status == MH_E_NOT_FOUND)
    #expect(recognize(bundle, Frame(), meter: 10001, room: 64).status == MH_E_ARG)
    var boxes = Frame(flags: MH_OCR_FRAME_BOXES)
    boxes.boxes = [mh_ocr_box](repeating: Self.box, count: 9)
    #expect(recognize(bundle, boxes, meter: 0).status == MH_E_ARG)
  }

  @Test func aBundleWithoutItsWeightsSaysSo() throws {
    let bundle = try DisplayBundle()
    DisplayBundle.hostState.assets["weights.mhsw"] = nil
    #expect(bundle.table.load() == MH_E_NOT_FOUND)
    for bytes in [[], [UInt8](repeating: 0, count: 100), Array("not weights at all".utf8)] {
      DisplayBundle.hostState.assets["weights.mhsw"] = bytes
      #expect(bundle.table.load() == MH_E_PROTOCOL)
    }
  }
}
