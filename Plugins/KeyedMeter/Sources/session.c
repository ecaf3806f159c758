/* Pair: ask for the key, which the host keeps, and verify it by a challenge. Read: check the licence, verify the key,
 * take the records that are new, and acknowledge them when they are on disk. */
#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "state.h"

#define WANTED_MTU 64
#define LICENCE_MAX 65536u

/* The handle of a characteristic of the meter's service, or 0. */
static uint16_t find(const mh_event *event, uint8_t number) {
  static const uint8_t uuid[16] = {0xf0, 0xd4, 0,    0,    0x6d, 0x68, 0x4b, 0x65,
                                   0x89, 0x64, 0x4d, 0x65, 0x74, 0x65, 0x72, 0};
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
  int32_t status = MH_E_MEMORY;
  if (licence != NULL)
    status = session->host->kv_get(session->host->ctx, session->peer, keyed_text(KEYED_LICENCE), licence, &n);
  const char *problem = "There is no licence for the keyed test meter. Enter one.";
  if (status == MH_OK) problem = keyed_licence_problem(session->crypto, licence, n, unix_us);
  free(licence);
  if (problem != NULL) keyed_fail(session, MH_FAIL_LICENCE, 0, problem);
  return problem == NULL;
}

static void read_info(mh_session *session) {
  session->phase = KEYED_READING_INFO;
  keyed_listen(session);
  keyed_ask(session, (mh_action){.kind = MH_DO_READ, .token = KEYED_TOKEN_INFO, .handle = session->information});
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != KEYED_IDLE) return;
  session->control = find(event, KEYED_CONTROL);
  session->data = find(event, KEYED_DATA);
  session->information = find(event, KEYED_INFO);
  if (session->control == 0 || session->data == 0 || session->information == 0) {
    keyed_fail(session, MH_FAIL_UNSUPPORTED_METER, 0, "This is not a keyed test meter. Check which one is chosen.");
    return;
  }
  if (session->purpose != MH_PURPOSE_PAIR) {
    if (has_licence(session, event->unix_us)) read_info(session);
  } else if (session->security < MH_SECURITY_ENCRYPTED) {
    /* No timer: a person reads a passkey and types it, and the host watches over that. */
    session->phase = KEYED_PAIRING;
    keyed_ask(session, (mh_action){.kind = MH_DO_PAIR, .flags = MH_PAIR_BOND | MH_PAIR_MITM});
  } else {
    read_info(session);
  }
}

static void subscribe(mh_session *session) {
  session->phase = KEYED_SUBSCRIBING;
  keyed_listen(session);
  /* A reading with a tag of 8 bytes has 21, one more than the smallest MTU leaves. */
  keyed_ask(session, (mh_action){.kind = MH_DO_MTU, .token = KEYED_TOKEN_DATA, .arg = WANTED_MTU});
  keyed_ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = KEYED_TOKEN_CONTROL, .handle = session->control});
}

/* Insufficient Authentication and Insufficient Encryption (Core Specification, Vol 3 Part F 3.4.1.1). */
static int wants_pairing(int32_t status) { return status == 0x05 || status == 0x0f; }

static void got_info(mh_session *session, const mh_event *event) {
  if (session->phase != KEYED_READING_INFO) return;
  if (wants_pairing(event->status)) {
    keyed_fail(session, MH_FAIL_NOT_PAIRED, event->status, "The meter answers paired hosts only. Pair it first.");
  } else if (event->status != 0 || keyed_read_info(event->value, &session->info) != MH_OK) {
    keyed_fail(session, MH_FAIL_COMMUNICATION, event->status, "The meter does not say which one it is.");
  } else if (session->purpose != MH_PURPOSE_PAIR) {
    subscribe(session);
  } else {
    session->phase = KEYED_ASKING;
    mh_bytes place = {(const uint8_t *)KEYED_KEY, sizeof KEYED_KEY - 1};
    keyed_ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = KEYED_TOKEN_SILENCE});
    keyed_ask(session, (mh_action){.kind = MH_DO_ASK_USER,
                                   .token = KEYED_TOKEN_KEY,
                                   .code = MH_ASK_HEX_KEY,
                                   .flags = MH_ASK_SECRET,
                                   .arg = 32,
                                   .arg2 = 32,
                                   .value = place,
                                   .text = keyed_text("Enter the meter's key: the 32 digits on the card in its box.")});
  }
}

