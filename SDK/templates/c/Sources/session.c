/* Reads the meter's stored readings: subscribe, ask for what is new, take it, finish.
 *
 * The cursor is the identity of the newest committed reading. The meter is asked for that one and all after it: if it
 * still has it, the memory is the one that the cursor belongs to; if not, everything is read again and the host knows
 * by their identities which readings it has. So neither a cleared memory nor a new numbering loses a reading. */
#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "measurement.h"

#define CURSOR "user/cursor"
#define SECOND UINT64_C(1000000000)
/* How long the meter may be silent while it sends its memory. */
#define SILENCE_LIMIT (10 * SECOND)
/* Room for what one event asks of the host. */
#define QUEUE 8

/* Record Access Control Point (GATT Specification Supplement 3.187). */
#define REPORT 0x01u
#define ABORT 0x03u
#define RESPONSE 0x06u
#define SUCCESS 1u
#define NO_RECORDS 6u
#define LAST_SEQUENCE 0xffffu

enum phase { PHASE_IDLE, PHASE_SUBSCRIBING, PHASE_READING, PHASE_ENDED };
enum token { TOKEN_MEASUREMENT = 1, TOKEN_CONTROL = 2, TOKEN_REQUEST = 3, TOKEN_SILENCE = 4, TOKEN_ABORT = 5 };

typedef struct identity {
  uint8_t bytes[IDENTITY_SIZE];
} identity;

struct mh_session {
  const mh_host *host;
  uint64_t peer;
  mh_action queue[QUEUE];
  /* A reading that found no room in the sink: handed over when the host comes back (rule R13). */
  measurement waiting;
  identity cursor;
  identity newest;
  uint64_t received;
  uint32_t n_queue;
  uint32_t next;
  int32_t status;
  uint16_t measurement_handle;
  uint16_t control_handle;
  uint8_t request[5];
  uint8_t phase;
  uint8_t subscriptions_left;
  uint8_t is_waiting;
  uint8_t has_cursor;
  /* The meter was asked for the cursor's reading and all after it, and has sent the cursor's reading. */
  uint8_t asked_from_cursor;
  uint8_t saw_cursor;
  uint8_t has_newest;
  /* A packet could not be read: the cursor stays before it, and the person is told. */
  uint8_t is_damaged;
};

static mh_str text(const char *p) {
  mh_str str = {p, strlen(p)};
  return str;
}

static void put_log(mh_session *session, int32_t level, const char *line) {
  if (session->host->log != NULL) session->host->log(session->host->ctx, level, text(line));
}

/* MARK: output */

static void ask(mh_session *session, mh_action action) {
  if (session->n_queue < QUEUE) session->queue[session->n_queue++] = action;
}

static void end(mh_session *session, mh_action action) {
  session->phase = PHASE_ENDED;
  ask(session, action);
}

static void fail(mh_session *session, int32_t code, int32_t subcode, const char *why) {
  end(session, (mh_action){.kind = MH_DO_FAIL, .code = code, .arg = (uint32_t)subcode, .text = text(why)});
}

/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE. */
static int32_t drain(mh_session *session, mh_sink *sink) {
  if (session->is_waiting) {
    int32_t status = measurement_put(&session->waiting, sink);
    if (status == MH_E_FULL) return MH_E_FULL;
    session->is_waiting = 0;
    if (status == MH_E_NO_VALUE) put_log(session, MH_LOG_INFO, "the meter could not measure this one; no reading");
  }
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}

/* MARK: requests */

static uint16_t sequence_of(const identity *of) { return (uint16_t)(of->bytes[0] | of->bytes[1] << 8); }

static void send_request(mh_session *session, uint8_t length) {
  mh_bytes bytes = {session->request, length};
  session->phase = PHASE_READING;
  session->has_newest = session->saw_cursor = 0;
  ask(session, (mh_action){
                   .kind = MH_DO_WRITE, .token = TOKEN_REQUEST, .handle = session->control_handle, .value = bytes});
  ask(session, (mh_action){.kind = MH_DO_TIMER, .token = TOKEN_SILENCE, .arg = SILENCE_LIMIT});
}

