import GatewayAPI

/// Decides from what frames show whether the code was found.
struct CodeSearch {
  /// How long moving pictures may show none.
  let patience: Duration
  private var first: UInt64?
  /// What the last moving picture showed, when it was one code.
  private var seen: ScannedCode?

  init(patience: Duration) { self.patience = patience }

  /// Takes the codes of a frame.
  ///
  /// - Parameters:
  ///   - moment: Nanoseconds of a clock that only goes forward.
  ///   - isStill: It stands alone: one look is enough, and two codes in it stay two.
  /// - Returns: The code, when it is certain which one is meant.
  /// - Throws: ``GatewayError`` with code `several_codes` of a photograph, `no_code` when the time is over.
  mutating func take(
    _ codes: [ScannedCode], moment: UInt64, isStill: Bool
  ) throws(GatewayError) -> ScannedCode? {
    guard codes.count <= 1 || !isStill else {
      throw GatewayError(
        .usage, code: "several_codes", "the picture shows \(codes.count) codes", hint: "cut it to the one of the key")
    }
    let one = codes.count == 1 ? codes.first : nil
    if let one, isStill || one == seen { return one }
    seen = one
    let begin = first ?? moment
    first = begin
    guard moment < begin || Duration.nanoseconds(Int64(clamping: moment - begin)) <= patience else {
      throw Self.nothing
    }
    return nil
  }

  /// There was none.
  static var nothing: GatewayError {
    GatewayError(
      .temporary, code: "no_code", "no QR code and no barcode was seen",
      hint: "hold it flat before the camera, with light from the side, or type the key in")
  }
}
