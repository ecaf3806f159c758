import CMeterDriver

/// A status as the contract's headers write it.
package func statusName(_ status: Int32) -> String {
  switch status {
  case MH_OK: "MH_OK"
  case MH_END: "MH_END"
  case MH_REFUSED: "MH_REFUSED"
  case MH_E_ARG: "MH_E_ARG"
  case MH_E_UNSUPPORTED: "MH_E_UNSUPPORTED"
  case MH_E_PROTOCOL: "MH_E_PROTOCOL"
  case MH_E_FULL: "MH_E_FULL"
  case MH_E_CRYPTO: "MH_E_CRYPTO"
  case MH_E_DENIED: "MH_E_DENIED"
  case MH_E_MEMORY: "MH_E_MEMORY"
  case MH_E_NOT_FOUND: "MH_E_NOT_FOUND"
  case MH_E_NO_VALUE: "MH_E_NO_VALUE"
  default: "\(status)"
  }
}
