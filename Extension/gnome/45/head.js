// GNOME Shell 45 and later.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Meta from 'gi://Meta';
import Shell from 'gi://Shell';
import * as Main from 'resource:///org/gnome/shell/ui/main.js';
import {Extension} from 'resource:///org/gnome/shell/extensions/extension.js';

export default class UsherExtension extends Extension {
    enable() {
        this._service = new WindowService(this.metadata.usherd);
    }

    disable() {
        // On the lock screen, too, windows are there: a session whose window seemed to be gone would be launched again.
        this._service.destroy();
        this._service = null;
    }
}

