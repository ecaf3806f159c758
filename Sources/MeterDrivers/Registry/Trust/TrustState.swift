/// The list of trusted publishers, or why there is none.
enum TrustState: Sendable {
  case list(TrustList)
  case refused(PackageError)

  /// Reads the list; nil trusts nobody.
  init(file: String?) {
    guard let file else {
      self = .list(TrustList())
      return
    }
    do throws(PackageError) { self = .list(try TrustList(file: file)) } catch { self = .refused(error) }
  }
}
