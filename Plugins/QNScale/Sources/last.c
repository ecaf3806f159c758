#include "last.h"

#define VERSION 1u
#define LAST_LENGTH 13u
#define CLOCK_LENGTH 5u
/* The scale stores a weighing when it ends, and its clock is set to the second. */
#define SAME_WEIGHING_S 180

static mh_str key(const char *p) {
  mh_str name = {p, __builtin_strlen(p)};
  return name;
}

static void put(uint8_t *p, uint64_t value, int n) {
  for (int i = 0; i < n; i++) p[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t *p, int n) {
  uint64_t value = 0;
  for (int i = 0; i < n; i++) value |= (uint64_t)p[i] << (8 * i);
  return value;
}

static int load(const mh_host *host, uint64_t peer, const char *name, uint8_t *p, uint64_t length) {
  uint64_t n = length;
  return host->kv_get != NULL && host->kv_get(host->ctx, peer, key(name), p, &n) == MH_OK && n == length &&
         p[0] == VERSION;
}

static int32_t store(const mh_host *host, uint64_t peer, const char *name, const uint8_t *p, uint64_t length) {
  mh_bytes value = {p, length};
  return host->kv_set == NULL ? MH_E_DENIED : host->kv_set(host->ctx, peer, key(name), value);
}

qn_last qn_last_load(const mh_host *host, uint64_t peer) {
  uint8_t p[LAST_LENGTH];
  if (!load(host, peer, "meter/last", p, sizeof p)) return (qn_last){0};
  return (qn_last){.unix_us = (int64_t)get(p + 1, 8),
                   .weight = (uint16_t)get(p + 9, 2),
                   .impedance = (uint16_t)get(p + 11, 2),
                   .is_known = 1};
}

int32_t qn_last_store(const mh_host *host, uint64_t peer, const qn_last *last) {
  uint8_t p[LAST_LENGTH] = {VERSION};
  put(p + 1, (uint64_t)last->unix_us, 8);
  put(p + 9, last->weight, 2);
  put(p + 11, last->impedance, 2);
  return store(host, peer, "meter/last", p, sizeof p);
}

int qn_last_is_stored(const qn_last *last, const qn_reading *stored) {
  if (!last->is_known || !qn_reading_has_time(stored) || last->weight != stored->weight) return 0;
  int64_t delivered = last->unix_us / 1000000, apart = QN_EPOCH + stored->time;
  apart = apart > delivered ? apart - delivered : delivered - apart;
  return apart <= SAME_WEIGHING_S;
}

uint32_t qn_clock_load(const mh_host *host, uint64_t peer) {
  uint8_t p[CLOCK_LENGTH];
  return load(host, peer, "meter/clock", p, sizeof p) ? (uint32_t)get(p + 1, 4) : 0;
}

int32_t qn_clock_store(const mh_host *host, uint64_t peer, uint32_t seconds) {
  uint8_t p[CLOCK_LENGTH] = {VERSION};
  put(p + 1, seconds, 4);
  return store(host, peer, "meter/clock", p, sizeof p);
}
