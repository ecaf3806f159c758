#include "last.h"

#define VERSION 1u
/* Version, time, dialect, counter, unit, exponent, digits. */
#define LENGTH (1u + 8u + 4u + 4u)
/* A scale repeats its last weighing for minutes; the same bytes after so long are another one. */
#define REPEATS_US INT64_C(1800000000)
/* Nobody steps off, and somebody else on, in less. */
#define NEXT_PERSON_US INT64_C(5000000)
/* A person stands, shifts and steps off in less. */
#define STAND_US INT64_C(60000000)
/* A number settles, or follows a person who shifts, by so many grams... */
#define SETTLING 300
/* ...and one so far from it is somebody on their way. */
#define OTHER_PERSON 2000

static mh_str key(void) {
  mh_str name = {"meter/last", 10};
  return name;
}

okok_last okok_last_load(const mh_host *host, uint64_t peer) {
  okok_last last = {0};
  uint8_t bytes[LENGTH];
  uint64_t length = LENGTH;
  if (host->kv_get == NULL || host->kv_get(host->ctx, peer, key(), bytes, &length) != MH_OK || length != LENGTH ||
      bytes[0] != VERSION || bytes[12] < 0xfdu)
    return last;
  uint64_t time = 0, raw = 0;
  for (int i = 0; i < 8; i++) time |= (uint64_t)bytes[1 + i] << (8 * i);
  for (int i = 0; i < 4; i++) raw |= (uint64_t)bytes[13 + i] << (8 * i);
  last.unix_us = (int64_t)time;
  last.frame = (okok_frame){.raw = (int32_t)(raw & 0xffffffu),
                            .exp10 = (int8_t)((int)bytes[12] - 256),
                            .is_pound = bytes[11] & 1u,
                            .has_counter = bytes[11] >> 1 & 1u,
                            .dialect = bytes[9],
                            .counter = bytes[10]};
  last.is_known = 1;
  return last;
}

int32_t okok_last_store(const mh_host *host, uint64_t peer, const okok_last *last) {
  if (host->kv_set == NULL) return MH_E_DENIED;
  const okok_frame *frame = &last->frame;
  uint8_t bytes[LENGTH] = {VERSION};
  for (int i = 0; i < 8; i++) bytes[1 + i] = (uint8_t)((uint64_t)last->unix_us >> (8 * i));
  bytes[9] = frame->dialect;
  bytes[10] = frame->counter;
  bytes[11] = (uint8_t)(frame->is_pound | frame->has_counter << 1);
  /* An exponent of 0 is kept as one digit more, so that the byte is always negative. */
  int32_t raw = frame->exp10 == 0 ? frame->raw * 10 : frame->raw;
  bytes[12] = (uint8_t)(frame->exp10 == 0 ? -1 : frame->exp10);
  for (int i = 0; i < 4; i++) bytes[13 + i] = (uint8_t)((uint32_t)raw >> (8 * i));
  mh_bytes value = {bytes, LENGTH};
  return host->kv_set(host->ctx, peer, key(), value);
}

static int64_t apart(int64_t one, int64_t other) { return one > other ? one - other : other - one; }

static int32_t difference(const okok_last *last, const okok_frame *frame) {
  int32_t grams = okok_frame_grams(frame) - okok_frame_grams(&last->frame);
  return grams < 0 ? -grams : grams;
}

int okok_last_is(const okok_last *last, const okok_frame *frame, int64_t unix_us, int has_moved) {
  if (!last->is_known || last->frame.dialect != frame->dialect) return 0;
  int64_t since = apart(last->unix_us, unix_us);
  int is_same = difference(last, frame) == 0 && last->frame.is_pound == frame->is_pound;
  if (frame->has_counter && last->frame.has_counter) {
    /* The scale counts its weighings itself. */
    if (is_same && frame->counter == last->frame.counter) return since <= REPEATS_US;
  } else if (is_same && !has_moved) {
    return since <= REPEATS_US;
  }
  return since < NEXT_PERSON_US && difference(last, frame) <= SETTLING;
}

int okok_last_weighs(const okok_last *last, const okok_frame *frame, int64_t unix_us) {
  return last->is_known && last->frame.dialect == frame->dialect && difference(last, frame) <= SETTLING &&
         apart(last->unix_us, unix_us) <= STAND_US;
}

int okok_last_is_far(const okok_last *last, const okok_frame *frame) {
  return !last->is_known || difference(last, frame) > OTHER_PERSON;
}
