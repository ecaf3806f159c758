#include "last.h"

#define VERSION 1u
#define LENGTH 29u
/* Without a clock the same number again after so long is another weighing. */
#define BURST_US INT64_C(600000000)

static mh_str key(void) {
  mh_str name = {"meter/last", 10};
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

mibeacon_last mibeacon_last_load(const mh_host *host, uint64_t peer) {
  mibeacon_last last = {0};
  uint8_t p[LENGTH];
  uint64_t n = LENGTH;
  if (host->kv_get == NULL || host->kv_get(host->ctx, peer, key(), p, &n) != MH_OK || n != LENGTH ||
      p[0] != VERSION || p[1] == MIBEACON_NONE || p[1] > MIBEACON_S800)
    return last;
  last.is_known = 1;
  last.measure.kind = (mibeacon_kind)p[1];
  last.measure.user = p[2];
  last.measure.heart_rate = p[3];
  last.unix_us = (int64_t)get(p + 4, 8);
  last.measure.time = (uint32_t)get(p + 12, 4);
  last.measure.weight = (uint32_t)get(p + 16, 4);
  last.measure.counter = (uint32_t)get(p + 20, 4);
  last.measure.impedance = (uint16_t)get(p + 24, 2);
  last.measure.second_impedance = (uint16_t)get(p + 26, 2);
  last.measure.is_doubtful = p[28] != 0;
  if (last.measure.weight == 0) last.is_known = 0;
  return last;
}

int32_t mibeacon_last_store(const mh_host *host, uint64_t peer, const mibeacon_last *last) {
  if (host->kv_set == NULL) return MH_E_DENIED;
  uint8_t p[LENGTH] = {VERSION, (uint8_t)last->measure.kind, last->measure.user, last->measure.heart_rate};
  put(p + 4, (uint64_t)last->unix_us, 8);
  put(p + 12, last->measure.time, 4);
  put(p + 16, last->measure.weight, 4);
  put(p + 20, last->measure.counter, 4);
  put(p + 24, last->measure.impedance, 2);
  put(p + 26, last->measure.second_impedance, 2);
  p[28] = last->measure.is_doubtful;
  mh_bytes value = {p, LENGTH};
  return host->kv_set(host->ctx, peer, key(), value);
}

int mibeacon_last_is(const mibeacon_last *last, const mibeacon_measure *measure, int64_t unix_us) {
  if (!last->is_known || !mibeacon_measure_is_same(&last->measure, measure)) return 0;
  if (mibeacon_measure_has_time(measure)) return 1;
  if (last->measure.counter == measure->counter) return 1;
  /* A clock that stands still says nothing: one weighing has one number, and is over soon. */
  uint64_t apart = unix_us > last->unix_us ? (uint64_t)unix_us - (uint64_t)last->unix_us
                                           : (uint64_t)last->unix_us - (uint64_t)unix_us;
  return (measure->weight == 0 || measure->weight == last->measure.weight) && apart < (uint64_t)BURST_US;
}

int mibeacon_last_is_older(const mibeacon_last *last, const mibeacon_measure *measure) {
  return last->is_known && last->measure.kind == measure->kind && measure->counter <= last->measure.counter;
}
