/// How displays are read: by the view here, with the gateway's camera, or by a command where the camera is.
struct DisplaysPage: ConsolePage {
  static let template = PageTemplate.displays
  static let area: PageArea? = .displays
  let title = "Displays"
  /// Whether the view is a part of this console.
  let hasView: Bool
}
