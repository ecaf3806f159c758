import Glibc

/// The names and addresses that a certificate is for, as they stand in an address of the web.
package struct CertificateNames: Sendable, Hashable {
  /// `gateway.example`, `*.example`, `192.168.1.5` or `[fd00::1]`, in lower case.
  package let all: [String]

  /// Names as a certificate has them; what cannot stand in an address is left away.
  package init(_ names: [String]) {
    all = names.map { $0.lowercased() }.filter { name in
      !name.isEmpty && name.utf8.count <= 253 && name.wholeMatch(of: /(\*\.)?[a-z0-9.\-]+|\[[0-9a-f:.]+\]/) != nil
    }
  }

  /// Whether the certificate is for a name, which a star matches in its first part only.
  ///
  /// - Parameter name: In lower case, without a port.
  package func admits(_ name: some StringProtocol) -> Bool {
    all.contains { entry in
      guard entry.hasPrefix("*.") else { return entry == name }
      guard let dot = name.firstIndex(of: "."), dot != name.startIndex else { return false }
      return name[dot...] == entry.dropFirst()
    }
  }

  /// One that people can type; nil where all of them have a star.
  package var first: String? { all.first { !$0.hasPrefix("*") } }

  /// An address as it stands in an address of the web; nil for bytes that are none.
  package static func text(ofAddress bytes: [UInt8]) -> String? {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return nil }
    let shown = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return family == AF_INET ? shown : "[\(shown)]"
  }
}
