/* The scale's session: nothing but advertisements and timers. */
#ifndef MI_SCALE_SESSION_H
#define MI_SCALE_SESSION_H

#include <meterhost/driver.h>

int32_t mi_scale_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t mi_scale_event(mh_session *session, const mh_event *event, mh_sink *sink);
void mi_scale_close(mh_session *session);

#endif
