/* Pair: ask for the key, which the host keeps, and verify it by a challenge. Read: check the licence, verify the key, take
 * the records that are new, and acknowledge them when they are on disk. */
#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "protocol.h"

#define SECOND UINT64_C(1000000000)
#define SILENCE (10 * SECOND)
#define QUEUE 8
#define WANTED_MTU 64
#define CURSOR "user/cursor"
#define LICENCE_MAX 65536u

enum phase { IDLE, PAIRING, READING_INFO, ASKING, SUBSCRIBING, VERIFYING, REPORTING, ACKNOWLEDGING, ENDED };
enum token { TOKEN_SILENCE = 1, TOKEN_KEY, TOKEN_INFO, TOKEN_CONTROL, TOKEN_DATA, TOKEN_COMMAND };

struct mh_session {
  const mh_host *host;
  const mh_crypto *crypto;
  uint64_t peer;
  mh_action queue[QUEUE];
  uint8_t bytes[QUEUE][16];
  uint32_t n_queue;
  uint32_t next;
  uint32_t purpose;
  int32_t status;
  keyed_info info;
  uint16_t control, data, information;
  uint16_t cursor;
  uint16_t received;
  uint8_t challenge[KEYED_CHALLENGE_LENGTH];
  /* A record that found no room. */
  uint8_t waiting[KEYED_RECORD_LENGTH];
  uint8_t is_waiting;
  uint8_t phase;
  uint8_t security;
};

static mh_str text(const char *p) {
  mh_str str = {p, strlen(p)};
  return str;
}

static void ask(mh_session *session, mh_action action) {
  if (session->n_queue < QUEUE) session->queue[session->n_queue++] = action;
}

static void end(mh_session *session, mh_action action) {
  session->phase = ENDED;
  ask(session, action);
}

static void fail(mh_session *session, int32_t code, int32_t subcode, const char *why) {
  end(session, (mh_action){.kind = MH_DO_FAIL, .code = code, .arg = (uint32_t)subcode, .text = text(why)});
}

static void listen(mh_session *session) {
  ask(session, (mh_action){.kind = MH_DO_TIMER, .token = TOKEN_SILENCE, .arg = SILENCE});
}

/* Writes to the control point; the bytes stay in the session until the host has taken the action. */
static void command(mh_session *session, const uint8_t *bytes, uint32_t n) {
  if (session->n_queue >= QUEUE) return;
  memcpy(session->bytes[session->n_queue], bytes, n);
  mh_bytes value = {session->bytes[session->n_queue], n};
  ask(session,
      (mh_action){.kind = MH_DO_WRITE, .token = TOKEN_COMMAND, .handle = session->control, .value = value});
}

/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
static int32_t drain(mh_session *session, mh_sink *sink) {
  if (session->is_waiting) {
    if (keyed_put_record(session->waiting, sink) == MH_E_FULL) return MH_E_FULL;
    session->is_waiting = 0;
  }
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}

/* The handle of a characteristic of the meter's service, or 0. */
static uint16_t find(const mh_event *event, uint8_t number) {
  static const uint8_t uuid[16] = {0xf0, 0xd4, 0, 0, 0x6d, 0x68, 0x4b, 0x65, 0x89, 0x64, 0x4d, 0x65, 0x74, 0x65, 0x72, 0};
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const uint8_t *found = event->characteristics[i].uuid.b;
    if (memcmp(found, uuid, 2) == 0 && found[2] == 0 && found[3] == number && memcmp(found + 4, uuid + 4, 12) == 0)
      return event->characteristics[i].handle;
  }
  return 0;
}

/* Whether reading may go on; the session has failed otherwise. */
static int has_licence(mh_session *session, int64_t unix_us) {
  uint64_t n = LICENCE_MAX;
  uint8_t *licence = malloc(LICENCE_MAX);
  int32_t status = licence == NULL
                       ? MH_E_MEMORY
                       : session->host->kv_get(session->host->ctx, session->peer, text(KEYED_LICENCE), licence, &n);
  const char *problem = "There is no licence for the keyed test meter. Enter one.";
  if (status == MH_OK) problem = keyed_licence_problem(session->crypto, licence, n, unix_us);
  free(licence);
  if (problem != NULL) fail(session, MH_FAIL_LICENCE, 0, problem);
  return problem == NULL;
}

static void read_info(mh_session *session) {
  session->phase = READING_INFO;
  ask(session, (mh_action){.kind = MH_DO_READ, .token = TOKEN_INFO, .handle = session->information});
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != IDLE) return;
  session->control = find(event, KEYED_CONTROL);
  session->data = find(event, KEYED_DATA);
  session->information = find(event, KEYED_INFO);
  if (session->control == 0 || session->data == 0 || session->information == 0) {
    fail(session, MH_FAIL_UNSUPPORTED_METER, 0, "This is not a keyed test meter. Check that the right one is chosen.");
    return;
  }
  listen(session);
  if (session->purpose != MH_PURPOSE_PAIR) {
    if (has_licence(session, event->unix_us)) read_info(session);
  } else if (session->security < MH_SECURITY_ENCRYPTED) {
    session->phase = PAIRING;
    ask(session, (mh_action){.kind = MH_DO_PAIR, .flags = MH_PAIR_BOND | MH_PAIR_MITM});
  } else {
    read_info(session);
  }
}

