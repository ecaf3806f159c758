/* One session with a scale. */
#ifndef BEURER_SESSION_H
#define BEURER_SESSION_H

#include <meterhost/driver.h>

int32_t beurer_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t beurer_event(mh_session *session, const mh_event *event, mh_sink *sink);
void beurer_close(mh_session *session);

#endif
