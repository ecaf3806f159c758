/* Weighings that were delivered without an owner and without a composition.
 *
 * The maker's app can give such a one to a user later. The scale computes its composition then, and keeps it as a measurement
 * of that user: the weight would come a second time under another identity. So it is known again by its first bytes, and
 * handed over in two: the weight that was delivered, with its owner, and the composition for itself. */
#include <string.h>

#include "state.h"

static mh_str key(void) {
  static const char name[] = "user/unowned";
  return (mh_str){name, sizeof name - 1};
}

void beurer_recall(mh_session *session) {
  uint64_t n = sizeof session->unowned;
  int32_t status = session->host->kv_get(session->host->ctx, session->peer, key(), session->unowned[0], &n);
  session->n_unowned = status == MH_OK && n % BEURER_HEAD == 0 ? (uint32_t)(n / BEURER_HEAD) : 0;
}

static int is_recalled(const mh_session *session, const beurer_reading *reading) {
  for (uint32_t i = 0; i < session->n_unowned; i++)
    if (memcmp(session->unowned[i], reading->bytes, BEURER_HEAD) == 0) return 1;
  return 0;
}

/* The oldest is forgotten when there is no room: the scale's own memory has none for so many. */
static void remember(mh_session *session, const beurer_reading *reading) {
  if (session->n_unowned == BEURER_UNOWNED_MAX) {
    memmove(session->unowned[0], session->unowned[1], (BEURER_UNOWNED_MAX - 1) * BEURER_HEAD);
    session->n_unowned--;
  }
  memcpy(session->unowned[session->n_unowned++], reading->bytes, BEURER_HEAD);
  mh_bytes value = {session->unowned[0], (uint64_t)session->n_unowned * BEURER_HEAD};
  if (session->host->kv_set(session->host->ctx, session->peer, key(), value) != MH_OK)
    beurer_log(session, "the host does not keep what was weighed without an owner");
}

void beurer_deliver(mh_session *session, const beurer_reading *reading) {
  session->n_readings++;
  int is_known = is_recalled(session, reading);
  if (!beurer_has_composition(reading)) {
    if (reading->user == BEURER_NOBODY && !is_known) remember(session, reading);
    beurer_owe(session, reading);
    return;
  }
  beurer_reading share = *reading;
  share.share = is_known ? BEURER_WEIGHT_ALONE : BEURER_WHOLE_READING;
  beurer_owe(session, &share);
  if (!is_known) return;
  share.share = BEURER_BODY_ALONE;
  beurer_owe(session, &share);
}
