/* The thermometer's session: subscribe, take readings, finish when the meter falls silent. */
#ifndef THERMOMETER_SESSION_H
#define THERMOMETER_SESSION_H

#include <meterhost/driver.h>

int32_t thermometer_open(const mh_host *host, const mh_open *opening, mh_session **out);
int32_t thermometer_event(mh_session *session, const mh_event *event, mh_sink *sink);
void thermometer_close(mh_session *session);

#endif
