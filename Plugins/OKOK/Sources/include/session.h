/* The scale's session: advertisements of most of them, notifications of those that call themselves SWAN. */
#ifndef OKOK_SESSION_H
#define OKOK_SESSION_H

#include <meterhost/driver.h>

int32_t okok_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t okok_event(mh_session *session, const mh_event *event, mh_sink *sink);
void okok_close(mh_session *session);

#endif
