/* One session with a heart-rate monitor: subscribe, watch the stream until it has settled, finish. */
#ifndef HEART_RATE_SESSION_H
#define HEART_RATE_SESSION_H

#include <meterhost/driver.h>

int32_t heart_rate_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t heart_rate_event(mh_session *session, const mh_event *event, mh_sink *sink);
void heart_rate_close(mh_session *session);

#endif