static void subscribe(mh_session *session) {
  session->phase = SUBSCRIBING;
  /* A reading with a tag of 8 bytes has 21, one more than the smallest MTU leaves. */
  ask(session, (mh_action){.kind = MH_DO_MTU, .token = TOKEN_DATA, .arg = WANTED_MTU});
  ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_CONTROL, .handle = session->control});
}

static void got_info(mh_session *session, const mh_event *event) {
  if (session->phase != READING_INFO) return;
  /* Insufficient Authentication and Insufficient Encryption (Core Specification, Vol 3 Part F 3.4.1.1). */
  if (event->status == 0x05 || event->status == 0x0f) {
    fail(session, MH_FAIL_NOT_PAIRED, event->status, "The meter answers paired hosts only. Pair it first.");
  } else if (event->status != 0 || keyed_read_info(event->value, &session->info) != MH_OK) {
    fail(session, MH_FAIL_COMMUNICATION, event->status, "The meter does not say which one it is.");
  } else if (session->purpose != MH_PURPOSE_PAIR) {
    subscribe(session);
  } else {
    session->phase = ASKING;
    mh_bytes place = {(const uint8_t *)KEYED_KEY, sizeof KEYED_KEY - 1};
    ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_SILENCE});
    ask(session, (mh_action){.kind = MH_DO_ASK_USER,
                             .token = TOKEN_KEY,
                             .code = MH_ASK_HEX_KEY,
                             .flags = MH_ASK_SECRET,
                             .arg = 32,
                             .arg2 = 32,
                             .value = place,
                             .text = text("Enter the meter's key: the 32 digits on the card in its box.")});
  }
}

static void answered(mh_session *session, const mh_event *event) {
  if (session->phase != ASKING || event->token != TOKEN_KEY) return;
  if (event->status == MH_E_DENIED) {
    fail(session, MH_FAIL_REFUSED, 0, "Without its key the meter cannot be read.");
  } else if (event->status != 0) {
    fail(session, MH_FAIL_KEY_MISSING, 0, "Nobody is there to enter the meter's key. Pair it where somebody can.");
  } else {
    listen(session);
    subscribe(session);
  }
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != SUBSCRIBING) return;
  if (event->status != 0) {
    fail(session, MH_FAIL_COMMUNICATION, event->status, "The meter refuses to send readings. Pair it again.");
    return;
  }
  if (event->token == TOKEN_CONTROL) {
    ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_DATA, .handle = session->data});
    return;
  }
  if (session->host->random(session->host->ctx, session->challenge, KEYED_CHALLENGE_LENGTH) != MH_OK) {
    fail(session, MH_FAIL_COMMUNICATION, 0, "There are no random numbers for a challenge.");
    return;
  }
  uint8_t bytes[1 + KEYED_CHALLENGE_LENGTH] = {KEYED_VERIFY};
  memcpy(bytes + 1, session->challenge, KEYED_CHALLENGE_LENGTH);
  session->phase = VERIFYING;
  command(session, bytes, sizeof bytes);
}

static uint16_t stored_cursor(mh_session *session) {
  uint8_t bytes[2] = {0, 0};
  uint64_t n = sizeof bytes;
  int32_t status = session->host->kv_get(session->host->ctx, session->peer, text(CURSOR), bytes, &n);
  uint16_t cursor = status == MH_OK && n == 2 ? (uint16_t)(bytes[0] | bytes[1] << 8) : 0;
  /* A meter whose numbers are behind the cursor was reset: everything in it is new. */
  return cursor > session->info.last_sequence ? 0 : cursor;
}

static void verified(mh_session *session, mh_bytes answer) {
  uint8_t expected[KEYED_CHALLENGE_LENGTH];
  int32_t status = keyed_proof(session->crypto, session->peer, &session->info, session->challenge, expected);
  if (status == MH_E_NOT_FOUND) {
    fail(session, MH_FAIL_KEY_MISSING, 0, "The meter's key is not stored here. Pair the meter again.");
    return;
  }
  uint8_t differs = (uint8_t)(status != MH_OK || answer.n != 1 + KEYED_CHALLENGE_LENGTH);
  for (uint32_t i = 0; differs == 0 && i < KEYED_CHALLENGE_LENGTH; i++) differs |= answer.p[1 + i] ^ expected[i];
  if (differs != 0) {
    fail(session, MH_FAIL_KEY_WRONG, 0, "The key is not this meter's. Pair it again and enter the key on its card.");
    return;
  }
  if (session->purpose == MH_PURPOSE_PAIR) {
    end(session, (mh_action){.kind = MH_DO_FINISH});
    return;
  }
  session->cursor = stored_cursor(session);
  uint16_t first = (uint16_t)(session->cursor + 1u);
  uint8_t bytes[] = {KEYED_REPORT, (uint8_t)first, (uint8_t)(first >> 8)};
  session->phase = REPORTING;
  command(session, bytes, sizeof bytes);
}

