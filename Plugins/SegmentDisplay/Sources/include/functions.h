/* Functions that tools call by name (rule R19). */
#ifndef SEGMENT_DISPLAY_FUNCTIONS_H
#define SEGMENT_DISPLAY_FUNCTIONS_H

#include <meterhost/driver.h>

#define DISPLAY_FUNCTIONS 1u
extern const mh_extension_function display_functions[DISPLAY_FUNCTIONS];

#endif
