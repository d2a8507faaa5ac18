// D-Bus, by systemd's library.
#include <systemd/sd-bus.h>