static void reported(mh_session *session, mh_bytes answer) {
  if (answer.n != 3 || (answer.p[1] | answer.p[2] << 8) != session->received) {
    fail(session, MH_FAIL_COMMUNICATION, 0, "The meter sent another number of readings than it says. Read it again.");
    return;
  }
  if (session->received == 0) {
    end(session, (mh_action){.kind = MH_DO_FINISH});
    return;
  }
  /* The host sends this when every record before it is on disk (rule R25). */
  uint8_t bytes[] = {KEYED_ACKNOWLEDGE, (uint8_t)session->cursor, (uint8_t)(session->cursor >> 8)};
  session->phase = ACKNOWLEDGING;
  command(session, bytes, sizeof bytes);
}

static void controlled(mh_session *session, mh_bytes answer) {
  uint8_t code = answer.p != NULL && answer.n > 0 ? answer.p[0] : 0;
  if (session->phase == VERIFYING && code == (KEYED_ANSWER | KEYED_VERIFY))
    verified(session, answer);
  else if (session->phase == REPORTING && code == (KEYED_ANSWER | KEYED_REPORT))
    reported(session, answer);
  else if (session->phase == ACKNOWLEDGING && code == (KEYED_ANSWER | KEYED_ACKNOWLEDGE))
    end(session, (mh_action){.kind = MH_DO_FINISH});
  else
    session->status = MH_E_PROTOCOL;
}

static void received(mh_session *session, mh_bytes packet, mh_sink *sink) {
  if (session->phase != REPORTING) return;
  uint8_t record[KEYED_RECORD_LENGTH];
  int32_t status = keyed_open_packet(session->crypto, session->peer, &session->info, packet, record);
  if (status != MH_OK) {
    fail(session, MH_FAIL_COMMUNICATION, status, "A reading came damaged. What came before is kept; read again.");
    return;
  }
  uint16_t sequence = (uint16_t)(record[0] | record[1] << 8);
  /* Oldest first, each once: the cursor covers what is committed and nothing else. A packet sent twice is nothing new. */
  if (sequence <= session->cursor) return;
  uint8_t cursor[2] = {(uint8_t)sequence, (uint8_t)(sequence >> 8)};
  mh_bytes value = {cursor, sizeof cursor};
  if (session->host->kv_set(session->host->ctx, session->peer, text(CURSOR), value) != MH_OK) {
    fail(session, MH_FAIL_COMMUNICATION, 0, "The host does not keep the place in the meter's memory.");
    return;
  }
  session->cursor = sequence;
  session->received++;
  if (keyed_put_record(record, sink) == MH_E_FULL) {
    memcpy(session->waiting, record, sizeof record);
    session->is_waiting = 1;
  }
  listen(session);
}

int32_t keyed_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE &&
      opening->purpose != MH_PURPOSE_PAIR)
    return MH_E_UNSUPPORTED;
  const mh_crypto *crypto = host->extension == NULL ? NULL : host->extension(host->ctx, MH_EXT_CRYPTO);
  if (crypto == NULL || !MH_HAS(crypto, agree)) return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->crypto = crypto;
  session->peer = opening->peer;
  session->purpose = opening->purpose;
  session->security = opening->security;
  *out = session;
  return MH_OK;
}

static void encrypted(mh_session *session, const mh_event *event) {
  if (event->status > 0 && event->status <= (int32_t)MH_SECURITY_AUTHENTICATED)
    session->security = (uint8_t)event->status;
  if (session->phase == PAIRING && session->security >= MH_SECURITY_ENCRYPTED) read_info(session);
}

static void handle(mh_session *session, const mh_event *event, mh_sink *sink) {
  switch (event->kind) {
    case MH_EV_SERVICES: start(session, event); break;
    case MH_EV_ENCRYPTED: encrypted(session, event); break;
    case MH_EV_READ: got_info(session, event); break;
    case MH_EV_USER_INPUT: answered(session, event); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_INDICATION:
      if (event->handle == session->control) controlled(session, event->value);
      break;
    case MH_EV_NOTIFICATION:
      if (event->handle == session->data) received(session, event->value, sink);
      break;
    case MH_EV_WROTE:
      if (event->status != 0)
        fail(session, MH_FAIL_COMMUNICATION, event->status, "The meter refuses a command. Read it again.");
      break;
    case MH_EV_TIMER: fail(session, MH_FAIL_TIMEOUT, 0, "The meter fell silent. Keep it close by and retry."); break;
    case MH_EV_CANCEL: end(session, (mh_action){.kind = MH_DO_FINISH}); break;
    case MH_EV_DISCONNECTED:
      fail(session, MH_FAIL_COMMUNICATION, event->status, "The meter went away. Read it again.");
      break;
    default: break;
  }
}

int32_t keyed_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->is_waiting || session->next < session->n_queue;
  if (event->kind == MH_EV_CONTINUE) return is_pending ? drain(session, sink) : MH_OK;
  if (is_pending) return MH_E_ARG;
  session->status = MH_OK;
  if (session->phase != ENDED) handle(session, event, sink);
  return drain(session, sink);
}

void keyed_close(mh_session *session) { free(session); }
