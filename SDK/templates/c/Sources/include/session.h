/* A session: what the driver asks of the meter, and what it makes of the answers. */
#ifndef SESSION_H
#define SESSION_H

#include <meterhost/driver.h>

int32_t session_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t session_event(mh_session *session, const mh_event *event, mh_sink *sink);
void session_close(mh_session *session);

#endif
