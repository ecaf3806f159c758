/* The scale's session, connected or listened to. */
#ifndef QN_SESSION_H
#define QN_SESSION_H

#include <meterhost/driver.h>

int32_t qn_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t qn_event(mh_session *session, const mh_event *event, mh_sink *sink);
void qn_close(mh_session *session);

#endif
