/* The four functions of sessions. */
#ifndef OMRON_SESSION_H
#define OMRON_SESSION_H

#include <meterhost/driver.h>

int32_t omron_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t omron_event(mh_session *session, const mh_event *event, mh_sink *sink);
void omron_close(mh_session *session);

#endif
