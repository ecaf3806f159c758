/* A scale that is connected to. It asks, and the host answers: which unit to show, what time it is, who stands there. Then
 * it sends what it has stored, and the weight while it settles, while it stands, and with the resistance of the body. */
#include "state.h"

#define SECOND UINT64_C(1000000000)
/* Who connects has a minute to step on. */
#define NOTHING_NEW_AFTER (60 * SECOND)
/* The impedance comes some seconds after the weight stands; with shoes on it does not come. */
#define REST_AFTER (15 * SECOND)
/* Stored weighings come one behind the other. */
#define STORED_AFTER (10 * SECOND)
/* What a number that stands may still change by. */
#define SETTLES_HUNDREDTHS 200

static const mh_characteristic *find(const mh_event *event, uint16_t id) {
  for (uint32_t i = 0; i < event->n_characteristics; i++)
    if (mh_uuid_short(&event->characteristics[i].uuid) == id) return &event->characteristics[i];
  return NULL;
}

static uint16_t handle_of(const mh_event *event, uint16_t id, uint16_t properties) {
  const mh_characteristic *found = find(event, id);
  return found == NULL || (found->properties & properties) == 0 ? 0 : found->handle;
}

static qn_outlet outlet_of(const mh_event *event, uint16_t id) {
  qn_outlet outlet = {.handle = handle_of(event, id, MH_PROP_WRITE | MH_PROP_WRITE_NO_RESPONSE)};
  outlet.has_answer = handle_of(event, id, MH_PROP_WRITE) != 0;
  return outlet;
}

static void subscribe(mh_session *session, uint64_t token, uint16_t handle) {
  if (handle == 0) return;
  session->subscriptions_left++;
  qn_ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = token, .handle = handle});
}

void qn_connected(mh_session *session, const mh_event *event) {
  if (session->phase != QN_IDLE || session->is_listening) return;
  session->notify = handle_of(event, 0xfff1, MH_PROP_NOTIFY);
  session->commands_to = session->times_to = outlet_of(event, 0xfff2);
  session->indicate = 0;
  if (session->notify == 0) {
    session->notify = handle_of(event, 0xffe1, MH_PROP_NOTIFY);
    session->indicate = handle_of(event, 0xffe2, MH_PROP_INDICATE | MH_PROP_NOTIFY);
    session->commands_to = outlet_of(event, 0xffe3);
    session->times_to = outlet_of(event, 0xffe4);
  }
  if (session->notify == 0 || session->commands_to.handle == 0 || session->times_to.handle == 0) {
    qn_fail(session, MH_FAIL_UNSUPPORTED_METER, 0, "This is no scale of the QN kind. Check which meter is chosen.");
    return;
  }
  session->last = qn_last_load(session->host, session->peer);
  session->clock = qn_clock_load(session->host, session->peer);
  session->phase = QN_SUBSCRIBING;
  subscribe(session, QN_TOKEN_INDICATE, session->indicate);
  subscribe(session, QN_TOKEN_NOTIFY, session->notify);
  qn_timer(session, QN_TOKEN_SILENCE, NOTHING_NEW_AFTER);
}

void qn_subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != QN_SUBSCRIBING) return;
  if (event->token != QN_TOKEN_NOTIFY && event->token != QN_TOKEN_INDICATE) return;
  if (event->status != 0) {
    qn_fail(session, MH_FAIL_COMMUNICATION, event->status, "The scale refuses to send its weights. Read it again.");
    return;
  }
  if (--session->subscriptions_left != 0) return;
  session->phase = QN_MEASURING;
  qn_ask(session, (mh_action){.kind = MH_DO_READY});
}

static int is_complete(const mh_session *session) { return session->stored_arrived >= session->stored_count; }

/* Behind a weighing, and what is stored: nothing more comes, or the rest of what is stored. */
static void conclude(mh_session *session) {
  if (session->status != MH_OK || !session->has_weighed) return;
  if (is_complete(session))
    qn_finish(session);
  else
    qn_timer(session, QN_TOKEN_SILENCE, STORED_AFTER);
}

