// The X protocol; the extension that knows which process a window is of; the one that knows how long a keyboard was idle; those that
// know the shapes of windows, and the screens.
#include <xcb/xcb.h>
#include <xcb/xcbext.h>
#include <xcb/res.h>
#include <xcb/sync.h>
#include <xcb/shape.h>
#include <xcb/randr.h>

// Variables of an incomplete type, whose addresses Swift cannot take.
static inline xcb_extension_t *usher_xcb_res(void) { return &xcb_res_id; }
static inline xcb_extension_t *usher_xcb_sync(void) { return &xcb_sync_id; }
static inline xcb_extension_t *usher_xcb_shape(void) { return &xcb_shape_id; }
static inline xcb_extension_t *usher_xcb_randr(void) { return &xcb_randr_id; }
