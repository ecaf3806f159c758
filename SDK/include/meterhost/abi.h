/* Version of the contract and the types that every other header builds on.
 *
 * Plain C11, LP64, little-endian. Only fixed-width fields: no enum, bool, long, size_t or bit-field member, and no
 * hidden padding (rule R2). Structs that start with `struct_size` grow at the end only and are read through MH_HAS
 * (rule R3); array elements never grow. Fields called reserved, and flag bits without a name, are zero; the host
 * refuses others.
 *
 * Growth (rule R4): constants of a later minor are used only towards a side that knows it. Driver to host (actions,
 * flags, record kinds, qualifiers, failure codes): only what host->abi_minor has. Host to driver (events, purposes,
 * flags of slices): only what mh_driver.abi_minor has. The reader's part: open answers MH_E_UNSUPPORTED to a purpose it
 * does not know; parameters and property bits that are not known are passed over; security levels are compared with >=.
 */
#ifndef METERHOST_ABI_H
#define METERHOST_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define MH_STATIC_ASSERT(condition, text) static_assert(condition, text)
extern "C" {
#else
#define MH_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

MH_STATIC_ASSERT(sizeof(void *) == 8, "MeterHost runs on 64-bit systems only");
MH_STATIC_ASSERT(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "MeterHost runs on little-endian systems only");

/* Another major: refuse, naming both versions (rule R4). */
#define MH_ABI_MAJOR 1u
#define MH_ABI_MINOR 0u
#define MH_ABI_TEXT "1.0"

/* True when the struct that `pointer` leads to was filled by somebody who knows `field`. */
#define MH_HAS(pointer, field)                                                                                         \
  ((pointer)->struct_size >= offsetof(__typeof__(*(pointer)), field) + sizeof((pointer)->field))

/* A string: UTF-8, not terminated, borrowed for the duration of the call (rule R6). `p` may be NULL when n is 0. */
typedef struct mh_str {
  const char *p;
  uint64_t n;
} mh_str;

/* Bytes: borrowed for the duration of the call (rule R6). `p` may be NULL when n is 0. */
typedef struct mh_bytes {
  const uint8_t *p;
  uint64_t n;
} mh_bytes;

/* A Bluetooth UUID in the order in which people write it (big-endian). 16- and 32-bit ids are expanded with the
 * Bluetooth base UUID 00000000-0000-1000-8000-00805F9B34FB (Core Specification, Vol 3 Part B 2.5.1). */
typedef struct mh_uuid {
  uint8_t b[16];
} mh_uuid;

/* Results of driver functions and host services. Zero and above: it worked. */
#define MH_OK 0
/* mh_driver_entry: no driver at this index or above. */
#define MH_END 1
/* mh_driver_entry: the bundle will not serve this host; *why_not says why. */
#define MH_REFUSED 2
/* An argument is outside what this contract allows. */
#define MH_E_ARG (-1)
/* This side does not know the event, action, flag, characteristic, purpose, algorithm or operation. */
#define MH_E_UNSUPPORTED (-2)
/* The meter sent bytes that its protocol does not allow. */
#define MH_E_PROTOCOL (-3)
/* The sink or buffer has no room for the next whole thing; nothing of that one was written (R13). */
#define MH_E_FULL (-4)
/* A cryptographic check failed. */
#define MH_E_CRYPTO (-5)
/* The host refuses the service: not inside a driver call, over a limit, or not granted. */
#define MH_E_DENIED (-6)
/* No memory. */
#define MH_E_MEMORY (-7)
/* The key, asset or extension does not exist. */
#define MH_E_NOT_FOUND (-8)
/* The bytes are well formed and hold no reading: NaN, a filler, a value that cannot be (negative concentration). */
#define MH_E_NO_VALUE (-9)

/* Twins for languages that do not import C macros. */
static inline uint16_t mh_abi_major(void) { return (uint16_t)MH_ABI_MAJOR; }
static inline uint16_t mh_abi_minor(void) { return (uint16_t)MH_ABI_MINOR; }

/* A Bluetooth SIG 16-bit id as a full UUID. */
static inline mh_uuid mh_uuid16(uint16_t id) {
  mh_uuid uuid = {{0, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5f, 0x9b, 0x34, 0xfb}};
  uuid.b[2] = (uint8_t)(id >> 8);
  uuid.b[3] = (uint8_t)(id & 0xff);
  return uuid;
}

/* The 16-bit id of a Bluetooth SIG UUID, or 0 when the UUID is a vendor's own. */
static inline uint16_t mh_uuid_short(const mh_uuid *uuid) {
  uint16_t id = (uint16_t)((uint16_t)uuid->b[2] << 8 | uuid->b[3]);
  mh_uuid base = mh_uuid16(id);
  for (int i = 0; i < 16; i++)
    if (uuid->b[i] != base.b[i]) return 0;
  return id;
}

#ifdef __cplusplus
}
#endif
#endif
