/* A scale that is only listened to: its weights have no number and no time, and each is in hundreds of advertisements. */
#include <meterhost/advertisement.h>

#include "broadcast.h"
#include "state.h"

#define SECOND UINT64_C(1000000000)
#define NOTHING_NEW_AFTER (60 * SECOND)
/* The same number after so long is another weighing. */
#define BURST_US INT64_C(600000000)
/* Hundredths of a kilogram: a person who stands is not weighed twice for what they shift. */
#define SHIFT 30

/* Whether a number that stands is the last weighing still: nobody has stepped off since, as far as was heard. */
static int is_known(const mh_session *session, const qn_reading *reading, const mh_event *event) {
  if (!session->last.is_known || session->has_left) return 0;
  int difference = (int)reading->weight - (int)session->last.weight;
  uint64_t apart = event->unix_us > session->last.unix_us
                       ? (uint64_t)event->unix_us - (uint64_t)session->last.unix_us
                       : (uint64_t)session->last.unix_us - (uint64_t)event->unix_us;
  return difference <= SHIFT && difference >= -SHIFT && apart < (uint64_t)BURST_US;
}

static void stands(mh_session *session, const qn_reading *reading, const mh_event *event) {
  if (is_known(session, reading, event)) {
    session->has_result = 1;
    return;
  }
  session->has_left = 0;
  qn_deliver(session, reading, event);
  if (session->status == MH_OK && session->purpose == MH_PURPOSE_READ) qn_finish(session);
}

void qn_advertised(mh_session *session, const mh_event *event) {
  mh_bytes data = {NULL, 0};
  if (session->phase != QN_IDLE || !mh_ad_find(event->value, MH_AD_MANUFACTURER_DATA, QN_COMPANY, &data)) return;
  qn_reading reading;
  int32_t status = qn_broadcast_read(data, &reading);
  if (status == MH_E_UNSUPPORTED) return;
  if (!session->is_listening) {
    session->is_listening = 1;
    session->last = qn_last_load(session->host, session->peer);
    qn_ask(session, (mh_action){.kind = MH_DO_READY});
    qn_timer(session, QN_TOKEN_SILENCE, NOTHING_NEW_AFTER);
  }
  if (status == MH_E_PROTOCOL) session->status = MH_E_PROTOCOL;
  /* Less than half of the last number, or nothing: they have stepped off. */
  if (status == MH_E_NO_VALUE || (status == MH_OK && reading.weight < session->last.weight / 2)) session->has_left = 1;
  if (status != MH_OK) return;
  if (reading.is_settling)
    qn_put(session, &reading);
  else
    stands(session, &reading, event);
}
