/* The keyed meter's session. */
#ifndef KEYED_SESSION_H
#define KEYED_SESSION_H

#include <meterhost/driver.h>

int32_t keyed_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t keyed_event(mh_session *session, const mh_event *event, mh_sink *sink);
void keyed_close(mh_session *session);

#endif
