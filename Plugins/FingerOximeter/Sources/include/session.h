/* The session: subscribe, start the stream where it has to be started, wait until the values are steady, finish. */
#ifndef FINGER_OXIMETER_SESSION_H
#define FINGER_OXIMETER_SESSION_H

#include <meterhost/driver.h>

int32_t fo_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t fo_event(mh_session *session, const mh_event *event, mh_sink *sink);
void fo_close(mh_session *session);

#endif
