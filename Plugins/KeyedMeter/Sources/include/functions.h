/* Functions that tools call by name (rule R19). None of them touches a key: the host lends none inside such a call. */
#ifndef KEYED_FUNCTIONS_H
#define KEYED_FUNCTIONS_H

#include <meterhost/driver.h>

#define KEYED_FUNCTIONS 2u
extern const mh_extension_function keyed_functions[KEYED_FUNCTIONS];

#endif
