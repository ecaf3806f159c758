/* Finding data in an advertisement. For authors of C and C++ drivers; the host does not need it. */
#ifndef METERHOST_ADVERTISEMENT_H
#define METERHOST_ADVERTISEMENT_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* AD types (Bluetooth Assigned Numbers 2.3). */
#define MH_AD_SERVICE_DATA 0x16u
#define MH_AD_MANUFACTURER_DATA 0xffu

/* Looks in an advertisement's AD structures (Core Specification, Vol 3 Part C 11) for the first of `type` whose data
 * begins with `id`, least significant byte first: a service's 16-bit UUID, or a company's id. 1: *data is what follows
 * the id, borrowed from `advertisement`. 0: there is none, and *data is as it was. */
static inline int mh_ad_find(mh_bytes advertisement, uint8_t type, uint16_t id, mh_bytes *data) {
  if (advertisement.p == NULL) return 0;
  uint64_t at = 0;
  while (at < advertisement.n) {
    uint64_t length = advertisement.p[at];
    const uint8_t *structure = advertisement.p + at + 1;
    if (length == 0 || length > advertisement.n - at - 1) return 0;
    if (length >= 3 && structure[0] == type && structure[1] == (id & 0xff) && structure[2] == id >> 8) {
      data->p = structure + 3;
      data->n = length - 3;
      return 1;
    }
    at += 1 + length;
  }
  return 0;
}

#ifdef __cplusplus
}
#endif
#endif
