/* One session with a scale. */
#ifndef SOEHNLE_SESSION_H
#define SOEHNLE_SESSION_H

#include <meterhost/driver.h>

int32_t soehnle_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t soehnle_event(mh_session *session, const mh_event *event, mh_sink *sink);
void soehnle_close(mh_session *session);

#endif
