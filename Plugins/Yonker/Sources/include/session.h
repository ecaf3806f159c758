/* A session with a cuff: subscribe, take results, end when it falls silent. */
#ifndef YONKER_SESSION_H
#define YONKER_SESSION_H

#include <meterhost/driver.h>

int32_t yonker_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t yonker_event(mh_session *session, const mh_event *event, mh_sink *sink);
void yonker_close(mh_session *session);

#endif
