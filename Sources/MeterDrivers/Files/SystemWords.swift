import Glibc

/// The system's words for an error number.
func words(_ number: Int32) -> String { String(cString: strerror(number)) }

/// Whether a disk or a quota is full.
func isForWantOfRoom(_ number: Int32) -> Bool { number == ENOSPC || number == EDQUOT }
