#include "last.h"

#define VERSION 1u
/* Version, the host's time, the scale's, weight, counter. */
#define LENGTH (1u + 8u + 4u + 2u + 1u)
/* An advertisement is repeated for minutes; the same bytes after so long are another weighing. */
#define REPEATS_US INT64_C(1800000000)
/* Nobody steps off, and somebody else on, in less. */
#define NEXT_PERSON_US INT64_C(5000000)
/* A person stands, shifts and steps off in less: meanwhile the scale says the weight again and again, each time with the time of
 * that second. */
#define STAND_US INT64_C(60000000)
/* 0.01 kg: a number settles, or follows a person who shifts... */
#define SETTLING 30
/* ...and one so far from it is somebody on their way. */
#define OTHER_PERSON 200

static mh_str key(void) {
  mh_str name = {"meter/last", 10};
  return name;
}

static uint64_t number(const uint8_t *bytes, int n) {
  uint64_t value = 0;
  for (int i = 0; i < n; i++) value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

static void put(uint8_t *bytes, int n, uint64_t value) {
  for (int i = 0; i < n; i++) bytes[i] = (uint8_t)(value >> (8 * i));
}

yunmai_last yunmai_last_load(const mh_host *host, uint64_t peer) {
  uint8_t bytes[LENGTH];
  uint64_t length = LENGTH;
  if (host->kv_get == NULL || host->kv_get(host->ctx, peer, key(), bytes, &length) != MH_OK || length != LENGTH ||
      bytes[0] != VERSION)
    return (yunmai_last){0};
  return (yunmai_last){.unix_us = (int64_t)number(bytes + 1, 8),
                       .time = (uint32_t)number(bytes + 9, 4),
                       .weight = (uint16_t)number(bytes + 13, 2),
                       .counter = bytes[15],
                       .is_known = 1};
}

int32_t yunmai_last_store(const mh_host *host, uint64_t peer, const yunmai_last *last) {
  if (host->kv_set == NULL) return MH_E_DENIED;
  uint8_t bytes[LENGTH] = {VERSION};
  put(bytes + 1, 8, (uint64_t)last->unix_us);
  put(bytes + 9, 4, last->time);
  put(bytes + 13, 2, last->weight);
  bytes[15] = last->counter;
  mh_bytes value = {bytes, LENGTH};
  return host->kv_set(host->ctx, peer, key(), value);
}

yunmai_last yunmai_last_of(const yunmai_frame *frame, int64_t unix_us) {
  return (yunmai_last){
      .unix_us = unix_us, .time = frame->time, .weight = frame->weight, .counter = frame->counter, .is_known = 1};
}

static int64_t apart(int64_t one, int64_t other) { return one > other ? one - other : other - one; }

static int difference(const yunmai_last *last, const yunmai_frame *frame) {
  int steps = (int)frame->weight - (int)last->weight;
  return steps < 0 ? -steps : steps;
}

int yunmai_last_is(const yunmai_last *last, const yunmai_frame *frame, int64_t unix_us, int has_moved) {
  if (!last->is_known) return 0;
  int64_t since = apart(last->unix_us, unix_us);
  if (frame->is_advertised && frame->counter == last->counter && difference(last, frame) == 0)
    return since <= REPEATS_US;
  /* The very same moment goes out again: it has the same name. */
  if (frame->time != 0 && frame->time == last->time) return 0;
  if (difference(last, frame) > SETTLING) return 0;
  return since < NEXT_PERSON_US || (!frame->is_advertised && !has_moved && since <= STAND_US);
}

int yunmai_last_weighs(const yunmai_last *last, const yunmai_frame *frame, int64_t unix_us) {
  return last->is_known && difference(last, frame) <= SETTLING && apart(last->unix_us, unix_us) <= STAND_US;
}

int yunmai_last_is_far(const yunmai_last *last, const yunmai_frame *frame) {
  return !last->is_known || difference(last, frame) > OTHER_PERSON;
}
