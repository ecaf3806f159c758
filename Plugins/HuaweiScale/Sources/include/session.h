/* The scale's session: the handshake, and what is measured. */
#ifndef HUAWEI_SESSION_H
#define HUAWEI_SESSION_H

#include <meterhost/driver.h>

int32_t huawei_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t huawei_event(mh_session *session, const mh_event *event, mh_sink *sink);
void huawei_close(mh_session *session);

#endif
