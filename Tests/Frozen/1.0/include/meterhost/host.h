/* What the host does for a driver.
 *
 * The table lives as long as the process. Functions marked [in-call] may be called only inside a driver call, on its
 * thread (rule R7); the host answers MH_E_DENIED otherwise. A driver has no other clock, random numbers, keys, storage
 * or files than these (rule R8).
 */
#ifndef METERHOST_HOST_H
#define METERHOST_HOST_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MH_LOG_ERROR 1
#define MH_LOG_WARNING 2
#define MH_LOG_INFO 3
#define MH_LOG_DEBUG 4

/* Largest key and value in storage, and the most that one meter's keys may hold together (rule R23). */
#define MH_KEY_MAX 64u
#define MH_VALUE_MAX 4096u
#define MH_STORAGE_MAX 65536u
/* The most that one event may ask of the host outside of the driver's process: credentials, secrets, cryptography. */
#define MH_SERVICE_CALLS_MAX 256u
#define MH_SERVICE_BYTES_MAX 1048576u
/* The most random bytes of one call. */
#define MH_RANDOM_MAX 4096u

typedef struct mh_host {
  uint32_t struct_size;
  uint16_t abi_major;
  uint16_t abi_minor;
  void *ctx;

  /* A line for the log. At most 100 a second are kept (rule R16); never put a health value, token or key in one.
   * Outside of a driver call it is dropped. [any] */
  void (*log)(void *ctx, int32_t level, mh_str message);

  /* n random bytes: MH_E_ARG above MH_RANDOM_MAX. A recording of a session holds them. [in-call] */
  int32_t (*random)(void *ctx, uint8_t *out, uint64_t n);

  /* Reads a key. In: *n is the room in buf. Out: *n is the length; MH_E_FULL when it does not fit (nothing written),
   * MH_E_NOT_FOUND when there is none. Sees this session's own kv_set at once. Keys begin with "user/" (session user,
   * family, meter; removed with the session: resume cursors) or "meter/" (family, meter: clock facts); what lies under
   * "user/secret/" and "meter/secret/" is encrypted at rest. "credential/NAME" is a credential that the registry lists
   * for the peripheral. MH_E_DENIED for what may only be used by name (crypto.h): a credential of which the registry
   * says so, and a secret that a person entered. `peer` is mh_open.peer. [in-call] */
  int32_t (*kv_get)(void *ctx, uint64_t peer, mh_str key, uint8_t *buf, uint64_t *n);

  /* Writes a key of "user/" or "meter/"; an empty value removes it. Takes effect with the commit of the event that is
   * being handled: together with its records, or not at all (rule R25). MH_E_ARG for what is no key of these;
   * MH_E_DENIED over a limit. [in-call] */
  int32_t (*kv_set)(void *ctx, uint64_t peer, mh_str key, mh_bytes value);

  /* A file of the bundle, by the name in its registry entry. Borrowed for the process. [in-call] */
  int32_t (*asset)(void *ctx, mh_str name, mh_bytes *out);

  /* A table of services by id (MH_EXT_CRYPTO, terminated by NUL), NULL when this host has none (rule R5). [any] */
  const void *(*extension)(void *ctx, const char *id);
} mh_host;

#ifdef __cplusplus
}
#endif
#endif
