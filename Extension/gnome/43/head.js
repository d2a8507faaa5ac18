/* exported init */
// GNOME Shell 43 and 44.
const {Gio, GLib, Meta, Shell} = imports.gi;
const Main = imports.ui.main;

function init({metadata}) {
    let service = null;
    return {
        enable() {
            service = new WindowService(metadata.usherd);
        },
        disable() {
            // On the lock screen, too, windows are there: a session whose window seemed to be gone would be launched again.
            service.destroy();
            service = null;
        },
    };
}