static void ask_for_all(mh_session *session) {
  session->asked_from_cursor = 0;
  session->request[0] = REPORT;
  session->request[1] = 0x01; /* all records */
  send_request(session, 2);
}

static void ask_for_new(mh_session *session) {
  /* After number 65535 comes 0, which is no number "from 65535 on". */
  if (!session->has_cursor || sequence_of(&session->cursor) == LAST_SEQUENCE) {
    ask_for_all(session);
    return;
  }
  session->asked_from_cursor = 1;
  session->request[0] = REPORT;
  session->request[1] = 0x03; /* greater than or equal */
  session->request[2] = 0x01; /* filter: sequence number */
  session->request[3] = session->cursor.bytes[0];
  session->request[4] = session->cursor.bytes[1];
  send_request(session, 5);
}

static void load_cursor(mh_session *session) {
  uint64_t n = IDENTITY_SIZE;
  int32_t status = session->host->kv_get(session->host->ctx, session->peer, text(CURSOR), session->cursor.bytes, &n);
  session->has_cursor = status == MH_OK && n == IDENTITY_SIZE;
}

/* Takes effect together with what this event puts out, or not at all (rule R25). */
static void store_cursor(mh_session *session) {
  mh_bytes bytes = {session->newest.bytes, IDENTITY_SIZE};
  if (session->host->kv_set(session->host->ctx, session->peer, text(CURSOR), bytes) != MH_OK)
    put_log(session, MH_LOG_WARNING, "the host did not take the cursor; the next read brings everything again");
}

/* MARK: events */

/* The handle of a characteristic of the Glucose Service that has one of these properties, or 0. */
static uint16_t find(const mh_event *event, uint16_t id, uint16_t properties) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (mh_uuid_short(&found->uuid) == id && (found->properties & properties) != 0 &&
        found->service_index < event->n_services &&
        mh_uuid_short(&event->services[found->service_index].uuid) == GLUCOSE_SERVICE)
      return found->handle;
  }
  return 0;
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_IDLE) return;
  session->measurement_handle = find(event, GLUCOSE_MEASUREMENT, MH_PROP_NOTIFY);
  session->control_handle = find(event, RECORD_ACCESS, MH_PROP_INDICATE);
  if (session->measurement_handle == 0 || session->control_handle == 0) {
    fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
         "The meter does not offer its readings. Check that the right meter is chosen.");
    return;
  }
  session->phase = PHASE_SUBSCRIBING;
  session->subscriptions_left = 2;
  ask(session,
      (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_MEASUREMENT, .handle = session->measurement_handle});
  ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_CONTROL, .handle = session->control_handle});
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_SUBSCRIBING) return;
  if (event->status != 0) {
    fail(session, MH_FAIL_COMMUNICATION, event->status, "The meter refused to send its readings. Read it again.");
    return;
  }
  if (--session->subscriptions_left != 0) return;
  load_cursor(session);
  ask(session, (mh_action){.kind = MH_DO_READY});
  ask_for_new(session);
}

static void wrote(mh_session *session, const mh_event *event) {
  if (session->phase == PHASE_READING && event->token == TOKEN_REQUEST && event->status != 0)
    fail(session, MH_FAIL_COMMUNICATION, event->status, "The meter refused the request for readings. Read it again.");
}

static void received(mh_session *session, const mh_event *event) {
  measurement reading;
  if (measurement_read(event->value, &reading) != MH_OK) {
    put_log(session, MH_LOG_WARNING, "a packet was refused: it is shorter than its flags say");
    session->is_damaged = 1;
    session->status = MH_E_PROTOCOL;
    return;
  }
  ask(session, (mh_action){.kind = MH_DO_TIMER, .token = TOKEN_SILENCE, .arg = SILENCE_LIMIT});
  identity found;
  measurement_identity(&reading, found.bytes);
  if (session->asked_from_cursor && memcmp(found.bytes, session->cursor.bytes, IDENTITY_SIZE) == 0) {
    session->saw_cursor = 1;
    return;
  }
  if (!session->has_newest || reading.sequence >= sequence_of(&session->newest)) session->newest = found;
  session->has_newest = 1;
  session->waiting = reading;
  session->is_waiting = 1;
  ask(session, (mh_action){.kind = MH_DO_PROGRESS, .arg = ++session->received});
}

