/* The scale's session: nothing but advertisements, timers and one question. */
#ifndef MIBEACON_SESSION_H
#define MIBEACON_SESSION_H

#include <meterhost/driver.h>

int32_t mibeacon_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t mibeacon_event(mh_session *session, const mh_event *event, mh_sink *sink);
void mibeacon_close(mh_session *session);

#endif
