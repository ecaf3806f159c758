/* The memory of a person, weight and composition in packets of their own: which of them are one weighing.
 *
 * A weighing is handed over whole, because its identity stands for all of its values: half of one that was delivered
 * would come again as another. The scale sends its memory at every read, so what is held back here is not lost. */
#include <string.h>

#include "state.h"

#define FIRST 20u
#define NEXT 6u
/* A link that is gone is told within 32 s (Core Specification, Vol 6 Part B 4.5.2): after that a half is all there is. */
#define HALF 35u
#define LIMIT 180u
/* Silence before a scale went away by itself; less than that is a link that broke. */
#define PAUSE UINT64_C(2000000000)
/* 2020-01-01: a host that shows less does not know the time. */
#define EARLIEST INT64_C(1577836800000000)

static void listen(mh_session *session) {
  medisana_wait(session, MEDISANA_TOKEN_SILENCE, session->has_weight || session->has_body ? HALF : NEXT);
}

/* The scale sends its memory when it is told the time, and not before. */
void medisana_start_reading(mh_session *session, const mh_event *event) {
  if (event->unix_us < EARLIEST) {
    medisana_fail(session, MH_FAIL_COMMUNICATION, 0,
                  "The scale has to be told the time, and this host does not know it. Set its clock and read again.");
    return;
  }
  int64_t seconds = event->unix_us / 1000000 - (session->counts_from_1970 ? 0 : (int64_t)MEDISANA_EPOCH);
  uint32_t now = (uint32_t)seconds;
  uint8_t bytes[] = {0x02, (uint8_t)now, (uint8_t)(now >> 8), (uint8_t)(now >> 16), (uint8_t)(now >> 24)};
  memcpy(session->command, bytes, sizeof bytes);
  mh_bytes value = {session->command, sizeof session->command};
  session->phase = MEDISANA_READING;
  medisana_wait(session, MEDISANA_TOKEN_LIMIT, LIMIT);
  medisana_wait(session, MEDISANA_TOKEN_SILENCE, FIRST);
  medisana_ask(session, (mh_action){.kind = MH_DO_WRITE,
                                    .token = MEDISANA_TOKEN_COMMAND,
                                    .handle = session->command_handle,
                                    .value = value});
}

static void refuse(mh_session *session) {
  session->status = MH_E_PROTOCOL;
  session->has_unreadable = 1;
  session->has_weight = session->has_body = 0;
}

/* Whole, or the other half is not coming: the scale has gone on. */
static void let_weight_go(mh_session *session) {
  if (session->has_weight && session->weight.weight != 0) {
    medisana_owe(session, &session->weight);
    session->last = session->weight;
  }
  session->has_weight = 0;
}

static int is_of_last(const mh_session *session, const medisana_reading *half) {
  const medisana_reading *last = &session->last;
  if (!medisana_belong_together(last, half)) return 0;
  if (half->has_weight)
    return last->has_weight && memcmp(last->weight_bytes, half->weight_bytes, sizeof last->weight_bytes) == 0;
  return last->has_body && memcmp(last->body_bytes, half->body_bytes, sizeof last->body_bytes) == 0;
}

static void let_body_go(mh_session *session) {
  if (session->has_body && !session->has_unreadable) medisana_owe(session, &session->body);
  session->has_body = 0;
}

static void take_weight(mh_session *session, mh_bytes packet) {
  medisana_reading reading;
  int32_t status = medisana_read_weight(packet, &reading);
  if (status == MH_E_UNSUPPORTED) {
    session->has_other_unit = 1;
    refuse(session);
    return;
  }
  if (status == MH_E_PROTOCOL) {
    refuse(session);
    return;
  }
  if (status == MH_E_NO_VALUE) reading.weight = 0;
  int is_repeated = session->has_weight && memcmp(&session->weight, &reading, sizeof reading) == 0;
  if (is_repeated || is_of_last(session, &reading)) return;
  let_weight_go(session);
  session->weight = reading;
  session->has_weight = 1;
  if (!session->has_body || !medisana_belong_together(&session->weight, &session->body)) return;
  session->has_body = 0;
  if (reading.weight != 0 && medisana_join(&session->weight, &session->body) != MH_OK) {
    refuse(session);
    return;
  }
  let_weight_go(session);
}

static void take_body(mh_session *session, mh_bytes packet) {
  medisana_reading reading;
  int32_t status = medisana_read_body(packet, &reading);
  if (status == MH_E_PROTOCOL) {
    refuse(session);
    return;
  }
  if (session->has_weight && medisana_belong_together(&session->weight, &reading)) {
    if (status == MH_OK && session->weight.weight != 0 && medisana_join(&session->weight, &reading) != MH_OK)
      refuse(session);
    else
      let_weight_go(session);
    return;
  }
  if (status != MH_OK) return;
  int is_repeated = session->has_body && memcmp(&session->body, &reading, sizeof reading) == 0;
  if (is_repeated || is_of_last(session, &reading)) return;
  let_body_go(session);
  session->body = reading;
  session->has_body = 1;
}

void medisana_received(mh_session *session, const mh_event *event) {
  if (session->phase != MEDISANA_READING) return;
  if (event->handle == session->handles[MEDISANA_TOKEN_WEIGHT - 1])
    take_weight(session, event->value);
  else if (event->handle == session->handles[MEDISANA_TOKEN_BODY - 1])
    take_body(session, event->value);
  else
    return;
  session->heard = event->mono_ns;
  listen(session);
}

static void end_well(mh_session *session) {
  if (session->has_other_unit)
    medisana_fail(session, MH_FAIL_METER_ERROR, 0, "The scale keeps weights in pounds or stones. Set it to kilograms.");
  else if (session->has_unreadable)
    medisana_fail(session, MH_FAIL_METER_ERROR, 0,
                  "The scale sent a weighing that cannot be one. The others were read; read it again.");
  else if (session->n_readings == 0)
    medisana_fail(session, MH_FAIL_NO_READING, 0, "The scale keeps no weighing. Step on it with bare feet and read again.");
  else
    medisana_end(session, (mh_action){.kind = MH_DO_FINISH});
}

void medisana_over(mh_session *session) {
  let_weight_go(session);
  let_body_go(session);
  end_well(session);
}

void medisana_gone(mh_session *session, const mh_event *event) {
  int is_through = session->phase == MEDISANA_READING && session->n_readings > 0 && !session->has_weight &&
                   !session->has_body && event->mono_ns - session->heard >= PAUSE;
  if (is_through)
    end_well(session);
  else
    medisana_fail(session, MH_FAIL_COMMUNICATION, event->status, "The scale went away. Read it again: it keeps what it has weighed.");
}
