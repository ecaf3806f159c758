/* A session with a meter of A&D: the clock if that was asked for, subscribe, take what it sends, end when it falls silent. */
#ifndef AANDD_SESSION_H
#define AANDD_SESSION_H

#include <meterhost/driver.h>

int32_t aandd_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t aandd_event(mh_session *session, const mh_event *event, mh_sink *sink);
void aandd_close(mh_session *session);

#endif
