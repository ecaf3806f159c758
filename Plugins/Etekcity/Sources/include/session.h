/* The session of a scale: one that is connected to, or one that only calls out. */
#ifndef ETEKCITY_SESSION_H
#define ETEKCITY_SESSION_H

#include <meterhost/driver.h>

int32_t etekcity_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t etekcity_event(mh_session *session, const mh_event *event, mh_sink *sink);
void etekcity_close(mh_session *session);

#endif
