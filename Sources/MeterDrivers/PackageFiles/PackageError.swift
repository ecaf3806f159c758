package import HostErrors

/// Why a driver package, a publisher's key or the list of trusted publishers is refused, or cannot be worked with.
package struct PackageError: HostError, Hashable {
  /// What is wrong. The raw value is stable.
  package enum Code: String, Sendable, Hashable, CaseIterable {
    /// A file cannot be opened or read, or is no regular file.
    case packageFile = "package_file"
    /// A package, or a part of it, is larger than anything that is installed.
    case packageTooLarge = "package_too_large"
    /// The file is no driver package, or one of a version that this host does not know.
    case notAPackage = "not_a_package"
    /// The file contradicts itself: lengths, hashes, or the manifest against the content.
    case packageDamaged = "package_damaged"
    /// The folder lacks something that a package needs, or has it twice.
    case packageSource = "package_source"
    /// A library of the package breaks a rule of the contract.
    case packageLibrary = "package_library"
    /// The package has no library for this machine.
    case noPlatform = "no_platform"
    /// Nobody has signed it.
    case unsigned
    /// A signature does not belong to the content.
    case badSignature = "bad_signature"
    /// Nobody whom the operator trusts has signed it.
    case untrustedKey = "untrusted_key"
    /// The key that signed it was revoked.
    case revokedKey = "revoked_key"
    /// The publisher may not sign for this driver.
    case notAllowed = "publisher_not_allowed"
    /// The version is below what its publisher still lets be used.
    case belowFloor = "below_floor"
    /// A newer version is installed, or was.
    case olderVersion = "older_version"
    /// The installed package of this name is another publisher's.
    case otherPublisher = "other_publisher"
    /// With it the registry would be refused, or a fragment of it left out.
    case registryProblem = "registry_problem"
    /// A driver of it is of a family that others have brought.
    case foreignFamily = "foreign_family"
    /// A rule of it ties with one that is there already (rule R21).
    case ambiguousMatch = "ambiguous_match"
    /// The bundle is not what the fragment says of it, or does not start.
    case driverRefused = "driver_refused"
    /// A file stands where the package's fragment belongs.
    case nameTaken = "name_taken"
    /// No such package is installed.
    case notInstalled = "not_installed"
    /// There is no earlier version to go back to.
    case noPrevious = "no_previous"
    /// Another version is in use than the one that was to be replaced: somebody has changed it meanwhile.
    case changedMeanwhile = "package_changed"
    /// Another installation is under way.
    case busy
    /// There is no room on the disk.
    case diskFull = "disk_full"
    /// A folder or file of the installation cannot be used.
    case packageFolder = "package_folder"
    /// A key cannot be read, made or used.
    case publisherKey = "publisher_key"
    /// The list of trusted publishers is refused.
    case trustList = "trust_list"
    /// An index of packages, or its signature, is none.
    case indexDamaged = "index_damaged"
    /// The time of an index is over, or has not come yet.
    case indexExpired = "index_expired"
    /// An index is older than one that was seen before, or has its number and other content.
    case indexOlder = "index_older"
    /// An index or a package cannot be fetched.
    case indexUnreachable = "index_unreachable"
    /// What was fetched is not the package that the index names.
    case packageMismatch = "package_mismatch"
    /// Its publisher has revoked this version.
    case versionRevoked = "version_revoked"
    /// The package is meant for a newer MeterHost.
    case hostTooOld = "host_too_old"
  }

  /// What is wrong.
  package var code: Code
  /// What happened.
  package var message: String
  /// What to do about it.
  package var cure: String?
  /// The system's own words, when there are some.
  package var cause: String?

  /// Makes an error.
  package init(_ code: Code, _ message: String, cure: String? = nil, cause: String? = nil) {
    (self.code, self.message, self.cure, self.cause) = (code, message, cure, cause)
  }

  /// Decides the exit status.
  package var kind: HostErrorKind {
    switch code {
    case .packageFile, .notAPackage, .packageSource, .notInstalled, .publisherKey: .usage
    case .busy, .indexUnreachable: .temporary
    case .trustList, .packageFolder: .unavailable
    default: .failed
    }
  }

  package var hint: String? { cure }

  /// One line for people.
  package var description: String { fullMessage + (cure.map { "; \($0)" } ?? "") }

  /// The system refused; says so when it is for want of room.
  static func system(_ code: Code, _ message: String, _ number: Int32, cure: String? = nil) -> PackageError {
    isForWantOfRoom(number)
      ? PackageError(.diskFull, message, cure: "make room on the disk and try again", cause: words(number))
      : PackageError(code, message, cure: cure, cause: words(number))
  }
}
