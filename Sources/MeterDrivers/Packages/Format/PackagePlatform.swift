/// A machine that a library of a package is built for.
package enum PackagePlatform: String, Sendable, Hashable, CaseIterable {
  /// 64-bit x86.
  case x86 = "linux-x86_64"
  /// 64-bit ARM.
  case arm = "linux-aarch64"

  /// The machine that this process runs on.
  package static var host: PackagePlatform {
    #if arch(x86_64)
      .x86
    #elseif arch(arm64)
      .arm
    #else
      #error("say which platform this architecture is")
    #endif
  }

  /// `e_machine` of its libraries (System V ABI, supplements for AMD64 and AArch64).
  var machine: UInt16 {
    switch self {
    case .x86: 62
    case .arm: 183
    }
  }
}
