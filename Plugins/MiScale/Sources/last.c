#include "last.h"

#define VERSION 1u
/* Version, identity, time. */
#define LENGTH (1u + MI_SCALE_IDENT + 8u)

static mh_str key(void) {
  mh_str name = {"meter/last", 10};
  return name;
}

mi_last mi_last_load(const mh_host *host, uint64_t peer) {
  mi_last last = {0};
  uint8_t bytes[LENGTH];
  uint64_t length = LENGTH;
  if (host->kv_get == NULL || host->kv_get(host->ctx, peer, key(), bytes, &length) != MH_OK || length != LENGTH ||
      bytes[0] != VERSION)
    return last;
  for (int i = 0; i < MI_SCALE_IDENT; i++) last.ident[i] = bytes[1 + i];
  uint64_t time = 0;
  for (int i = 0; i < 8; i++) time |= (uint64_t)bytes[1 + MI_SCALE_IDENT + i] << (8 * i);
  last.unix_us = (int64_t)time;
  last.is_known = 1;
  return last;
}

int32_t mi_last_store(const mh_host *host, uint64_t peer, const mi_last *last) {
  if (host->kv_set == NULL) return MH_E_DENIED;
  uint8_t bytes[LENGTH] = {VERSION};
  for (int i = 0; i < MI_SCALE_IDENT; i++) bytes[1 + i] = last->ident[i];
  for (int i = 0; i < 8; i++) bytes[1 + MI_SCALE_IDENT + i] = (uint8_t)((uint64_t)last->unix_us >> (8 * i));
  mh_bytes value = {bytes, LENGTH};
  return host->kv_set(host->ctx, peer, key(), value);
}

int mi_last_is(const mi_last *last, const mi_packet *packet) {
  if (!last->is_known) return 0;
  for (int i = 0; i < MI_SCALE_IDENT; i++)
    if (last->ident[i] != packet->ident[i]) return 0;
  return 1;
}
