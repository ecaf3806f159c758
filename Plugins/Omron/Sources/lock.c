/* How the memory is opened: with a key that pairing gave the monitor, or with four bytes that it repeats.
 *
 * The key is a random one for each monitor and lies encrypted in the host's storage. It is stored in the unit that carries
 * it to the monitor: the host has it before the monitor does, and a link that breaks in between costs nothing. A key
 * that is stored already is given again, so that no key which a monitor holds is ever forgotten. */
#include <string.h>

#include "state.h"

#define KEY "meter/secret/key"
#define MODE_ATTEMPTS 5u
#define TOKEN_ATTEMPTS 2u

enum { SHOW_KEY = 0x01, ASK_MODE = 0x02, GIVE_KEY = 0x00, GIVE_TOKEN = 0x11, ANSWER = 0x80 };

/* The key of a frame is followed by nothing; the token by zeros, up to the length that the maker's program sends. */
static void send(mh_session *session, uint8_t command, const uint8_t *bytes, uint32_t n, uint32_t length) {
  uint8_t value[OMRON_WRITE_MAX] = {command};
  if (bytes != NULL) memcpy(value + 1, bytes, n);
  omron_wait(session, OMRON_PATIENCE);
  omron_write(session, session->lock, session->lock_answers, value, length);
}

static void ask_mode(mh_session *session) {
  session->phase = OMRON_KEY_MODE;
  send(session, ASK_MODE, NULL, 0, 1 + OMRON_KEY_LENGTH);
}

static void show_key(mh_session *session) {
  session->phase = OMRON_KEY_SHOWING;
  send(session, SHOW_KEY, session->key, OMRON_KEY_LENGTH, 1 + OMRON_KEY_LENGTH);
}

static void give_key(mh_session *session) {
  if (!session->has_key) {
    mh_bytes key = {session->key, OMRON_KEY_LENGTH};
    if (session->host->random(session->host->ctx, session->key, OMRON_KEY_LENGTH) != MH_OK ||
        session->host->kv_set(session->host->ctx, session->peer, omron_text(KEY), key) != MH_OK) {
      omron_fail(session, MH_FAIL_PAIRING, 0, "The gateway cannot keep a key for this monitor. Free space and pair again.");
      return;
    }
    session->has_key = 1;
  }
  session->phase = OMRON_KEY_GIVING;
  send(session, GIVE_KEY, session->key, OMRON_KEY_LENGTH, 1 + OMRON_KEY_LENGTH);
}

static void load_key(mh_session *session) {
  uint64_t n = OMRON_KEY_LENGTH;
  int32_t status = session->host->kv_get(session->host->ctx, session->peer, omron_text(KEY), session->key, &n);
  session->has_key = status == MH_OK && n == OMRON_KEY_LENGTH;
}

static void open_with_token(mh_session *session) {
  if (session->lock == 0) {
    omron_open_memory(session);
    return;
  }
  if (session->host->random(session->host->ctx, session->token, OMRON_TOKEN_LENGTH) != MH_OK) {
    omron_fail(session, MH_FAIL_COMMUNICATION, 0, "There are no random numbers for the monitor. Read it again.");
    return;
  }
  session->phase = OMRON_TOKEN;
  send(session, GIVE_TOKEN, session->token, OMRON_TOKEN_LENGTH, 20);
}

void omron_open_lock(mh_session *session) {
  session->attempts = 1;
  if (session->layout->lock == OMRON_LOCK_TOKEN) {
    open_with_token(session);
    return;
  }
  load_key(session);
  /* The maker's program begins every session with this question, whatever it wants. */
  if (session->has_key || session->purpose != MH_PURPOSE_PASSIVE)
    ask_mode(session);
  else
    omron_fail(session, MH_FAIL_KEY_MISSING, 0, "This monitor's key is not stored here. Pair it: hold its Bluetooth "
                                                "button until -P- blinks.");
}

/* A person who reads a paired monitor without a key wants it to have one; nobody asked a passive read for that. */
static int gives_key(const mh_session *session) {
  return session->purpose == MH_PURPOSE_PAIR || !session->has_key;
}

static void mode_answered(mh_session *session, uint8_t code) {
  if (!gives_key(session)) {
    session->attempts = 1;
    show_key(session);
    return;
  }
  if (code == 0 || session->attempts >= MODE_ATTEMPTS) {
    /* Monitors are told of that say something else here and take a key all the same: what they say to the key decides. */
    session->attempts = 1;
    give_key(session);
    return;
  }
  /* The link may still be changing to encryption: once more in a second. */
  omron_wait(session, OMRON_SECOND);
}

static void key_answered(mh_session *session, uint8_t code) {
  if (code == 0)
    omron_open_memory(session);
  else if (session->phase == OMRON_KEY_GIVING)
    /* A monitor that holds this very key refuses it: then it opens with it. */
    show_key(session);
  else if (session->purpose == MH_PURPOSE_PAIR)
    omron_fail(session, MH_FAIL_PAIRING, code,
               "The monitor takes no key. Take a battery out for a moment, hold the Bluetooth button until -P- blinks, and "
               "pair it again.");
  else
    omron_fail(session, MH_FAIL_KEY_WRONG, code,
               "The monitor holds another program's key. Pair it again: hold its Bluetooth button until -P- blinks.");
}

void omron_lock_answered(mh_session *session, mh_bytes answer) {
  uint8_t kind = answer.p != NULL && answer.n >= 2 ? answer.p[0] : 0, code = kind != 0 ? answer.p[1] : 0;
  if (session->phase == OMRON_KEY_MODE && kind == (ANSWER | ASK_MODE)) {
    mode_answered(session, code);
  } else if (session->phase == OMRON_KEY_GIVING && kind == (ANSWER | GIVE_KEY)) {
    key_answered(session, code);
  } else if (session->phase == OMRON_KEY_SHOWING && kind == (ANSWER | SHOW_KEY)) {
    key_answered(session, code);
  } else if (session->phase == OMRON_TOKEN && kind == (ANSWER | GIVE_TOKEN) && code == 0 &&
             answer.n >= 2 + OMRON_TOKEN_LENGTH && memcmp(answer.p + 2, session->token, OMRON_TOKEN_LENGTH) == 0) {
    omron_open_memory(session);
  } else {
    session->status = MH_E_PROTOCOL;
  }
}

int omron_lock_again(mh_session *session) {
  session->attempts++;
  switch (session->phase) {
    case OMRON_KEY_MODE:
      if (!gives_key(session)) {
        /* Other programs never ask, and are let in. */
        session->attempts = 1;
        show_key(session);
        return 1;
      }
      if (session->attempts > MODE_ATTEMPTS) return 0;
      ask_mode(session);
      return 1;
    case OMRON_KEY_GIVING:
      if (session->attempts > OMRON_ATTEMPTS) return 0;
      give_key(session);
      return 1;
    case OMRON_KEY_SHOWING:
      if (session->attempts > OMRON_ATTEMPTS) return 0;
      show_key(session);
      return 1;
    default:
      /* Firmwares are known that never answer it, and give their memory. */
      if (session->attempts > TOKEN_ATTEMPTS)
        omron_open_memory(session);
      else
        send(session, GIVE_TOKEN, session->token, OMRON_TOKEN_LENGTH, 20);
      return 1;
  }
}