/* The meter has sent what it was asked for. The cursor moves once, here, so that it never passes what did not come. */
static void reported(mh_session *session) {
  if (session->asked_from_cursor && !session->saw_cursor) {
    put_log(session, MH_LOG_INFO, "the cursor's reading is not in the meter any more; reading all");
    ask_for_all(session);
    return;
  }
  if (session->is_damaged) {
    fail(session, MH_FAIL_METER_ERROR, 0, "The meter sent a reading that cannot be read. Update the driver.");
    return;
  }
  if (session->has_newest) store_cursor(session);
  if (session->asked_from_cursor && session->has_newest && sequence_of(&session->newest) == LAST_SEQUENCE) {
    ask_for_all(session);
    return;
  }
  ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_SILENCE});
  end(session, (mh_action){.kind = MH_DO_FINISH});
}

static void answered(mh_session *session, const mh_event *event) {
  if (event->value.n < 4 || event->value.p[0] != RESPONSE || event->value.p[2] != REPORT) return;
  uint8_t result = event->value.p[3];
  if (result == SUCCESS || result == NO_RECORDS) {
    reported(session);
  } else if (session->asked_from_cursor) {
    put_log(session, MH_LOG_INFO, "the meter does not filter by number; reading all");
    ask_for_all(session);
  } else {
    fail(session, MH_FAIL_METER_ERROR, result, "The meter could not send its readings. Read it again.");
  }
}

static void timed_out(mh_session *session, const mh_event *event) {
  if (event->token == TOKEN_SILENCE)
    fail(session, MH_FAIL_TIMEOUT, 0, "The meter stopped sending. Keep it near and read it again.");
}

static void cancelled(mh_session *session) {
  static const uint8_t request[] = {ABORT, 0x00};
  mh_bytes bytes = {request, sizeof request};
  if (session->phase == PHASE_READING)
    ask(session,
        (mh_action){.kind = MH_DO_WRITE, .token = TOKEN_ABORT, .handle = session->control_handle, .value = bytes});
  end(session, (mh_action){.kind = MH_DO_FINISH});
}

/* Handles may mean something else now: start again at the next list of services. */
static void forget_services(mh_session *session) {
  session->phase = PHASE_IDLE;
  ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_SILENCE});
}

int32_t session_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->is_waiting || session->next < session->n_queue;
  if (event->kind == MH_EV_CONTINUE) return is_pending ? drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (is_pending) return MH_E_ARG;
  /* Events of a later minor. */
  if (event->kind > MH_EV_CONTINUE) return MH_E_UNSUPPORTED;
  session->status = MH_OK;
  if (session->phase == PHASE_ENDED) return MH_OK;
  int is_reading = session->phase == PHASE_READING;
  switch (event->kind) {
    case MH_EV_SERVICES: start(session, event); break;
    case MH_EV_SERVICE_CHANGED: forget_services(session); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_WROTE: wrote(session, event); break;
    case MH_EV_NOTIFICATION:
      if (is_reading && event->handle == session->measurement_handle) received(session, event);
      break;
    case MH_EV_INDICATION:
      if (is_reading && event->handle == session->control_handle) answered(session, event);
      break;
    case MH_EV_TIMER: timed_out(session, event); break;
    case MH_EV_CANCEL: cancelled(session); break;
    case MH_EV_DISCONNECTED:
      fail(session, MH_FAIL_COMMUNICATION, 0, "The meter went away before it had sent everything. Read it again.");
      break;
    default: break;
  }
  return drain(session, sink);
}

/* MARK: opening and closing */

int32_t session_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE) return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->peer = opening->peer;
  *out = session;
  return MH_OK;
}

void session_close(mh_session *session) { free(session); }