/* The scale hears that the weight has arrived when it is on disk (rule R25), and does not store it. */
static void weighed(mh_session *session, const qn_reading *reading, const mh_event *event) {
  session->has_pending = 0;
  qn_deliver(session, reading, event);
  if (session->status != MH_OK) return;
  int has_link = event->kind == MH_EV_NOTIFICATION || event->kind == MH_EV_INDICATION || event->kind == MH_EV_TIMER;
  if (has_link)
    qn_write(session, session->commands_to, qn_thank(session->vendor));
}

/* Somebody else stands there already: the first one has been weighed, the second one is the next session's. */
static int is_another(const mh_session *session, const qn_reading *reading) {
  int difference = (int)reading->weight - (int)session->pending.weight;
  int most = session->is_in_tenths ? SETTLES_HUNDREDTHS / 10 : SETTLES_HUNDREDTHS;
  return session->has_pending && (difference > most || difference < -most);
}

static void weight(mh_session *session, const mh_event *event) {
  qn_reading reading;
  qn_state state;
  if (!session->has_info || session->has_weighed) return;
  int32_t status = qn_read_weight(event->value, session->is_in_tenths, &reading, &state);
  if (status == MH_E_PROTOCOL) session->status = MH_E_PROTOCOL;
  if (status != MH_OK) return;
  if (state == QN_MOVING) {
    /* Of somebody who stood it says nothing: they step off. */
    if (!session->has_pending) qn_put(session, &reading);
  } else if (state == QN_STANDING && !is_another(session, &reading)) {
    if (!session->has_pending) qn_timer(session, QN_TOKEN_REST, REST_AFTER);
    session->pending = reading;
    session->has_pending = 1;
  } else {
    if (session->has_pending) qn_ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = QN_TOKEN_REST});
    const qn_reading first = is_another(session, &reading) ? session->pending : reading;
    weighed(session, &first, event);
    conclude(session);
  }
}

static void stored(mh_session *session, const mh_event *event) {
  qn_reading reading;
  uint8_t count = 0;
  if (!session->has_info || !session->has_asked) return;
  int32_t status = qn_read_stored(event->value, session->is_in_tenths, session->has_user, &reading, &count);
  if (status == MH_E_PROTOCOL) {
    session->status = MH_E_PROTOCOL;
    return;
  }
  session->stored_count = count;
  if (count != 0 && session->stored_arrived < UINT8_MAX) session->stored_arrived++;
  if (status == MH_OK) {
    session->has_result = 1;
    /* What was delivered as it was measured, and the scale has not heard of. */
    if (!qn_last_is_stored(&session->last, &reading)) {
      reading.is_clock_suspect = session->clock == 0 || reading.time < session->clock;
      qn_put(session, &reading);
    }
  }
  conclude(session);
}

static void info(mh_session *session, const mh_event *event) {
  int32_t status = qn_read_info(event->value, &session->is_in_tenths);
  if (status != MH_OK) {
    session->status = status;
    return;
  }
  session->has_info = 1;
  session->vendor = event->value.p[2];
  if (session->has_shown) return;
  session->has_shown = 1;
  qn_write(session, session->commands_to, qn_show_unit(session->vendor, session->unit));
}

static void ask_for_stored(mh_session *session) {
  if (session->has_asked) return;
  session->has_asked = 1;
  qn_write(session, session->times_to, qn_ask_stored(session->vendor, session->has_user));
}

/* The scale measures only when it was told the time, so its clock is set with every read. */
static void start(mh_session *session, const mh_event *event) {
  if (session->has_started || !session->has_info) return;
  session->has_started = 1;
  int64_t seconds = event->unix_us / 1000000 - QN_EPOCH;
  if (seconds < 0 || seconds > UINT32_MAX) seconds = 0;
  if (session->clock == 0 && session->is_clock_trusted)
    session->status = qn_clock_store(session->host, session->peer, (uint32_t)seconds);
  if (session->status == MH_OK) qn_write(session, session->times_to, qn_start(session->vendor, (uint32_t)seconds));
}

