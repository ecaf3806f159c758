/* The contract between the MeterHost host and a driver bundle: everything a driver may see, and nothing else.
 *
 * A bundle is one shared library that exports one function, mh_driver_entry (rule R1), and carries one ELF note that
 * names the version of this contract (rule R20). docs/reference/abi-rules.md lists the rules R1 to R27 and who checks
 * each of them.
 */
#ifndef METERHOST_DRIVER_H
#define METERHOST_DRIVER_H

#include "abi.h"
#include "advertisement.h"
#include "bluetooth.h"
#include "crypto.h"
#include "host.h"
#include "metrics.h"
#include "output.h"
#include "record.h"
#include "sink.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most drivers of a bundle, and functions of a driver. */
#define MH_DRIVERS_MAX 64u
#define MH_FUNCTIONS_MAX 256u

/* What a driver can do (mh_driver.capabilities). A host passes over bits of later minors. */
#define MH_CAP_CONNECT 0x1u
#define MH_CAP_ADVERTISEMENT_ONLY 0x2u
#define MH_CAP_DECODE 0x4u

/* A function beyond this contract, with its signature so that the registry can be checked against the binary:
 * "i32(bytes,f64,out_bytes)" (rule R19). Hosts compare them with the registry and call them by name. Both terminated by NUL. */
typedef struct mh_extension_function {
  const char *name;
  const char *signature;
  void (*function)(void);
} mh_extension_function;

/* One driver. Constant: the host reads it for the life of the process. */
typedef struct mh_driver {
  uint32_t struct_size;
  uint16_t abi_major;
  uint16_t abi_minor;
  /* MH_LAYOUT_HASH of the header that the driver was compiled with. */
  uint64_t layout_hash;
  uint64_t capabilities;
  /* The id in registry.json, a semantic version, and who made it. */
  mh_str id;
  mh_str version;
  mh_str vendor;
  const mh_bluetooth *bluetooth;
  const mh_extension_function *functions;
  uint64_t n_functions;
  /* Tables by string id, NULL when absent (rule R5). May itself be NULL. */
  const void *(*extension)(const char *id);
} mh_driver;

/* Owner and type of the ELF note in section ".note.meterhost"; its content is mh_note (rule R20). */
#define MH_NOTE_OWNER "MeterHost"
#define MH_NOTE_TYPE 1u

/* The note as it stands in the file: an Elf64_Nhdr, the owner padded to 12 bytes, then the description. */
typedef struct mh_note {
  uint32_t owner_size;
  uint32_t description_size;
  uint32_t type;
  char owner[12];
  uint16_t abi_major;
  uint16_t abi_minor;
  uint32_t layout_hash_low;
  uint32_t layout_hash_high;
} mh_note;

/* Put once into a bundle, outside any function: MH_DRIVER_NOTE. */
#define MH_DRIVER_NOTE                                                                                                 \
  __attribute__((section(".note.meterhost"), used, aligned(4))) static const mh_note mh_driver_note = {               \
      10u, 12u, MH_NOTE_TYPE, MH_NOTE_OWNER, (uint16_t)MH_ABI_MAJOR, (uint16_t)MH_ABI_MINOR,                           \
      (uint32_t)(MH_LAYOUT_HASH & 0xffffffffu), (uint32_t)(MH_LAYOUT_HASH >> 32)};

/* The one exported symbol. index counts from 0; the host asks for one at a time, perhaps more than once. MH_OK: *out is
 * set; MH_END: no such driver; MH_REFUSED: *why_not points at static text. [any] */
__attribute__((visibility("default"))) int32_t mh_driver_entry(const mh_host *host, uint32_t index,
                                                               const mh_driver **out, mh_str *why_not);

#include "layout.h"

/* Whether a bundle compiled with this header can serve a host (rule R4): the same major, and every minor of it, because
 * tables grow at their ends only; while the major is 0 every minor is a contract of its own. For mh_driver_entry. */
static inline int mh_host_fits(const mh_host *host) {
  return host != NULL && host->abi_major == MH_ABI_MAJOR && (MH_ABI_MAJOR != 0u || host->abi_minor == MH_ABI_MINOR) &&
         MH_HAS(host, extension);
}

/* What to answer in *why_not when it cannot. */
#define MH_REFUSAL_TEXT \
  "this bundle speaks contract " MH_ABI_TEXT " and this host does not; update the older of the two"
static inline mh_str mh_refusal(void) {
  mh_str text = {MH_REFUSAL_TEXT, sizeof(MH_REFUSAL_TEXT) - 1u};
  return text;
}

#ifdef __cplusplus
}
#endif
#endif
