/* The scale's session: notifications of most of them, advertisements of one. */
#ifndef YUNMAI_SESSION_H
#define YUNMAI_SESSION_H

#include <meterhost/driver.h>

int32_t yunmai_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t yunmai_event(mh_session *session, const mh_event *event, mh_sink *sink);
void yunmai_close(mh_session *session);

#endif
