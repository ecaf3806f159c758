#include "session.h"

#include <stdlib.h>

#include "last.h"
#include "packet.h"
#include "stand.h"

#define SECOND UINT64_C(1000000000)
/* The scale measures the impedance for some seconds after the weight; who wears shoes never gets one. */
#define IMPEDANCE_WAIT (10 * SECOND)
/* A scale that changes nothing for so long has nobody on it. */
#define NOTHING_NEW_AFTER (60 * SECOND)
/* A scale repeats its last weighing for up to twenty minutes after its person has stepped off... */
#define REPEATS_US (UINT64_C(1200) * 1000000)
/* ...and without a clock the same bytes after so long are another measurement. */
#define BURST_US (UINT64_C(1800) * 1000000)
/* Room for what one event asks for. */
#define QUEUE 4
/* A weight that waited, and the one that ends its wait. */
#define RECORDS 2

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
  /* Who stands on the scale, or stood there last. */
  mi_stand stand;
  /* A stable weight that waits for its impedance. */
  mi_packet pending;
  /* Records that are on their way to the sink. */
  mi_packet outgoing[RECORDS];
  uint32_t n_outgoing;
  uint32_t next_outgoing;
  uint8_t has_pending;
  uint8_t has_ended;
  uint8_t is_listening;
  uint8_t has_loaded;
  uint8_t has_delivered;
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
  while (session->next_outgoing < session->n_outgoing) {
    if (mi_packet_emit(&session->outgoing[session->next_outgoing], sink) == MH_E_FULL) return MH_E_FULL;
    session->next_outgoing++;
  }
  session->next_outgoing = session->n_outgoing = 0;
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}

static void emit(mh_session *session, const mi_packet *packet) {
  if (session->n_outgoing < RECORDS) session->outgoing[session->n_outgoing++] = *packet;
}

static void remember(mh_session *session) {
  session->status = mi_last_store(session->host, session->peer, &session->last);
}

/* The measurement and the memory of it are one unit (rule R25). */
static void deliver(mh_session *session, const mi_packet *packet, const mh_event *event) {
  session->last = mi_last_of(packet, event->unix_us);
  remember(session);
  if (session->status != MH_OK) return;
  session->has_result = session->has_delivered = 1;
  emit(session, packet);
}

static void stop_waiting(mh_session *session, const mh_event *event) {
  if (session->has_pending && event->kind == MH_EV_ADVERTISEMENT)
    ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_IMPEDANCE});
  session->has_pending = 0;
}

/* The weight that waits goes without its impedance. */
static void deliver_pending(mh_session *session, const mh_event *event) {
  if (!session->has_pending) return;
  stop_waiting(session, event);
  deliver(session, &session->pending, event);
}

/* Reading is done with the first measurement, unless somebody else's waits for its impedance; listening goes on: somebody
 * else may step on. */
static void conclude(mh_session *session) {
  int is_done = session->purpose == MH_PURPOSE_READ && session->has_delivered && !session->has_pending;
  if (is_done && !session->has_ended && session->status == MH_OK) finish(session);
}

/* Whether somebody who has stepped off is the one who was weighed last: the packet has that weight, and mostly the date at
 * which the scale was left. */
static int is_last_one_leaving(const mh_session *session, const mi_packet *packet, const mh_event *event) {
  if (mi_stand_ends(&session->stand, packet, event->unix_us)) return 1;
  if (!mi_last_weighs(&session->last, packet) || mi_stand_is_past(&session->stand, packet)) return 0;
  mi_moment weighed = mi_last_moment(&session->last), now = mi_moment_of(packet, event->unix_us);
  return mi_moment_apart(&weighed, &now) <= REPEATS_US;
}

/* Whether a packet has the bytes of the last measurement, and means it. */
static int is_repeat(const mh_session *session, const mi_packet *packet, const mh_event *event) {
  if (!mi_last_is(&session->last, packet)) return 0;
  if (packet->has_time) return 1;
  int was_weighed_again = session->stand.has_moved && !packet->is_removed;
  mi_moment delivered = {.unix_us = session->last.unix_us}, now = {.unix_us = event->unix_us};
  return !was_weighed_again && mi_moment_apart(&delivered, &now) <= BURST_US;
}

/* Whether a weight is the last measurement once more. What lies between two advertisements is not heard: another person is
 * told by weight and time, and not by a packet in between. */
static int is_known(const mh_session *session, const mi_packet *packet, const mh_event *event) {
  if (!session->last.is_known) return 0;
  return is_repeat(session, packet, event) || mi_stand_goes_on(&session->stand, packet, event->unix_us) ||
         (packet->is_removed && is_last_one_leaving(session, packet, event));
}

static void heard_again(mh_session *session, const mi_packet *packet, const mh_event *event) {
  session->has_result = 1;
  if (!packet->is_removed) mi_stand_on(&session->stand, packet, event->unix_us);
  /* The scale repeats this number for minutes, and another session has to know it. */
  if (mi_last_show(&session->last, packet)) remember(session);
}

static void stable(mh_session *session, const mi_packet *packet, const mh_event *event) {
  int is_settling = mi_stand_is_near(&session->stand, packet) ||
                    mi_stand_goes_on(&session->stand, packet, event->unix_us);
  /* Somebody else stands there: who waits was weighed all the same. */
  if (!is_settling) deliver_pending(session, event);
  if (session->status != MH_OK) return;
  if (!session->has_pending && is_known(session, packet, event)) {
    heard_again(session, packet, event);
    return;
  }
  mi_stand_on(&session->stand, packet, event->unix_us);
  if (packet->has_body && packet->impedance == 0 && !packet->is_removed) {
    if (!session->has_pending) timer(session, TOKEN_IMPEDANCE, IMPEDANCE_WAIT);
    session->pending = *packet;
    session->has_pending = 1;
    return;
  }
  stop_waiting(session, event);
  deliver(session, packet, event);
}

static void received(mh_session *session, const mi_packet *packet, const mh_event *event) {
  if (packet->is_removed) {
    deliver_pending(session, event);
    /* The packets in which the weight stood are sent for a moment, these for minutes: mostly they are all that is heard. */
    if (session->status == MH_OK) stable(session, packet, event);
    mi_stand_leave(&session->stand);
  } else if (packet->is_stable) {
    stable(session, packet, event);
  } else {
    mi_stand_move(&session->stand, packet, event->unix_us);
    /* Who moves before the impedance is measured has been weighed all the same. */
    if (!session->has_pending) emit(session, packet);
  }
  conclude(session);
}

static void advertised(mh_session *session, const mh_event *event) {
  if (!session->has_loaded) {
    session->has_loaded = 1;
    session->last = mi_last_load(session->host, session->peer);
    session->stand = mi_last_stand(&session->last);
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
  deliver_pending(session, event);
  if (!session->has_ended && session->status == MH_OK) finish(session);
}

static void ran_out(mh_session *session, const mh_event *event) {
  if (event->token == TOKEN_SILENCE) {
    end(session, event);
  } else if (event->token == TOKEN_IMPEDANCE) {
    deliver_pending(session, event);
    conclude(session);
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
  int is_pending = session->n_outgoing != 0 || session->next < session->n_queue;
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
