extension String {
  /// Without blanks around it, and with one space where there are several between: texts of displays and their labels are
  /// compared like that.
  var singleSpaced: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
