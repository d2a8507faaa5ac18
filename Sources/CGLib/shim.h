// Key files, by the library that desktops read them with.
#include <glib.h>