/* Length 4 asks for nobody; the longer ones want to know who stands there. What the lengths mean is known of one vendor. */
static void profile(mh_session *session, const mh_event *event) {
  if (session->has_profile || !session->has_info || session->vendor != QN_VENDOR_RENPHO) return;
  session->has_profile = 1;
  session->has_user = event->value.p[1] > 4;
  if (session->has_user)
    qn_write(session, session->commands_to, qn_guest());
  else
    ask_for_stored(session);
}

static void profile_taken(mh_session *session, const mh_event *event) {
  if (session->has_user && event->value.n >= 6 && event->value.p[4] == 0x01) ask_for_stored(session);
}

void qn_received(mh_session *session, const mh_event *event) {
  if (session->phase != QN_SUBSCRIBING && session->phase != QN_MEASURING) return;
  if (event->handle == 0 || (event->handle != session->notify && event->handle != session->indicate)) return;
  if (!qn_frame_is_whole(event->value)) {
    session->status = MH_E_PROTOCOL;
    return;
  }
  qn_timer(session, QN_TOKEN_SILENCE, session->has_weighed ? STORED_AFTER : NOTHING_NEW_AFTER);
  switch (event->value.p[0]) {
    case QN_OP_WEIGHT: weight(session, event); break;
    case QN_OP_INFO: info(session, event); break;
    case QN_OP_START: start(session, event); break;
    case QN_OP_PROFILE: profile(session, event); break;
    case QN_OP_STORED: stored(session, event); break;
    case QN_OP_PROFILE_TAKEN: profile_taken(session, event); break;
    default: break;
  }
}

/* The end, for whatever reason; what stands is delivered without its impedance. */
static void end(mh_session *session, const mh_event *event, int32_t code, const char *why) {
  if (session->has_pending) weighed(session, &session->pending, event);
  if (session->status != MH_OK) return;
  if (!is_complete(session))
    qn_fail(session, MH_FAIL_COMMUNICATION, 0, "The scale has not sent all that it has stored. Read it again.");
  else if (session->has_result)
    qn_finish(session);
  else
    qn_fail(session, code, event->status, why);
}

void qn_ran_out(mh_session *session, const mh_event *event) {
  if (event->token == QN_TOKEN_REST && session->has_pending) {
    weighed(session, &session->pending, event);
    conclude(session);
  } else if (event->token == QN_TOKEN_SILENCE) {
    end(session, event, MH_FAIL_NO_READING,
        "The scale sent no weight that stands. Close its maker's program, step on barefoot, and stand still until it "
        "has shown everything. Some new scales send weights to that program only.");
  }
}

void qn_cancelled(mh_session *session, const mh_event *event) {
  end(session, event, MH_FAIL_NO_READING, "The read was given up before the scale sent a weight.");
}

void qn_disconnected(mh_session *session, const mh_event *event) {
  int is_air = session->is_listening;
  end(session, event, is_air ? MH_FAIL_NO_READING : MH_FAIL_COMMUNICATION,
      is_air ? "The scale fell silent before a weight stood. Step on it and stand still until the number stops blinking."
             : "The scale went away before it sent a weight. Step on it and read again.");
}

/* Handles may mean something else now: start again at the next list of services. What stood has been weighed. */
void qn_services_changed(mh_session *session, const mh_event *event) {
  if (session->is_listening) return;
  if (session->has_pending) weighed(session, &session->pending, event);
  session->phase = QN_IDLE;
  session->notify = session->indicate = 0;
  session->subscriptions_left = 0;
  session->has_info = session->has_shown = session->has_started = session->has_profile = session->has_asked = 0;
  session->stored_count = session->stored_arrived = 0;
  qn_ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = QN_TOKEN_REST});
}
