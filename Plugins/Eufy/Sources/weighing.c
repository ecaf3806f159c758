#include "weighing.h"

#define VERSION 1u
#define LENGTH 15u
/* Who stands there is the one who was weighed while the number is that near, in 10 g... */
#define SAME_STAND 30u
/* ...and so far from it is somebody else. */
#define OTHER_PERSON 200u
/* A scale says its last number no longer than that, in microseconds. */
#define REPEATS_US UINT64_C(120000000)
/* A repeat moves the time of the last one only by so much, so that not every frame is written down. */
#define MOVED_US UINT64_C(10000000)

static mh_str key(void) {
  mh_str name = {"meter/last", 10};
  return name;
}

static uint64_t apart(int64_t one, int64_t other) {
  return one > other ? (uint64_t)one - (uint64_t)other : (uint64_t)other - (uint64_t)one;
}

static uint32_t difference(uint32_t one, uint32_t other) { return one > other ? one - other : other - one; }

void eu_weighing_load(eu_weighing *weighing, const mh_host *host, uint64_t peer) {
  if (weighing->has_loaded) return;
  weighing->has_loaded = 1;
  uint8_t bytes[LENGTH];
  uint64_t length = LENGTH, time = 0;
  if (host->kv_get == NULL || host->kv_get(host->ctx, peer, key(), bytes, &length) != MH_OK || length != LENGTH ||
      bytes[0] != VERSION)
    return;
  for (int i = 0; i < 8; i++) time |= (uint64_t)bytes[1 + i] << (8 * i);
  weighing->last.unix_us = (int64_t)time;
  for (int i = 0; i < 4; i++) weighing->last.weight |= (uint32_t)bytes[9 + i] << (8 * i);
  weighing->last.impedance = (uint16_t)(bytes[13] | bytes[14] << 8);
  weighing->last.is_known = 1;
}

int32_t eu_weighing_store(const eu_weighing *weighing, const mh_host *host, uint64_t peer) {
  if (host->kv_set == NULL) return MH_E_DENIED;
  uint8_t bytes[LENGTH] = {VERSION};
  for (int i = 0; i < 8; i++) bytes[1 + i] = (uint8_t)((uint64_t)weighing->last.unix_us >> (8 * i));
  for (int i = 0; i < 4; i++) bytes[9 + i] = (uint8_t)(weighing->last.weight >> (8 * i));
  bytes[13] = (uint8_t)weighing->last.impedance;
  bytes[14] = (uint8_t)(weighing->last.impedance >> 8);
  mh_bytes value = {bytes, LENGTH};
  return host->kv_set(host->ctx, peer, key(), value);
}

static void deliver(eu_weighing *weighing, int64_t unix_us, const eu_reading *reading) {
  weighing->last = (eu_last){
      .unix_us = unix_us, .weight = reading->weight, .impedance = reading->impedance, .is_known = 1};
  weighing->has_left = 0;
  weighing->has_pending = 0;
}

eu_outcome eu_weighing_end(eu_weighing *weighing, int64_t unix_us) {
  eu_outcome outcome = {0};
  if (!weighing->has_pending) return outcome;
  outcome.waited = weighing->pending;
  outcome.has_waited = 1;
  deliver(weighing, unix_us, &outcome.waited);
  return outcome;
}

/* Whether the weight is the last one, said again. What has its very digits is it even if nobody was there in between: some
 * scales say their last number once more behind that. */
static int is_known(const eu_weighing *weighing, const eu_reading *reading, int64_t unix_us) {
  const eu_last *last = &weighing->last;
  if (!last->is_known || apart(last->unix_us, unix_us) > REPEATS_US) return 0;
  if (last->weight == reading->weight && last->impedance == reading->impedance)
    return !weighing->has_pending || weighing->pending.weight == reading->weight;
  return !weighing->has_left && !weighing->has_pending && difference(last->weight, reading->weight) <= SAME_STAND;
}

static eu_outcome settle(eu_weighing *weighing, const eu_reading *reading, int64_t unix_us) {
  if (weighing->last.is_known && reading->weight < weighing->last.weight / 2) weighing->has_left = 1;
  /* Who steps off while more is measured has been weighed all the same. */
  if (weighing->has_pending && reading->weight < weighing->pending.weight / 2) return eu_weighing_end(weighing, unix_us);
  eu_outcome outcome = {.waits = weighing->has_pending};
  if (!weighing->has_pending && reading->weight != 0) {
    outcome.now = *reading;
    outcome.has_now = 1;
  }
  return outcome;
}

static eu_outcome stand(eu_weighing *weighing, const eu_reading *reading, int64_t unix_us) {
  eu_outcome outcome = {0};
  if (weighing->has_pending && difference(weighing->pending.weight, reading->weight) > OTHER_PERSON) {
    outcome = eu_weighing_end(weighing, unix_us);
    weighing->has_left = 1;
  }
  if (is_known(weighing, reading, unix_us)) {
    weighing->has_pending = 0;
    outcome.is_repeat = 1;
    outcome.has_moved = apart(weighing->last.unix_us, unix_us) > MOVED_US;
    if (outcome.has_moved) weighing->last.unix_us = unix_us;
    return outcome;
  }
  eu_reading whole = *reading;
  /* What was measured is not taken back by a later frame that lacks it. */
  if (weighing->has_pending && whole.impedance == 0) whole.impedance = weighing->pending.impedance;
  if (weighing->has_pending && whole.heart_rate == 0) whole.heart_rate = weighing->pending.heart_rate;
  if (!reading->is_complete) {
    weighing->pending = whole;
    weighing->has_pending = 1;
    outcome.waits = 1;
    return outcome;
  }
  outcome.now = whole;
  outcome.has_now = 1;
  deliver(weighing, unix_us, &whole);
  return outcome;
}

eu_outcome eu_weighing_take(eu_weighing *weighing, const eu_reading *reading, int64_t unix_us) {
  if (reading->is_stored) return (eu_outcome){.now = *reading, .has_now = 1};
  return reading->is_settling ? settle(weighing, reading, unix_us) : stand(weighing, reading, unix_us);
}
