// Desktop entries, by the library that desktops read them with.
#include <gio/gio.h>
#include <gio/gdesktopappinfo.h>