static void answered(mh_session *session, const mh_event *event) {
  if (session->phase != KEYED_ASKING || event->token != KEYED_TOKEN_KEY) return;
  if (event->status == MH_E_DENIED) {
    keyed_fail(session, MH_FAIL_REFUSED, 0, "Without its key the meter cannot be read.");
  } else if (event->status != 0) {
    keyed_fail(session, MH_FAIL_KEY_MISSING, 0, "Nobody is here to enter the meter's key. Pair it where somebody can.");
  } else {
    subscribe(session);
  }
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != KEYED_SUBSCRIBING) return;
  if (event->status != 0) {
    int32_t code = wants_pairing(event->status) ? MH_FAIL_NOT_PAIRED : MH_FAIL_COMMUNICATION;
    keyed_fail(session, code, event->status, "The meter refuses to send readings. Pair it again.");
    return;
  }
  if (event->token == KEYED_TOKEN_CONTROL) {
    keyed_listen(session);
    keyed_ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = KEYED_TOKEN_DATA, .handle = session->data});
    return;
  }
  if (session->host->random(session->host->ctx, session->challenge, KEYED_CHALLENGE_LENGTH) != MH_OK) {
    keyed_fail(session, MH_FAIL_COMMUNICATION, 0, "There are no random numbers for a challenge.");
    return;
  }
  uint8_t bytes[1 + KEYED_CHALLENGE_LENGTH] = {KEYED_VERIFY};
  memcpy(bytes + 1, session->challenge, KEYED_CHALLENGE_LENGTH);
  session->phase = KEYED_VERIFYING;
  keyed_command(session, bytes, sizeof bytes);
}

static void verified(mh_session *session, mh_bytes answer) {
  uint8_t expected[KEYED_CHALLENGE_LENGTH];
  int32_t status = keyed_proof(session->crypto, session->peer, &session->info, session->challenge, expected);
  if (status == MH_E_NOT_FOUND) {
    keyed_fail(session, MH_FAIL_KEY_MISSING, 0, "The meter's key is not stored here. Pair the meter again.");
    return;
  }
  if (status != MH_OK) {
    keyed_fail(session, MH_FAIL_COMMUNICATION, 0, "The host cannot compute with the meter's key. Read it again.");
    return;
  }
  uint8_t differs = answer.n < 1 + KEYED_CHALLENGE_LENGTH;
  for (uint32_t i = 0; differs == 0 && i < KEYED_CHALLENGE_LENGTH; i++) differs |= answer.p[1 + i] ^ expected[i];
  if (differs != 0) {
    keyed_fail(session, MH_FAIL_KEY_WRONG, 0, "The key is not this meter's. Pair it again with the key on its card.");
    return;
  }
  if (session->purpose == MH_PURPOSE_PAIR) {
    keyed_end(session, (mh_action){.kind = MH_DO_FINISH});
    return;
  }
  keyed_start_report(session);
}

static void controlled(mh_session *session, mh_bytes answer) {
  uint8_t code = answer.p != NULL && answer.n > 0 ? answer.p[0] : 0;
  if (session->phase == KEYED_VERIFYING && code == (KEYED_ANSWER | KEYED_VERIFY))
    verified(session, answer);
  else if (session->phase == KEYED_REPORTING && code == (KEYED_ANSWER | KEYED_REPORT))
    keyed_reported(session, answer);
  else if (session->phase == KEYED_ACKNOWLEDGING && code == (KEYED_ANSWER | KEYED_ACKNOWLEDGE))
    keyed_end(session, (mh_action){.kind = MH_DO_FINISH});
  else
    session->status = MH_E_PROTOCOL;
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
  int is_encrypted = event->status >= (int32_t)MH_SECURITY_ENCRYPTED;
  if (session->phase == KEYED_PAIRING && is_encrypted) read_info(session);
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
      if (event->handle == session->data) keyed_received(session, event->value, sink);
      break;
    case MH_EV_WROTE:
      if (event->status != 0)
        keyed_fail(session, MH_FAIL_COMMUNICATION, event->status, "The meter refuses a command. Read it again.");
      break;
    case MH_EV_TIMER:
      /* One that ran out just before it was cancelled says nothing: a person is typing. */
      if (session->phase != KEYED_ASKING)
        keyed_fail(session, MH_FAIL_TIMEOUT, 0, "The meter fell silent. Keep it close by and retry.");
      break;
    case MH_EV_CANCEL: keyed_end(session, (mh_action){.kind = MH_DO_FINISH}); break;
    case MH_EV_DISCONNECTED:
      keyed_fail(session, MH_FAIL_COMMUNICATION, event->status, "The meter went away. Read it again.");
      break;
    case MH_EV_SERVICE_CHANGED:
      if (session->phase != KEYED_IDLE)
        keyed_fail(session, MH_FAIL_COMMUNICATION, 0, "The meter has changed its services. Read it again.");
      break;
    case MH_EV_CONNECTED:
    case MH_EV_MTU:
    case MH_EV_ADVERTISEMENT: break;
    default: session->status = MH_E_UNSUPPORTED; break;
  }
}

int32_t keyed_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->is_waiting || session->next < session->n_queue;
  if (event->kind == MH_EV_CONTINUE) return is_pending ? keyed_drain(session, sink) : MH_OK;
  if (is_pending) return MH_E_ARG;
  session->status = MH_OK;
  if (session->phase != KEYED_ENDED) handle(session, event, sink);
  return keyed_drain(session, sink);
}

void keyed_close(mh_session *session) { free(session); }
