/* The frames of a weighing: the weight, then with the heart rate and an impedance, then the other impedance, then that
 * the person has left. They become one record, which goes when nothing more can come. */
#include "state.h"

#define SECOND UINT64_C(1000000000)
/* The heart rate takes the scale so long; who wears shoes gets none. */
#define REST_WAIT (30 * SECOND)

static void emit(mh_session *session, const mibeacon_measure *measure) {
  if (session->n_outgoing < MIBEACON_RECORDS) session->outgoing[session->n_outgoing++] = *measure;
}

/* The measurement and the memory of it are one unit (rule R25). */
static void deliver(mh_session *session, const mibeacon_measure *measure, const mh_event *event) {
  session->last = (mibeacon_last){.unix_us = event->unix_us, .measure = *measure, .is_known = 1};
  session->status = mibeacon_last_store(session->host, session->peer, &session->last);
  if (session->status != MH_OK) return;
  session->has_result = session->has_delivered = 1;
  emit(session, measure);
}

static void stop_waiting(mh_session *session, const mh_event *event) {
  int is_asking = event->kind == MH_EV_ADVERTISEMENT || event->kind == MH_EV_USER_INPUT;
  if (session->has_pending && is_asking)
    mibeacon_ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = MIBEACON_TOKEN_REST});
  session->has_pending = 0;
}

void mibeacon_deliver_pending(mh_session *session, const mh_event *event) {
  if (!session->has_pending) return;
  stop_waiting(session, event);
  deliver(session, &session->pending, event);
}

void mibeacon_conclude(mh_session *session) {
  int is_done = session->purpose == MH_PURPOSE_READ && session->has_delivered && !session->has_pending;
  if (is_done && !session->has_ended && session->status == MH_OK) mibeacon_finish(session);
}

/* A second impedance behind a weighing that went without it: the same record with one fact more. */
static void add_to_last(mh_session *session, const mibeacon_measure *measure) {
  session->has_result = 1;
  if (session->last.measure.second_impedance != 0 || !mibeacon_measure_has_time(measure)) return;
  mibeacon_measure_join(&session->last.measure, measure);
  session->status = mibeacon_last_store(session->host, session->peer, &session->last);
  if (session->status == MH_OK) emit(session, &session->last.measure);
}

static void second_impedance(mh_session *session, const mibeacon_measure *measure, const mh_event *event) {
  if (session->has_pending && mibeacon_measure_is_same(&session->pending, measure)) {
    mibeacon_measure_join(&session->pending, measure);
    mibeacon_deliver_pending(session, event);
  } else if (mibeacon_last_is(&session->last, measure, event->unix_us)) {
    add_to_last(session, measure);
  } else {
    session->early = *measure;
    session->has_early = 1;
  }
}

static void weight(mh_session *session, mibeacon_measure measure, const mh_event *event) {
  int is_pending = session->has_pending && mibeacon_measure_is_same(&session->pending, &measure);
  /* Somebody else stands there: who waits was weighed all the same. */
  if (!is_pending) mibeacon_deliver_pending(session, event);
  if (session->status != MH_OK) return;
  if (!is_pending && mibeacon_last_is(&session->last, &measure, event->unix_us)) {
    session->has_result = 1;
    return;
  }
  if (is_pending) mibeacon_measure_join(&measure, &session->pending);
  if (session->has_early && mibeacon_measure_is_same(&session->early, &measure))
    mibeacon_measure_join(&measure, &session->early);
  session->has_early = 0;
  measure.is_doubtful = (uint8_t)mibeacon_last_is_older(&session->last, &measure);
  if (measure.may_grow && measure.second_impedance == 0) {
    session->pending = measure;
    session->has_pending = 1;
    mibeacon_timer(session, MIBEACON_TOKEN_REST, REST_WAIT);
  } else {
    stop_waiting(session, event);
    deliver(session, &measure, event);
  }
}

void mibeacon_received(mh_session *session, const mibeacon_measure *measure, const mh_event *event) {
  if (measure->is_left)
    mibeacon_deliver_pending(session, event);
  else if (measure->weight == 0)
    second_impedance(session, measure, event);
  else
    weight(session, *measure, event);
  mibeacon_conclude(session);
}
