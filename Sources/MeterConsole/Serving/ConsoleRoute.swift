/// What the view answers:
///
/// | call | |
/// |---|---|
/// | `GET /open/TOKEN` | gives the cookie for the token of the link and leads to the page |
/// | `GET /` | the page; `GET /view.css`, `/view.js`, `/result.js` and `/icon.svg` belong to it |
/// | `GET /api/meters` | the meters |
/// | `GET /api/meters/ID/overlay` | the drawing of a meter |
/// | `POST /api/readings` | starts a reading: `{"meter": 1, "unit": "mmol/L"}` |
/// | `GET /api/readings/ID/events` | what is seen, as server-sent events; the last one tells the outcome |
/// | `GET /api/readings/ID/preview` | the camera's pictures, as `multipart/x-mixed-replace` |
/// | `GET /api/readings/ID/crop` | the display cut out of the picture, when the reading is complete |
/// | `POST /api/readings/ID/cancel` | ends the reading |
/// | `POST /api/readings/ID/submit` | hands the reading over: `{"rows": ["5.4"]}` |
/// | `POST /api/readings/ID/discard` | forgets the reading |
enum ConsoleRoute: Hashable {
  case open(token: String)
  case page(PageFile)
  case meters
  case overlay(meter: UInt32)
  case start
  case events(reading: String)
  case preview(reading: String)
  case crop(reading: String)
  case cancel(reading: String)
  case submit(reading: String)
  case discard(reading: String)

  /// The route of a path; nil when there is none. A path is taken as it is written: no escapes, no dots, no double slashes.
  init?(path: Substring) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    guard path.utf8.first == UInt8(ascii: "/"), parts.count <= 4 else { return nil }
    let word = { (index: Int) in index < parts.count ? parts[index] : "" }
    switch (parts.count, word(0), word(1)) {
    case (1, _, _):
      guard let file = PageFile.allCases.first(where: { $0.path == path }) else { return nil }
      self = .page(file)
    case (2, "open", let token): self = .open(token: token)
    case (2, "api", "meters"): self = .meters
    case (2, "api", "readings"): self = .start
    case (4, "api", "meters"):
      guard let meter = UInt32(word(2)), String(meter) == word(2), word(3) == "overlay" else { return nil }
      self = .overlay(meter: meter)
    case (4, "api", "readings"):
      guard let route = Self.ofReading(word(2), word(3)) else { return nil }
      self = route
    default: return nil
    }
  }

  private static func ofReading(_ id: String, _ name: String) -> ConsoleRoute? {
    switch name {
    case "events": .events(reading: id)
    case "preview": .preview(reading: id)
    case "crop": .crop(reading: id)
    case "cancel": .cancel(reading: id)
    case "submit": .submit(reading: id)
    case "discard": .discard(reading: id)
    default: nil
    }
  }

  /// Whether it changes something, and so is a `POST`.
  var changes: Bool {
    switch self {
    case .start, .cancel, .submit, .discard: true
    case .open, .page, .meters, .overlay, .events, .preview, .crop: false
    }
  }
}

enum PageFile: CaseIterable {
  case page, style, script, result, icon

  var path: String {
    switch self {
    case .page: "/"
    case .style: "/view.css"
    case .script: "/view.js"
    case .result: "/result.js"
    case .icon: "/icon.svg"
    }
  }

  var mediaType: String {
    switch self {
    case .page: "text/html; charset=utf-8"
    case .style: "text/css; charset=utf-8"
    case .script, .result: "text/javascript; charset=utf-8"
    case .icon: "image/svg+xml"
    }
  }

  private var bytes: [UInt8] {
    switch self {
    case .page: PackageResources.view_html
    case .style: PackageResources.view_css
    case .script: PackageResources.view_js
    case .result: PackageResources.result_js
    case .icon: PackageResources.icon_svg
    }
  }

  /// The file as it is sent; the page carries its token, and where the view is.
  ///
  /// - Parameter base: What stands before the paths of the view; empty where it is the whole server.
  func content(pageToken: String, base: String) -> [UInt8] {
    guard self == .page else { return bytes }
    let text = String(decoding: bytes, as: UTF8.self)
      .replacing("PAGE-TOKEN", with: pageToken).replacing("VIEW-BASE", with: base)
    return Array(text.utf8)
  }
}
