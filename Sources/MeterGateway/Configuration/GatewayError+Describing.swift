import MeterBluetooth
import MeterCore
import MeterDrivers
import MeterOCR
import MeterReceiver
import VirtualMeter

extension GatewayError {
  /// An error of any part of the host in the form that the command line, `--json` and the control socket share; nil for
  /// what is no error of the host's.
  public init?(describing error: any Error) {
    switch error {
    case let error as GatewayError: self = error
    case let error as BluetoothError:
      self.init(Self.kind(error.code), code: error.code.rawValue, error.message, cause: error)
    case let error as StoreError:
      self.init(
        Self.kind(error.code), code: error.code.rawValue, error.message + Self.suffix(error.cause), cause: error)
    case let error as RegistryError: self.init(.unavailable, code: error.code.rawValue, error.message, cause: error)
    case let error as PackageError: self.init(error)
    case let error as BundleError: self.init(.failed, code: error.code.rawValue, error.description, cause: error)
    case let error as ReceiverError:
      self.init(
        Self.kind(error.code), code: error.code.rawValue,
        error.message + Self.suffix(error.cause.map { "\($0)" }), cause: error)
    case let error as RecordingError:
      self.init(Self.kind(error.code), code: error.code.rawValue, error.description, cause: error)
    case let error as CaptureError:
      self.init(Self.kind(error.code), code: error.code.rawValue, error.description, cause: error)
    case let error as MeterScriptError:
      self.init(.usage, code: error.code.rawValue, error.description, cause: error)
    case let error as VirtualMeterError:
      self.init(.unavailable, code: error.code.rawValue, error.message, cause: error)
    case let error as FrameSourceError:
      self.init(Self.kind(error.code), code: error.code.rawValue, error.description, cause: error)
    case let error as OCRCorrectionError:
      self.init(
        error.code == .driverFailed ? .failed : .usage, code: error.code.rawValue, error.description, cause: error)
    case is CancellationError: self.init(.cancelled, code: "cancelled", "interrupted")
    default: return nil
    }
  }

  /// An error of a package in the form of the command line.
  init(_ error: PackageError) {
    self.init(
      Self.kind(error.code), code: error.code.rawValue, error.message + Self.suffix(error.cause), hint: error.cure,
      cause: error)
  }

  private static func suffix(_ cause: String?) -> String { cause.map { " (\($0))" } ?? "" }

  private static func kind(_ code: FrameSourceError.Code) -> Kind {
    switch code {
    case .notFound, .denied, .notARegularFile, .imageTooLarge, .unsupportedImage, .damagedImage, .emptyDirectory,
      .directoryTooLarge, .damagedFilm, .notACamera:
      .usage
    case .cameraBusy, .cameraSilent: .temporary
    case .cameraNotFound, .cameraDenied, .noUsableFormat, .noCameraLibrary: .unavailable
    case .cameraGone, .cameraFailed, .unreadable, .decoderFailed: .failed
    }
  }

  private static func kind(_ code: BluetoothError.Code) -> Kind {
    switch code {
    case .unknownPeripheral: .usage
    case .bluetoothOff, .driverUnavailable, .licenceMissing, .keyMissing, .approvalNeeded: .unavailable
    case .busy, .connectionTimeout, .readingTimeout, .noReading: .temporary
    case .cancelled: .cancelled
    default: .failed
    }
  }

  private static func kind(_ code: RecordingError.Code) -> Kind {
    switch code {
    case .unknown, .badKey, .otherBundle, .notARecording: .usage
    case .unavailable, .noKey: .unavailable
    case .newerVersion, .damaged, .cutOff, .file, .tooLarge: .failed
    }
  }

  private static func kind(_ code: CaptureError.Code) -> Kind {
    switch code {
    case .notACapture, .ambiguous, .noMeter: .usage
    case .unsupported, .damaged, .tooLarge, .unresolved: .failed
    }
  }

  private static func kind(_ code: StoreError.Code) -> Kind {
    switch code {
    case .busy, .locked: .temporary
    case .unknownCursor: .usage
    default: .failed
    }
  }

  private static func kind(_ code: PackageError.Code) -> Kind {
    switch code {
    case .packageFile, .notAPackage, .packageSource, .notInstalled, .publisherKey: .usage
    case .busy: .temporary
    case .trustList, .packageFolder: .unavailable
    default: .failed
    }
  }

  private static func kind(_ code: ReceiverError.Code) -> Kind {
    switch code {
    case .invalidConfiguration, .invalidIdentifier, .invalidToken, .tokenInUse: .usage
    case .cannotListen, .databaseUnreachable, .databaseRefused: .unavailable
    default: .failed
    }
  }
}

extension GatewayError {
  /// An error as it is written on the control socket and with `--json`.
  public struct Written: Codable, Sendable, Hashable {
    /// What kind of failure it is.
    public var kind: Kind
    /// The failure's stable name.
    public var code: String
    /// What happened.
    public var message: String
    /// What to do about it.
    public var hint: String?

    /// An error from its parts.
    public init(kind: Kind, code: String, message: String, hint: String?) {
      (self.kind, self.code, self.message, self.hint) = (kind, code, message, hint)
    }
  }

  /// The error without its cause.
  public var written: Written { Written(kind: kind, code: code, message: message, hint: hint) }

  /// An error that was read from the control socket.
  public init(_ written: Written) {
    self.init(written.kind, code: written.code, written.message, hint: written.hint)
  }
}
