import BluetoothWire
import DriverContract

@testable import FHIRSink
@testable import MQTTSink
@testable import MeterBluetooth
@testable import MeterConformance
@testable import MeterConsole
@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink
@testable import MeterDrivers
@testable import MeterHealth
@testable import GatewayAPI
@testable import MeterOCR
@testable import MeterReceiver
@testable import NATSClient
@testable import VirtualMeter

/// An error of a public type as a test makes it.
struct ErrorSample {
  let type: String
  /// The stable name, as its type has it.
  let code: String
  /// Whether everything that may be absent is there.
  let isFull: Bool
  let error: any Error

  init(_ code: String, isFull: Bool, _ error: any Error) {
    (self.code, self.isFull, self.error) = (code, isFull, error)
    type = String(reflecting: Swift.type(of: error)).split(separator: ".").dropFirst().joined(separator: ".")
  }

  /// Every code of every public error type, bare and with all that may stand beside it.
  static var all: [ErrorSample] { gateway + core + drivers + sources + sinks + receivers + single + programs }

  private static func each<Code: RawRepresentable<String> & CaseIterable>(
    _: Code.Type, _ make: (Code, _ isFull: Bool) -> any Error
  ) -> [ErrorSample] {
    Code.allCases.flatMap { code in
      [false, true].map { ErrorSample(code.rawValue, isFull: $0, make(code, $0)) }
    }
  }

  private struct Beneath: Error, CustomStringConvertible { let description = "beneath" }

  private static let (message, words, cure) = ("it failed", "the system's words", "do this")

  private static func text(_ isFull: Bool, _ text: String = words) -> String? { isFull ? text : nil }
  private static func beneath(_ isFull: Bool) -> (any Error)? { isFull ? Beneath() : nil }

  private static var gateway: [ErrorSample] {
    [GatewayError.Kind.failed, .usage, .unavailable, .temporary, .cancelled].flatMap { kind in
      [false, true].map {
        ErrorSample(
          kind.rawValue, isFull: $0,
          GatewayError(kind, code: "code", message, hint: text($0, cure), cause: beneath($0)))
      }
    } + [ErrorSample("cancelled", isFull: false, CancellationError())]
  }

  private static var core: [ErrorSample] {
    each(StoreError.Code.self) { StoreError($0, message, cause: text($1), ownerPID: $1 ? 7 : nil) }
      + each(DraftError.Code.self) { DraftError($0, $1 ? "values[2]" : "", message, allowed: $1 ? ["a", "b"] : []) }
      + each(RecordImage.Refusal.Code.self) { code, _ in RecordImage.Refusal(code: code, message: message) }
      + each(TransportError.Code.self) { code, _ in TransportError(code, message) }
      + each(EncodingRefusal.Code.self) { code, _ in EncodingRefusal(code: code, message: message) }
      + each(APIError.Code.self) { APIError($0, message, cure: cure, status: $1 ? 400 : nil) }
      + each(AdmissionRejection.Code.self) { code, _ in AdmissionRejection(code: code, message: message) }
  }

  private static var drivers: [ErrorSample] {
    each(RegistryError.Code.self) {
      RegistryError(
        code: $0, file: "registry.json", path: "$.drivers[3]",
        position: $1 ? RegistryPosition(line: 2, column: 3) : nil,
        problem: message, cure: cure)
    }
      + each(BundleError.Code.self) {
        BundleError($0, path: "libmh.so", rule: text($1, "R7"), message: message, cause: text($1))
      }
      + each(PackageError.Code.self) { PackageError($0, message, cure: text($1, cure), cause: text($1)) }
      + each(RecordingError.Code.self) { RecordingError($0, message, offset: $1 ? 9 : nil) }
      + each(DriverFault.Code.self) {
        DriverFault($0, driver: "org.example", rule: text($1, "R7"), message: message, cause: text($1))
      }
  }

  private static var sources: [ErrorSample] {
    each(BluetoothError.Code.self) { BluetoothError($0, message, cause: beneath($1)) }
      + each(CaptureError.Code.self) { CaptureError($0, message, offset: $1 ? 9 : nil) }
      + each(FrameSourceError.Code.self) {
        FrameSourceError($0, path: "/dev/video0", message: message, cause: text($1))
      }
      + each(FrameSourceError.Code.self) {
        OCRFailure.source(FrameSourceError($0, path: "/dev/video0", message: message, cause: text($1)))
      }
      + each(DriverFault.Code.self) {
        OCRFailure.driver(
          DriverFault($0, driver: "org.example", rule: text($1, "R7"), message: message, cause: text($1)))
      }
      + each(HealthImportError.Code.self) {
        HealthImportError($0, message, hint: text($1, cure), cause: text($1))
      }
      + each(OCRCorrectionError.Code.self) { OCRCorrectionError($0, row: $1 ? 1 : nil, message, cause: text($1)) }
  }

  private static var sinks: [ErrorSample] {
    each(FHIRSinkError.Code.self) { FHIRSinkError($0, message, hint: text($1, cure)) }
      + each(MQTTSinkError.Code.self) { MQTTSinkError($0, message, hint: text($1, cure)) }
      + each(NATSError.Code.self) { NATSError($0, message, hint: text($1, cure), cause: text($1)) }
  }

  private static var receivers: [ErrorSample] {
    each(ReceiverError.Code.self) { ReceiverError($0, message, cause: beneath($1)) }
      + each(MeterScriptError.Code.self) {
        MeterScriptError($0, path: $1 ? "$.name" : "", message: message, file: $1 ? "meter.json" : "")
      }
      + each(VirtualMeterError.Code.self) { VirtualMeterError($0, message: message, cause: beneath($1)) }
      + each(VirtualAirError.Code.self) { code, _ in VirtualAirError(code, message: message) }
  }

  /// Types with one code.
  private static var single: [ErrorSample] {
    let url = ReceiverEndpoint.InvalidURL(message: message)
    let credential = CredentialError(message: message)
    return [ErrorSample(url.code, isFull: false, url), ErrorSample(credential.code, isFull: false, credential)]
  }

  private static var programs: [ErrorSample] {
    each(ConformanceError.Code.self) { code, _ in ConformanceError(code, message) }
      + each(ConsoleError.Code.self) { ConsoleError($0, message, cause: beneath($1)) }
      + each(FeedbackProblem.Code.self) { code, _ in FeedbackProblem(code, message, cure: cure) }
  }
}
