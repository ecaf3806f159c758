#include "session.h"

#include <stdlib.h>

#include "last.h"
#include "packet.h"

#define SECOND UINT64_C(1000000000)
/* The scale measures the impedance for some seconds after the weight; who wears shoes never gets one. */
#define IMPEDANCE_WAIT (10 * SECOND)
/* A scale that changes nothing for so long has nobody on it. */
#define NOTHING_NEW_AFTER (60 * SECOND)
/* A scale repeats its last weighing for up to twenty minutes: the same weight later is another measurement. */
#define BURST_US (INT64_C(1800) * 1000000)
/* A scale without a clock shows a weight that is another person's, and not the first one's settling, by so many steps (2 kg). */
#define OTHER_PERSON 400
/* Nobody steps off, and somebody else on, in less. */
#define NEXT_PERSON_US (INT64_C(5) * 1000000)
/* Room for what one event asks for. */
#define QUEUE 4

enum token { TOKEN_IMPEDANCE = 1, TOKEN_SILENCE = 2 };

struct mh_session {
  const mh_host *host;
  uint64_t peer;
  mh_action queue[QUEUE];
  uint32_t n_queue;
  uint32_t next;
  int32_t status;
  uint32_t purpose;
  mi_last last;
  /* A stable weight that waits for its impedance. */
  mi_packet pending;
  /* A record that is on its way to the sink. */
  mi_packet outgoing;
  uint8_t has_pending;
  uint8_t has_outgoing;
  uint8_t has_ended;
  uint8_t is_listening;
  uint8_t has_loaded;
  /* Somebody has stepped on, or off, since the last delivery: the next weight is another measurement. */
  uint8_t is_armed;
  /* The weight has swung since the last delivery. */
  uint8_t has_swung;
  /* A measurement was delivered, or the last one was heard again: the session has not been for nothing. */
  uint8_t has_result;
};

static mh_str text(const char *p) {
  mh_str str = {p, __builtin_strlen(p)};
  return str;
}

static void ask(mh_session *session, mh_action action) {
  if (session->n_queue < QUEUE) session->queue[session->n_queue++] = action;
}

static void timer(mh_session *session, uint64_t token, uint64_t nanoseconds) {
  ask(session, (mh_action){.kind = MH_DO_TIMER, .token = token, .arg = nanoseconds});
}

static void finish(mh_session *session) {
  session->has_ended = 1;
  if (session->has_result)
    ask(session, (mh_action){.kind = MH_DO_FINISH});
  else
    ask(session, (mh_action){.kind = MH_DO_FAIL,
                             .code = MH_FAIL_NO_READING,
                             .text = text("The scale sent no stable weight. Step on it barefoot and stand still until "
                                          "the number stops blinking.")});
}

/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
static int32_t drain(mh_session *session, mh_sink *sink) {
  if (session->has_outgoing) {
    if (mi_packet_emit(&session->outgoing, sink) == MH_E_FULL) return MH_E_FULL;
    session->has_outgoing = 0;
  }
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}

static void emit(mh_session *session, const mi_packet *packet) {
  session->outgoing = *packet;
  session->has_outgoing = 1;
}

/* The measurement and the memory of it are one unit (rule R25). Reading is done; listening goes on: somebody else may
 * step on. */
static void deliver(mh_session *session, const mi_packet *packet, const mh_event *event) {
  if (session->has_pending && event->kind == MH_EV_ADVERTISEMENT)
    ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_IMPEDANCE});
  session->has_pending = session->is_armed = session->has_swung = 0;
  session->has_result = 1;
  session->last.is_known = 1;
  session->last.unix_us = event->unix_us;
  for (int i = 0; i < MI_SCALE_IDENT; i++) session->last.ident[i] = packet->ident[i];
  session->status = mi_last_store(session->host, session->peer, &session->last);
  if (session->status != MH_OK) return;
  emit(session, packet);
  if (session->purpose == MH_PURPOSE_READ) finish(session);
}

/* Whether a packet is of another weighing than the last one, though nobody was heard to step off between: what lies between two
 * advertisements is not heard. */
static int is_anothers(const mh_session *session, const mi_packet *packet) {
  if (session->is_armed || !session->last.is_known) return 1;
  const uint8_t *ident = session->last.ident;
  int64_t last_us = 0;
  if (packet->has_time) {
    /* A number that settles within seconds is the same person's. */
    if (!mi_packet_time(ident, &last_us)) return 1;
    return packet->t_us - last_us >= NEXT_PERSON_US || last_us - packet->t_us >= NEXT_PERSON_US;
  }
  int difference = (int)packet->raw_weight - (int)((unsigned)ident[7] | (unsigned)ident[8] << 8);
  if (difference < 0) difference = -difference;
  return difference > OTHER_PERSON;
}

