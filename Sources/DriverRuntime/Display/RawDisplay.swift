import DriverContract
import CMeterDriver

/// A driver's layout that nobody has checked yet.
package struct RawLayout: Sendable, Equatable {
  struct Row: Sendable, Equatable {
    var role: UInt16
    var flags: UInt16
    var reserved: UInt32
    /// x, y, width, height.
    var box: [Float]
    var characters: [UInt8]
  }

  var status: Int32
  var aspect: Float = 0
  var reserved: UInt32 = 0
  var overlay: [UInt8] = []
  var rows: [Row] = []
}

/// What a driver has read in a frame, unchecked, as it lies in memory.
package struct RawReading: Sendable {
  var status: Int32
  var reading: mh_ocr_reading
}

/// What a driver says that texts mean, unchecked.
package struct RawInterpretation: Sendable {
  var status: Int32
  var verdict: UInt32
  var output: RawOutput
}

/// The words of a call into a driver's draft tables that failed.
enum DriverStatusWords {
  static func layout(_ status: Int32, meter: UInt32) -> String {
    status == MH_E_NOT_FOUND
      ? "the driver knows no display of the peripheral \(meter); install the bundle that belongs to the registry"
      : "layout of the peripheral \(meter) returned \(statusName(status)); report the driver"
  }
}
