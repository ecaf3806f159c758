/* The session: subscribe, wait until the meter itself calls a measurement good, tell it that it was taken, finish. */
#ifndef NONIN_SESSION_H
#define NONIN_SESSION_H

#include <meterhost/driver.h>

/* Parameter of a model that is told when its measurement has been taken. */
#define NONIN_PARAM_COMPLETES (MH_PARAM_VENDOR + 0u)

int32_t nonin_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t nonin_event(mh_session *session, const mh_event *event, mh_sink *sink);
void nonin_close(mh_session *session);

#endif
