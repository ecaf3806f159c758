/* One session with a scale. */
#ifndef MEDISANA_SESSION_H
#define MEDISANA_SESSION_H

#include <meterhost/driver.h>

int32_t medisana_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t medisana_event(mh_session *session, const mh_event *event, mh_sink *sink);
void medisana_close(mh_session *session);

#endif