/* Whether a weight is the last measurement once more. */
static int is_repeat(const mh_session *session, const mi_packet *packet, const mh_event *event) {
  if (!mi_last_is(&session->last, packet)) return !is_anothers(session, packet);
  if (packet->has_time) return 1;
  int64_t age = event->unix_us - session->last.unix_us;
  int was_weighed_again = session->has_swung && !packet->is_removed;
  return !was_weighed_again && age >= -BURST_US && age <= BURST_US;
}

static void stable(mh_session *session, const mi_packet *packet, const mh_event *event) {
  if (is_repeat(session, packet, event)) {
    if (mi_last_is(&session->last, packet)) session->has_result = 1;
    return;
  }
  if (packet->has_body && packet->impedance == 0 && !packet->is_removed) {
    if (!session->has_pending) timer(session, TOKEN_IMPEDANCE, IMPEDANCE_WAIT);
    session->pending = *packet;
    session->has_pending = 1;
    return;
  }
  deliver(session, packet, event);
}

static void received(mh_session *session, const mi_packet *packet, const mh_event *event) {
  if (packet->is_removed) {
    if (session->has_pending) {
      mi_packet measured = session->pending;
      deliver(session, &measured, event);
    } else {
      /* The packets in which the weight stood are sent for a moment, these for minutes: mostly they are all that is heard. */
      stable(session, packet, event);
    }
    session->is_armed = 1;
  } else if (packet->is_stable) {
    stable(session, packet, event);
  } else {
    session->is_armed = session->has_swung = 1;
    /* Who moves before the impedance is measured has been weighed all the same. */
    if (session->has_pending) return;
    emit(session, packet);
  }
}

static void advertised(mh_session *session, const mh_event *event) {
  if (!session->has_loaded) {
    session->has_loaded = session->is_armed = 1;
    session->last = mi_last_load(session->host, session->peer);
  }
  uint16_t service = MI_SCALE_COMPOSITION;
  mh_bytes data = {NULL, 0};
  if (!mh_ad_find(event->value, MH_AD_SERVICE_DATA, service, &data)) {
    service = MI_SCALE_WEIGHT;
    if (!mh_ad_find(event->value, MH_AD_SERVICE_DATA, service, &data)) return;
  }
  if (!session->is_listening) {
    session->is_listening = 1;
    ask(session, (mh_action){.kind = MH_DO_READY});
  }
  mi_packet packet;
  int32_t status = mi_packet_read(service, data, &packet);
  if (status == MH_E_PROTOCOL) session->status = MH_E_PROTOCOL;
  if (status == MH_OK) received(session, &packet, event);
  if (!session->has_ended) timer(session, TOKEN_SILENCE, NOTHING_NEW_AFTER);
}

/* The end comes while a weight waits for its impedance: it goes without. */
static void end(mh_session *session, const mh_event *event) {
  if (session->has_pending) {
    mi_packet measured = session->pending;
    deliver(session, &measured, event);
  }
  if (!session->has_ended && session->status == MH_OK) finish(session);
}

static void ran_out(mh_session *session, const mh_event *event) {
  if (event->token == TOKEN_SILENCE) {
    end(session, event);
  } else if (event->token == TOKEN_IMPEDANCE && session->has_pending) {
    mi_packet measured = session->pending;
    deliver(session, &measured, event);
  }
}

int32_t mi_scale_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE) return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->peer = opening->peer;
  session->purpose = opening->purpose;
  *out = session;
  return MH_OK;
}

int32_t mi_scale_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->has_outgoing || session->next < session->n_queue;
  if (event->kind == MH_EV_CONTINUE) return is_pending ? drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (is_pending) return MH_E_ARG;
  session->status = MH_OK;
  if (session->has_ended) return MH_OK;
  switch (event->kind) {
    case MH_EV_ADVERTISEMENT: advertised(session, event); break;
    case MH_EV_TIMER: ran_out(session, event); break;
    case MH_EV_CANCEL:
    case MH_EV_DISCONNECTED: end(session, event); break;
    case MH_EV_CONNECTED:
    case MH_EV_ENCRYPTED:
    case MH_EV_SERVICES:
    case MH_EV_SERVICE_CHANGED:
    case MH_EV_MTU:
    case MH_EV_SUBSCRIBED:
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION:
    case MH_EV_READ:
    case MH_EV_WROTE:
    case MH_EV_USER_INPUT: break;
    default: return MH_E_UNSUPPORTED;
  }
  return drain(session, sink);
}

void mi_scale_close(mh_session *session) { free(session); }
