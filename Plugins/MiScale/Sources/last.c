#include "last.h"

#define VERSION 2u
#define NUMBER (MI_SCALE_IDENT + 1u)
/* Version, time, what was delivered, what was shown. */
#define LENGTH (1u + 8u + 2u * NUMBER)

static mh_str key(void) {
  mh_str name = {"meter/last", 10};
  return name;
}

static void put_number(uint8_t *bytes, const mi_number *number) {
  for (int i = 0; i < MI_SCALE_IDENT; i++) bytes[i] = number->ident[i];
  bytes[MI_SCALE_IDENT] = number->is_pound;
}

static mi_number number_at(const uint8_t *bytes) {
  mi_number number = {.is_pound = bytes[MI_SCALE_IDENT] != 0};
  for (int i = 0; i < MI_SCALE_IDENT; i++) number.ident[i] = bytes[i];
  return number;
}

static mi_number number_of(const mi_packet *packet) {
  mi_number number = {.is_pound = packet->is_pound};
  for (int i = 0; i < MI_SCALE_IDENT; i++) number.ident[i] = packet->ident[i];
  return number;
}

static uint16_t raw_weight(const mi_number *number) {
  return (uint16_t)((unsigned)number->ident[7] | (unsigned)number->ident[8] << 8);
}

static int weighs(const mi_number *number, const mi_packet *packet) {
  return raw_weight(number) == packet->raw_weight && number->is_pound == packet->is_pound;
}

static mi_moment moment_of(const mi_number *number, int64_t unix_us) {
  mi_moment moment = {.unix_us = unix_us};
  moment.has_clock = (uint8_t)mi_packet_time(number->ident, &moment.clock_us);
  moment.is_set = (uint8_t)mi_packet_is_set(moment.clock_us);
  return moment;
}

mi_last mi_last_load(const mh_host *host, uint64_t peer) {
  mi_last last = {0};
  uint8_t bytes[LENGTH];
  uint64_t length = LENGTH;
  if (host->kv_get == NULL || host->kv_get(host->ctx, peer, key(), bytes, &length) != MH_OK || length != LENGTH ||
      bytes[0] != VERSION)
    return last;
  uint64_t time = 0;
  for (int i = 0; i < 8; i++) time |= (uint64_t)bytes[1 + i] << (8 * i);
  last.unix_us = (int64_t)time;
  last.delivered = number_at(bytes + 9);
  last.shown = number_at(bytes + 9 + NUMBER);
  last.is_known = 1;
  return last;
}

int32_t mi_last_store(const mh_host *host, uint64_t peer, const mi_last *last) {
  if (host->kv_set == NULL) return MH_E_DENIED;
  uint8_t bytes[LENGTH] = {VERSION};
  for (int i = 0; i < 8; i++) bytes[1 + i] = (uint8_t)((uint64_t)last->unix_us >> (8 * i));
  put_number(bytes + 9, &last->delivered);
  put_number(bytes + 9 + NUMBER, &last->shown);
  mh_bytes value = {bytes, LENGTH};
  return host->kv_set(host->ctx, peer, key(), value);
}

mi_last mi_last_of(const mi_packet *packet, int64_t unix_us) {
  mi_number number = number_of(packet);
  return (mi_last){.unix_us = unix_us, .delivered = number, .shown = number, .is_known = 1};
}

int mi_last_show(mi_last *last, const mi_packet *packet) {
  if (weighs(&last->shown, packet)) return 0;
  last->shown = number_of(packet);
  return 1;
}

int mi_last_is(const mi_last *last, const mi_packet *packet) {
  if (!last->is_known) return 0;
  for (int i = 0; i < MI_SCALE_IDENT; i++)
    if (last->delivered.ident[i] != packet->ident[i]) return 0;
  return 1;
}

int mi_last_weighs(const mi_last *last, const mi_packet *packet) {
  return last->is_known && (weighs(&last->delivered, packet) || weighs(&last->shown, packet));
}

mi_moment mi_last_moment(const mi_last *last) { return moment_of(&last->delivered, last->unix_us); }

mi_stand mi_last_stand(const mi_last *last) {
  if (!last->is_known) return (mi_stand){0};
  return (mi_stand){.stood = moment_of(&last->shown, last->unix_us),
                    .grams = mi_packet_grams(raw_weight(&last->shown), last->shown.is_pound),
                    .is_known = 1,
                    .may_be_over = 1};
}
