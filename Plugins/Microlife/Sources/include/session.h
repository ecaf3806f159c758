/* A session with a monitor: which kind it is, its clock if that was asked for, its memory. */
#ifndef MICROLIFE_SESSION_H
#define MICROLIFE_SESSION_H

#include <meterhost/driver.h>

int32_t microlife_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t microlife_event(mh_session *session, const mh_event *event, mh_sink *sink);
void microlife_close(mh_session *session);

#endif
