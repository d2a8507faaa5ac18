// Written by Scripts/generate-error-table from the comments of the codes; run it again instead of editing.

/// What `usher help CODE` prints.
enum ErrorTexts {
    /// A line each: number, name, meaning, remedy and page, separated by tabs.
    static let table = #"""
        U1001	json.empty	there is nothing but white space	send one JSON object
        U1002	json.bom	the text begins with a byte order mark	save the text as UTF-8 without a byte order mark
        U1003	json.invalid-utf8	the text is not UTF-8	send UTF-8; UTF-16 and Latin-1 are not read
        U1004	json.syntax	the text is not JSON (RFC 8259)	correct the text there; comments, trailing commas and single quotes are not JSON
        U1005	json.trailing-data	something follows the end of the value	send one value; only a stream, as standard input is one, has several
        U1006	json.duplicate-key	one object has the same member twice	keep one of the two members; readers disagree about which one counts
        U1007	json.depth	values are nested deeper than 512 levels	flatten the payload
        U1008	json.number-range	a number is beyond the range of a double	send the number as a string
        U1009	json.lone-surrogate	an escape is half of a surrogate pair	escape characters above U+FFFF as two \u escapes, or send them as UTF-8
        U1010	json.too-large	the text is 4 GiB or more	send less
        U1011	json.top-level-not-object	the outermost value is not an object	send an object, such as {"aps":{…}}
        U1012	member.type	a member has the wrong JSON type	send what the message names
        U1013	member.value	a member has a value that it cannot have	send what the message names
        U1014	member.missing	a member is missing that has to be there	add the member
        U1015	member.empty	a member is an empty text	send a text
        U1016	member.unknown	a member is not defined; it is ignored (a warning)	check the spelling; your own values go into userInfo or the payload
        U1017	member.null	a member is null and counts as absent (a warning)	leave the member out
        U1101	aps.type	aps is not an object	make aps an object: {"aps":{"alert":"…"}}
        U1102	aps.missing	there is no aps (an error or a warning)	add {"aps":{…}} unless this is a Wallet or MDM push
        U1103	aps.unknown-key	aps has a member Apple does not define; it is ignored (a warning)	put your own keys beside aps
        U1104	aps.misspelt-target	a member of aps looks like a misspelt target-content-id; it is ignored (a warning)	write target-content-id
        U1105	aps.flag-is-boolean	a flag is true or false where a number is documented (a warning)	send 1 or 0
        U1106	aps.null-member	a member of aps is null and counts as absent (a warning)	leave the member out
        U1107	aps.background-with-alert	a background push has something to show (a warning)	send push type alert, or leave alert, badge and sound out
        U1108	aps.event.start-incomplete	the start of a Live Activity lacks attributes-type, attributes or alert (a warning)	add the missing members
        U1110	aps.alert.type	alert is neither a string nor an object	send a string, or an object with title and body
        U1124	aps.alert.args-without-key	arguments have no key to be put into (a warning)	add the key, or leave the arguments out
        U1130	aps.badge.type	badge is not a number	send a number without quotes
        U1131	aps.badge.range	badge is not a whole number from 0	send 0 to remove the badge, or a positive whole number
        U1137	aps.sound.volume.range	volume is outside 0…1	send a number from 0 to 1
        U1140	aps.thread-id.type	thread-id is not a string	quote it
        U1142	aps.content-available.type	content-available is not a number	send 1 without quotes
        U1149	aps.relevance-score.range	relevance-score is outside 0…1	send a number from 0 to 1; only Live Activities may exceed it
        U1155	aps.event.enum	event is none of start, update and end	send start, update or end
        U1163	aps.misplaced	a member of aps stands beside it, where it shows nothing (a warning)	move it into aps
        U1201	target.empty	the identifier is empty	send the identifier of the content, or leave the member out
        U1202	target.blank	the identifier is nothing but white space; it is used as it is (a warning)	send the identifier of the content
        U1203	target.type	the identifier is not a string	send a string; quote numbers
        U1204	target.nul	the identifier contains a NUL character	leave the NUL out; it would cut the identifier short in argv and in databases
        U1205	target.control-character	the identifier contains control characters (a warning)	send an identifier without line breaks and escapes
        U1206	target.bidi	the identifier contains characters that reorder text on a screen (a warning)	send an identifier without bidirectional controls
        U1207	target.too-long	the identifier is longer than 16 KiB	send a shorter identifier
        U1208	target.misplaced	the identifier is not inside aps; it is ignored (a warning)	move it into aps
        U1210	target.misspelt	a member looks like a misspelt targetContentIdentifier; it is ignored (a warning)	write targetContentIdentifier
        U1301	size.too-large	the payload is larger than its push type allows (an error or a warning)	send less: 4096 bytes, 5120 for voip
        U1302	size.line-too-long	a line is longer than 1 MiB	send shorter lines
        U1407	shortcut.icon.ambiguous	icon has more than one of symbolName, templateImageName and type (a warning)	keep one
        U1412	shortcut.unknown-type	no app has a shortcut item of that type; nothing completes a payload of it (an error or a warning)	declare the type as [[shortcuts]] in the app's manifest, or register it with usher shortcut add
        U1413	shortcut.targets-differ	targetContentIdentifier and target-content-id are not the same	keep one of the two members
        U1510	activity.required-user-info-keys.absent	userInfo lacks a required key (a warning)	add the key to userInfo
        U1521	activity.no-subject	nothing says which content the activity is about; it takes part in nothing (a warning)	add targetContentIdentifier, persistentIdentifier or webpageURL
        U1526	attributes.type	a member of contentAttributeSet or mapItem has the wrong JSON type, or one of them is no object	send degrees as a number, such as 47.37; names and parts of addresses as strings
        U1527	attributes.latitude	the latitude in contentAttributeSet is beyond 90 degrees	send degrees from -90 to 90; check that latitude and longitude are not exchanged
        U1528	attributes.longitude	the longitude in contentAttributeSet is beyond 180 degrees	send degrees from -180 to 180
        U1529	attributes.coordinate	contentAttributeSet has one of latitude and longitude	send both, or neither
        U1530	attributes.named-location	contentAttributeSet has an address or coordinates, and no namedLocation	say in namedLocation what the place is called
        U1531	attributes.phone-number	phoneNumbers is no array of telephone numbers: 3 to 20 digits each, with blanks and + ( ) - . / # * , ; ext	send strings such as "+48 22 123 45 67"
        U1532	attributes.person	contentAttributeSet is about a person, and gives no name	send displayName, or givenName and familyName
        U1601	format.unsupported	the payload is of a format that is not read yet	send apns, simctl, shortcut, activity or an envelope
        U1602	envelope.no-carrier	the envelope carries nothing	add payload, shortcutItem, userActivity or url
        U1603	envelope.several-carriers	the envelope carries more than one thing	send one line for each
        U1604	envelope.nested	an envelope is inside an envelope	unpack the inner one
        U1614	envelope.traceparent.syntax	traceparent is not a W3C trace context; it is ignored (a warning)	send 00-<32 hexadecimal digits>-<16>-<2>
        U1617	envelope.header.value	a header's value is not one that APNs takes (a warning)	see the message for what the header takes
        U1621	simctl.missing-bundle	the file names no Simulator Target Bundle (a warning)	add "Simulator Target Bundle", or name the app on the command line
        U1707	plist.shortcut-item.duplicate-type	two shortcut items have the same type (a warning)	give each item a type of its own
        U2001	resolution.no-app	No app owns the request	name the app, or add its host to `domains`	Resolution.md
        U2002	resolution.ambiguous-app	Several apps declare the activity type or the shortcut type	name the app: `--app ID`, or `app` of an envelope	Resolution.md
        U2003	resolution.no-scene	The app has no window for it and may not make one	let a scene open for it	Resolution.md
        U2004	resolution.no-such-session	The session that the request names is gone	leave `session` out	Resolution.md
        U2005	resolution.content-deleted	The content was deleted	stop sending its id; `usher content restore` takes a deletion back	Resolution.md
        U2006	resolution.redirect-loop	Redirects lead back to their beginning	take one of the redirects back: `usher content list ID`	Resolution.md
        U2007	resolution.not-installed	The program of `launch` is not found	install it, or correct `launch`	Resolution.md
        U2008	scene.unfilled-condition	A warning: a condition of a new window uses a variable that its target has no value for; it counts as FALSEPREDICATE for that window	give the condition another variable, or the target a value for it	Resolution.md
        U2009	resolution.several-apps	A warning: several apps have equal claims to the identifier; the one that was used last is taken	name the app, or give one a longer path in `domains`	Resolution.md
        U2010	scene.unknown	The app has no scene of that name	see the suggestion; `[[scenes]]` of its manifest names them	Resolution.md
        U2011	scene.single	A new window was asked for, and the app has one only	leave `multiple-scenes = false` out of its manifest, if it can have several	Resolution.md
        U2012	scene.limit	A new window was asked for, and the app has as many as `scenes-limit` allows	close one, or raise `scenes-limit`	Resolution.md
        U2013	scene.no-window	The session has no window that could be closed: none is recorded	close it by hand, or end the session without `--window`	Resolution.md
        U2014	scene.handle	The text has the form of no window's handle	write `@3` or `%5` for tmux, `process:PID`, or what `usher scene windows` lists	Resolution.md
        U2015	scene.handle-gone	There is no window with this handle now, or the process has ended	see `usher scene windows`	Resolution.md
        U2016	scene.terminal	The command runs in no terminal that could be the window of a session	run it in the terminal, or give `--handle`	Resolution.md
        U3001	activation.program-not-found	The program is not in `PATH`, or no executable file	install it, or write its path	Activation.md
        U3002	activation.cannot-start	The program could not be started	see the message: directory, length of arguments, `#!` line	Activation.md
        U3003	activation.exit-status	The handler ended with a status other than 0	read what it said, in `help`	Activation.md
        U3004	activation.killed-by-signal	A signal ended the handler	look into the program	Activation.md
        U3005	activation.time-limit	The handler ran longer than its `time-limit` and was stopped	raise `time-limit`, or let the program detach	Activation.md
        U3006	activation.dash-argument	A value that begins with `-` would stand where options stand	write `"--"` before the placeholder	Activation.md
        U3007	activation.unsafe-text	A value cannot be handed over safely: NUL, control characters in keys, a shell in the window	use an `exec` handler	Activation.md
        U3008	activation.window-gone	The window vanished, and those chosen instead did too	nothing: the next request decides anew	Activation.md
        U3009	activation.window-system	Tmux is missing or refused	see the message	Activation.md
        U3010	activation.no-handler	The manifest names no handler for what is to be done	add `launch`, a handle, or `deliver = "focus"`	Activation.md
        U3011	activation.interrupted	A run that had begun it was killed; how far it came is not known (a warning)	`idempotent = true` has it run again instead	Activation.md
        U3012	activation.not-ready	`ready` did not hold in time (a warning), or the program ended before it did	correct `ready`, or raise `launch-grace`	Activation.md
        U3013	activation.window-ambiguous	Several windows are as `focus` says, and none is chosen	say more about the window, or give each session its handle	Activation.md
        U3014	web.loop	The program that opens the page asked for the page again, or the page was opened ten times within 10 seconds	let `[browser] open` name a browser, not `xdg-open`	Activation.md
        U3015	web.no-browser	No browser is known: Usher itself is the desktop's handler of links and the one before is gone, or there is no `xdg-open`	set `[browser] open`, or `usher link-handler install --browser`	Activation.md
        U3016	activation.nested	The handler of a request sent a request, whose handler sent another one, and so on, ten times	let the handler start the program itself, not with `xdg-open` or `usher open`	Activation.md
        U3017	activation.lost-front	Another window took the place of the one that had come to the front, within 300 ms (a warning; the outcome stays)	find the program that takes the keyboard: `seen` of the warning names its window	Activation.md
        U3018	activation.too-many-windows	A warning: requests over TCP without a token have opened as many windows of the app in the last minute as they may	let the sender use a token, or raise `new-windows` of `[server.rate]`	Activation.md
        U3201	continuation.not-handled	The app's `continue` handler did not take the activity	read what it said, in `help`	Continuation.md
        U3202	continuation.newer	The activity is of a newer version than the app; a warning where it is handed over all the same	install the newer app; `newer` says what becomes of such ones	Continuation.md
        U3203	continuation.upgrade	The `upgrade` command gave no activity for this version	see the message	Continuation.md
        U3401	browser.not-connected	The browser does not run, or its extension is off	`usher browser status` and `usher doctor` tell what is missing	Browser.md
        U3402	browser.no-answer	A browser is there and does not answer	start it anew, or switch its extension off and on	Browser.md
        U3403	browser.refused	A browser could not do what it was asked for	its own words say why	Browser.md
        U3404	browser.address	No tab is opened for such an address	tabs are opened for `http` and `https`	Browser.md
        U3501	bus.absent	There is no session bus, or it does not let us in	start Usher within the session, or set `DBUS_SESSION_BUS_ADDRESS`	DesktopApplications.md
        U3502	bus.lost	The session bus went away while an answer was awaited	the next request makes a new connection	DesktopApplications.md
        U3503	bus.no-service	No process owns the name on the session bus, and the bus does not know how to start it	install the application, or a service file of that name in dbus-1/services	DesktopApplications.md
        U3504	bus.not-started	The program of a bus name could not be started	see its service file in dbus-1/services	DesktopApplications.md
        U3505	bus.no-reply	No answer came over the session bus within the time limit	give it longer with `time-limit`	DesktopApplications.md
        U3506	bus.unknown-method	The program is no `org.freedesktop.Application`	start it with `launch = { desktop = … }` or `exec`	DesktopApplications.md
        U3507	bus.refused	The program, or the bus, answered with an error	see the message	DesktopApplications.md
        U3508	bus.message	Something that no message on the bus can carry, or larger than is taken	see the message	DesktopApplications.md
        U3509	bus.left	The program left the session bus before it answered	does it know the screen? `dbus-update-activation-environment DISPLAY WAYLAND_DISPLAY` tells it	DesktopApplications.md
        U3510	entry.unknown	There is no such desktop entry, or it is hidden	the help names the nearest that there is, and the folders that are looked in	DesktopApplications.md
        U3511	entry.broken	A desktop entry does not say how to start its program, or takes no address and is given one	`desktop-file-validate` shows more; correct it, or leave `{target}` out	DesktopApplications.md
        U3512	entry.no-program	The program of a desktop entry is not installed	install it	DesktopApplications.md
        U3513	entry.no-action	A desktop entry has no action of this name	the help names those it has	DesktopApplications.md
        U3514	entry.no-terminal	A desktop entry requires a terminal, and there is none	install one, or name it in `TERMINAL`	DesktopApplications.md
        U3515	entry.not-activated	An entry's bus name could not be called, so its command line was started (a warning)	see the message	DesktopApplications.md
        U3516	entry.foreign	A file in the way of a published entry was not written by Usher	move it away, or give `--directory`	DesktopApplications.md
        U3517	link-handler.no-browser	`usher link-handler install`: no browser is known for pages that no app claims, or it would be Usher itself	name one: `--browser ENTRY.desktop`	DesktopApplications.md
        U3518	link-handler.no-scheme	`usher link-handler install`: no app claims links	give an app `domains` or `schemes`	DesktopApplications.md
        U3601	notification.unavailable	No notification server answers on the session bus	start one, such as dunst or mako, in the session of usherd	Notifications.md
        U3602	notification.refused	The notification server shows no notification	its own words say why	Notifications.md
        U3603	notification.no-actions	A warning: the server has no buttons, so no click comes back	use a server with the capability `actions`	Notifications.md
        U3604	notification.silenced	A warning: the manifest has notifications of this level neither shown nor followed	change `deliver` for this level	Notifications.md
        U3605	notification.rate	A warning: the app has interrupted as often as its `rate` lets it, and this push is not shown	raise `rate`, or have the sender give related pushes one `apns-collapse-id`	Notifications.md
        U3606	notification.quiet	A warning: `quiet` says that nothing is done while the user should not be disturbed	change `quiet`, for example to `"notify"`	Notifications.md
        U3607	notification.answer-late	A warning: an answer was pressed when no sender waited for it any more, so that the press is a click	answer sooner, or have the sender wait longer with `--timeout`	Notifications.md
        U3701	answer.not-waiting	No sender waits for an answer to this delivery: none did, its time is over, or it has ended	have the sender send again, with `--wait-action`	Notifications.md
        U3702	answer.given	The sender has its answer: only the first one counts	`usher deliveries show` says which	Notifications.md
        U3703	answer.action	The notification has no such action, or none that is an answer	give one of those that the message names; the app's manifest has them	Notifications.md
        U3704	answer.too-many	More than 256 answers would be waited for at once, or half as many as `usherd` can have connections. Each notification of a batch counts	answer some of those that wait, or send without waiting	Notifications.md
        U3711	agent.unknown-agent	There is no such agent	the help names those that there are	Agents.md
        U3712	agent.settings-syntax	The settings of the agent are no JSON with comments. Nothing was changed	correct the file; the message has its line and column	Agents.md
        U3713	agent.settings-shape	In the settings of the agent `hooks` is no object, or one of its events no array. Nothing was changed	correct the file	Agents.md
        U3714	agent.settings-read-only	The settings of the agent may not be written, also not by their owner. Nothing was changed	make the file writable: `chmod u+w`	Agents.md
        U3715	agent.settings-foreign	A file in the way of Usher's own was not written by Usher. Nothing was changed	move it away	Agents.md
        U3716	agent.unknown	There is no such session of an agent	`usher agent list` shows those that there are	Agents.md
        U3717	agent.none	A warning: no session of an agent waits, or is done and not seen	nothing: all of them work, or were visited	Agents.md
        U3718	agent.cannot-answer	The session of an agent waits for no answer that Usher could give	answer in its terminal: `usher agent focus ID`	Agents.md
        U3719	agent.ambiguous	Several processes of Codex may be that of the session: none of them comes forward	the help names them: `usher terminal focus --pid N`	Agents.md
        U3801	terminal.none	Neither the process nor a parent of it has a terminal	name a process that runs in a terminal, or its tty	Terminals.md
        U3802	terminal.gone	The process, the tty or the pane is not there any more	nothing: what ran there has ended	Terminals.md
        U3803	terminal.foreign	No process of the user holds the other end of the terminal: it is another user's or a container's	ask as that user, or within the container	Terminals.md
        U3804	terminal.remote	`sshd` holds the terminal: its window is on another machine	bring the window forward on that machine	Terminals.md
        U3805	terminal.no-window	What holds the terminal has no window here	see `usher doctor`: which windows are known, and which display usherd uses	Terminals.md
        U3806	terminal.no-program	No terminal program is installed that could be opened	install one, or name it in `[terminal] program` of usher.toml	Terminals.md
        U3807	terminal.loop	Terminals contain each other, or there are more than eight in each other	detach the client of tmux that shows its own session	Terminals.md
        U3901	seen.locked	A warning: the session is locked	unlock it	Terminals.md
        U3902	seen.not-front	A warning: the window does not have the keyboard	see `seen`: what has it	Terminals.md
        U3903	seen.client-stopped	A warning: the window's process is stopped, or the client of tmux is suspended	continue it with `fg`, or SIGCONT	Terminals.md
        U3904	seen.tab-hidden	A warning: another tab of the terminal is in front	turn to the tab by hand; `[terminal] tabs` of usher.toml says what may be tried	Terminals.md
        U3905	seen.tab-unknown	A warning: nothing tells which tab or window of the terminal is in front	allow `[terminal] probe`, or use a terminal of the table in Windows.md	Terminals.md
        U3906	seen.other-pane	A warning: the client of tmux shows another window or pane, or one is zoomed over it	look for a hook of tmux that selects another one	Terminals.md
        U3907	seen.pane-mode	A warning: the pane is in a mode of tmux, such as copy mode, which is left as it is	leave the mode with `q`	Terminals.md
        U3908	seen.popup	A warning: a popup is open on the tmux server, or the program runs in one	close the popup	Terminals.md
        U3909	seen.unfocused	A warning: the terminal has told tmux that it lost the keyboard	see `seen`: what has it	Terminals.md
        U3910	seen.pane-unknown	A warning: an editor, or a multiplexer such as GNU screen, is in between, and which of its windows it shows is not known	turn to it by hand	Terminals.md
        U3911	seen.other-program	A warning: another program runs there now	nothing: the one that was meant has ended	Terminals.md
        U3912	seen.lost-front	A warning: something else came to the front at once	find the program that takes the keyboard	Terminals.md
        U3913	seen.no-window	A warning: the terminal of the client of tmux has no window here	attach a client in a terminal on this desktop	Terminals.md
        U3914	seen.no-client	A warning: no client of tmux shows the session, and none was opened	attach one; `--detached open` opens a terminal	Terminals.md
        U3915	seen.off-screen	A warning: less than half of the window is on the screens	move the window back onto a screen	Terminals.md
        U3916	seen.covered	A warning: other windows cover half of what is on the screens, or more	see what stays above all other windows	Terminals.md
        U3917	seen.other-target	A warning: the window shows other content	see what it shows; the page may still be loading	Terminals.md
        U4001	store.cannot-open	Folder or file cannot be made or opened	own the folder, or name another with `--state`	Store.md
        U4002	store.corrupt	The file is damaged	put a backup in its place, or move it away	Store.md
        U4003	store.newer-version	A newer Usher or an unreleased build wrote it	use that one, or another folder	Store.md
        U4004	store.foreign-file	The file is a database of another program	move it away, or use another folder	Store.md
        U4005	store.disk-full	The file system is full	free some space; what was recorded is safe	Store.md
        U4006	store.read-only	The store cannot be written	make file and folder writable	Store.md
        U4007	store.busy	Another program holds the lock for longer than 5 s	try again; find it with `fuser`	Store.md
        U4008	store.failed	SQLite refused for another reason	see the message	Store.md
        U4009	store.session-taken	The session id belongs to another app or scene	choose another `--session`	Store.md
        U4010	store.too-many-conditions	The sessions have 10,000 different conditions that no index finds	add a literal to the condition	Store.md
        U4101	delivery.dropped	It was dropped before its effect began	`usher deliveries retry` takes it up again	Deliveries.md
        U4104	delivery.tried-again	A try failed and was followed by another (a warning)	`retry` says how often; the record has what came of the last	Deliveries.md
        U4105	store.gone	The store's file was removed, moved or replaced while it was open	move its folder back, or start the program again	Deliveries.md
        U4500	activity.not-in-front	What the window in front shows is not known, and no other window counts	name the content by its identifier, or let the app report it	Activities.md
        U4501	activity.undeclared-type	No app declares the activity's type, or the named app declares others	add it to `activity-types`	Activities.md
        U4502	activity.no-such-activity	There is no activity of that id	see `usher activity list --all`	Activities.md
        U4503	activity.session-lost	The session has no window	`usher scene connect --session` says that it has one again	Activities.md
        U4504	activity.too-large	The activity is larger than 128 KiB	keep what leads back to the content, not the content	Activities.md
        U4505	activity.none	Nothing is current	`usher activity become-current`	Activities.md
        U4506	activity.no-such-process	There is no process of that number	give the one that shows the window	Activities.md
        U4507	activity.no-such-app	The session's app has no manifest	install it	Activities.md
        U4508	activity.busy	Others change the activity all the time	try again	Activities.md
        U4509	activity.not-saved	The save command gave no fresh `userInfo` (a warning)	see the message	Activities.md
        U4510	note.no-such-note	There is no such note	see `usher note list`	Notes.md
        U4511	note.none-in-progress	No note is in progress, or none was put aside	`usher note new`, or `usher note resume NOTE`	Notes.md
        U4512	note.text	A text that no note can have: blank, more than 1 MiB, or with a NUL	attach files to the note instead	Notes.md
        U4513	note.changed-meanwhile	The note was changed while it was edited	see `usher note show`, and edit it once more	Notes.md
        U4514	note.attachment	The path is no file that can be read, or the digest is none	an absolute path, or `sha256:` and 64 digits	Notes.md
        U4515	note.subcommand	The word after `usher note` is no command, and too close to one to be the text of a note	correct the word, or write `usher note -- TEXT`	Notes.md
        U4516	note.links-unread	The line before the links is missing in an edited note: all of it is text, and the links stay as they are	put `<!-- links -->` on a line of its own before the links	Notes.md
        U4517	note.link-line	A line below the links of an edited note is no link: it is added to the text, and no link is removed	write `- [TITLE](IDENTIFIER)`	Notes.md
        U4520	link.no-such-link	There is no such link	see `usher link list`	Notes.md
        U4521	link.no-identifier	The activity has no identifier: nothing would lead back to it	the app has to give it one of the three	Notes.md
        U4522	link.identifier	An identifier is empty, longer than 16 KiB, has a NUL, or is no web address where one is needed	see the message	Notes.md
        U4523	link.source	It is not said what the link leads to, or it is said twice	one of `--target`, `--activity` and `--from-current`	Notes.md
        U4524	link.no-such-app	There is no such app	see the suggestion	Notes.md
        U4525	file.moved	The file that a link leads to is not at its path any more, and may be elsewhere	`usher link open LINK --follow`, or `usher content moved OLD NEW` with one of `moved_to`	Notes.md
        U4526	file.gone	The file that a link leads to is not at its path any more, and was not found below the nearest folder that exists	`usher content moved OLD NEW` says where it is	Notes.md
        U4530	redirect.identifier	An identifier is empty, longer than 16 KiB, or has a NUL	give the one that the content has	Redirects.md
        U4531	redirect.onto-itself	Content cannot move onto itself	give the identifier that it has now	Redirects.md
        U4532	redirect.loop	Identifiers would come back to where they were	take one of the moves back: `usher content restore`	Redirects.md
        U4533	redirect.too-long	Identifiers would need more than 32 hops	move the content straight to the newest identifier	Redirects.md
        U4534	redirect.deleted	The content was deleted	`usher content restore` if it is there again	Redirects.md
        U4535	redirect.taken	The content has moved elsewhere already	take that back first: `usher content restore`	Redirects.md
        U4536	redirect.none	There is nothing to take back	see `usher content list`	Redirects.md
        U4540	import.not-an-export	The file is no export of notes	write one with `usher note export`	Notes.md
        U4541	import.cut	The file was cut or changed; nothing was imported	export once more, or copy the file anew	Notes.md
        U4542	import.newer-version	A newer Usher wrote the export	use that one	Notes.md
        U4543	import.line	A line is not as it should be, or speaks of a note that is nowhere; nothing was imported	see the message	Notes.md
        U4544	import.conflict	An id is in the store with other content; nothing was imported	`--keep` or `--replace` decides	Notes.md
        U4545	import.redirect-loop	The redirects of file and store together would lead in a circle, or need too many hops	take one of the moves back: `usher content restore`	Notes.md
        U4546	doctor.file	A file cannot be read or written, or is there already	see the message	Notes.md
        U4547	doctor.in-use	Another process has the store open	stop it first; `fuser` names it	Notes.md
        U4550	doctor.dangling-reference	Rows belong to others that are missing	`usher doctor --repair`	Store.md
        U4551	doctor.text-index	A full-text index does not agree with the texts	`usher doctor --repair`	Store.md
        U4552	doctor.link-without-identifier	A link has no identifier, and leads nowhere	`usher link remove`	Store.md
        U4553	doctor.endless-redirect	A redirect leads nowhere within 32 hops	take it back: `usher content restore`	Store.md
        U4554	doctor.activity-without-session	An activity is current, and its window is gone (a warning)	`usher doctor --repair`	Store.md
        U4555	doctor.permissions	Folder or file are open to other users	`chmod`, as the message says	Store.md
        U4556	doctor.little-space	There are less than 64 MiB left for the store (a warning)	free some space	Store.md
        U4557	doctor.daemon	`usherd` does not answer, or has another version (a warning)	start it anew	Store.md
        U4558	doctor.configuration	The configuration is missing (a warning) or has errors	`usher check` shows them	Store.md
        U4559	doctor.missing-program	Tmux or an editor is not found (a warning)	install it	Store.md
        U4560	menu.program	The program that is to show a menu was not found, or cannot be run	name one that reads lines and writes the chosen one, such as `fzf`, `rofi -dmenu` and `dmenu`	Notes.md
        U4570	id.ambiguous	What was given is the beginning of several ids	give more characters of the one that is meant	Notes.md
        U4571	id.no-list	A number stands for the row of a list, and no list of that kind was printed on a terminal	print one first, as with `usher note list`	Notes.md
        U4572	id.row	The last list has fewer rows than the number says	give the number of one of its rows, or print another list	Notes.md
        U4580	undo.nothing	There is nothing that can be taken back	see `usher undo --list`; changes can be taken back once, for 30 days	Notes.md
        U4581	undo.conflict	Something is in the way of what would come back: nothing was changed	see the message	Notes.md
        U5001	config.not-found	There is no such file or folder	write one with `usher init`, or name another place	Manifests.md
        U5002	config.unreadable	The file or folder cannot be read	see the message	Manifests.md
        U5003	config.not-utf8	The file is not UTF-8	save it as UTF-8	Manifests.md
        U5004	config.too-large	The file is larger than 4 MiB	split it: a manifest an app	Manifests.md
        U5005	config.too-deep	Tables or lists nest deeper than 32	flatten it	Manifests.md
        U5006	config.syntax	The file is not TOML	correct it where the caret stands	Manifests.md
        U5007	config.no-manifest	The folder has no `apps/*.toml`	put a manifest there	Manifests.md
        U5008	config.too-many	There are more than 100 mistakes in the file	correct the first ones	Manifests.md
        U5009	config.info-plist	The property list cannot be used	convert it: `plutil -convert xml1`	Manifests.md
        U5010	plist.variable	A variable of a property list has no value	name a file of `build-settings` that sets it	Manifests.md
        U5011	plist.differs	The manifest and its property list differ; the manifest counts (a warning)	remove one of the values	Manifests.md
        U5101	key.unknown	The table has no such key	see the suggestion
        U5102	key.missing	A required key is missing	add it
        U5103	key.type	The value has the wrong type	write it as the example shows
        U5104	key.value	The value is not one that the key takes	see the message
        U5105	key.misplaced	The key belongs into another table	move it there
        U5203	domain.claimed-twice	Two apps claim the same domain, component or scheme: the one that was used last gets its links	name the app in requests, add paths, or remove one
        U5207	duplicate.value	An id, topic, name, type or text stands twice where each may stand once	change or remove one
        U5214	expect.contradiction	`scene` and `reason` of a route test exclude each other	drop one
        U5215	expect.failed	A route test does not hold	see what `usher check` says of each condition
        U5216	reference.unknown	There is no such app, scene, template or reason	see the suggestion
        U5301	rule.template-never-opened	No scene opens what a template builds	give a scene that `target`, or an `opens`
        U5302	rule.scene-unreachable	Nothing ever leads to the scene	give it an `opens`, a `can` or a `prefers`
        U5303	rule.no-launch	`opens` without `launch` makes no window	add `launch`
        U5304	rule.no-effect	A key has no effect where it stands	see the message
        U5305	rule.template-without-owner	A template's host is not in the domains of its app	add the host to domains
        U5306	rule.quoted-variable	A `$NAME` stands within the quotes of a string in a predicate, where it is no variable (a warning)	write it without quotes: `SELF == $TARGET`
        U5307	scene.always-new	The window of a scene can never be used again: each request for it makes a new one (a warning)	give the scene `prefers = 'SELF == $TARGET'`
        U5308	scene.takes-everything	A scene without `can` takes all requests of its app while a window of it is open: no other scene opens one (a warning)	say with `can` what it can show; where it is meant, write `can = 'TRUEPREDICATE'` or an `[[expect]]`
        U5309	rule.shadowed	A scene, a condition, a table or a hook is never reached: an earlier one takes all that it would take (a warning)	remove it, put it first, or narrow the earlier one
        U5310	scene.second-default	A second scene without `opens`: the first one is the default (a warning)	give it an `opens`, `'FALSEPREDICATE'` if only `usher scene new` makes it
        U5311	rule.contradiction	A condition, or a part of it, is false for every identifier (a warning)	join alternatives by OR
        U5312	rule.question-mark	`?` of a LIKE pattern looks like a URL's question mark, and stands for any one character (a warning)	write `\\?` in the predicate, or use BEGINSWITH
        U5313	type.no-owner	A type of shortcuts or activities is declared by two apps: a request that does not name its app is for neither of them (a warning)	begin the type with the app's id
        U5314	shortcut.no-scene	No scene opens the target of a shortcut: it does nothing while no window is open (a warning)	give a scene an `opens` that accepts the target
        U5315	scene.content-not-shown	A window takes any target, and goes on showing the one that it was launched for: nothing gives it another (a warning)	add `show`, or say with `can` what the window shows
        U5401	command.choice	A handler has none or several of its kinds	keep one: `exec` or `tmux`
        U5402	command.empty	A command has no program	name it first
        U5403	command.placeholder	There is no such placeholder	see the suggestion
        U5404	command.placeholder-not-allowed	Programs and folders cannot come from a payload	hand it over as an argument
        U5405	command.dash	Values that begin with `-` will be refused here	write `"--"` before the placeholder
        U5406	command.shell	A sender's text would become part of a shell script	hand it over as `"$1"`
        U5407	command.not-found	The program is not found now	install it, or correct the path
        U5408	command.key-name	Tmux has no such key	see the suggestion
        U5409	command.handle	`handle` of a `launch` is not "none", or the launch is no `exec`	see the message
        U5507	predicate.empty	No condition at all	TRUEPREDICATE or FALSEPREDICATE	Predicates.md
        U5512	predicate.key-path	A key path other than SELF, or unquoted text	quote text	Predicates.md
        U5516	predicate.missing-operand	An operator without a value beside it	add it	Predicates.md
        U5524	predicate.quantifier	ANY, ALL, SOME or NONE before SELF, or before no comparison	they need a literal array	Predicates.md
        U5528	predicate.syntax	Something else that is no predicate	see what was expected	Predicates.md
        U5530	predicate.too-long	More than 64 KiB, 256 levels, or 4096 conditions and elements	shorten it	Predicates.md
        U5535	predicate.unbalanced	A bracket too many or too few	close it, or remove it	Predicates.md
        U5536	predicate.unknown-escape	An escape that is none, or is not complete	`\\` is a backslash; a literal star in LIKE is `\\*`	Predicates.md
        U5537	predicate.unknown-operator	A word that is no operator, or one that conditions do not have (MATCHES, UTI-EQUALS, selectors)	see the suggestion	Predicates.md
        U5538	predicate.unknown-option	Options other than c and d, without `]`, or where none are taken	`[c]`, `[d]` or `[cd]`	Predicates.md
        U5539	predicate.unknown-variable	A `$NAME` that is not known here, or `:=`	`$TARGET`, or a parameter of the scene's template	Predicates.md
        U5541	predicate.unterminated-string	A string without its closing quote	close it	Predicates.md
        U5542	predicate.value	A value that a condition cannot use: a number, a truth value, an array or a function, unquoted text	compare SELF with text in quotes	Predicates.md
        U5601	template.too-long	More than 16384 bytes	shorten it
        U5611	template.prefix-of-composite	A prefix of a list	drop the prefix
        U5612	template.expansion-too-long	An identifier of more than 16384 bytes	shorten the values
        U5613	template.syntax	Something that RFC 6570 does not have: an expression without end, no name, a literal that is not encoded	write what the message names
        U5701	settings.inline-secret	A secret stands in the configuration itself	put it into a file, and name the file	Configuration.md
        U5702	settings.open-listener	A listener that other machines reach, without TLS or without a token	add `certificate`, `key` and `token-file`, or listen on 127.0.0.1	Configuration.md
        U5703	settings.secret-choice	A secret has two sources	keep one of them	Configuration.md
        U5704	settings.secret-file	A file of secrets or tokens cannot be read, has none in it, or can be read by other users (a warning then)	write the secret into the file, readable for the user of `usherd` only (`chmod 600`)	Configuration.md
        U5711	hooks.name	The name of a hook is taken, or cannot be a part of a path	letters, digits, `.`, `-` and `_`	Configuration.md
        U5713	hooks.condition	A place or a test of a hook has none or several of its kinds	keep one of them	Configuration.md
        U5714	hooks.pointer	A text is no JSON pointer	it begins with a slash: `/alerts/0/labels`	Configuration.md
        U5715	hooks.template	A template of a hook uses what is not in `values`	see the suggestion	Configuration.md
        U5716	hooks.signature	Hooks of one path have different signatures	leave `signature` out in all but the first of them	Configuration.md
        U5717	hooks.expect	An expectation of a hook ([[hooks.NAME.expect]]) does not hold	correct the hook or the expectation: the message says what was expected and what came	Configuration.md
        U5718	hooks.expect-file	The file of an expectation cannot be read, or is no captured request	correct its path; `usher hook listen --out DIR` writes such files	Configuration.md
        U5721	hooks.no-owner	No app claims the host of a hook's target, and the hook names no app (a warning)	add `app` to the hook, or the host to the `domains` of an app	Configuration.md
        U5801	association.unreadable	The association file cannot be read	correct the path, which starts from the manifest's folder	AssociatedDomains.md
        U5802	association.syntax	The file is not JSON	correct it where the caret stands	AssociatedDomains.md
        U5803	association.type	A member has the wrong type	write it as the message says	AssociatedDomains.md
        U5804	association.unknown-member	A warning: the member means nothing	see the suggestion	AssociatedDomains.md
        U5805	association.missing	`applinks`, `details`, `appIDs` or `components` is missing	add it	AssociatedDomains.md
        U5806	association.app-id	No app id: prefix, dot, id of the app	write `ABCDE12345.example.clowntown`, with your team's prefix	AssociatedDomains.md
        U5807	association.no-entry	The file says nothing of the app	add an entry, or name the one that is meant with `app-id`	AssociatedDomains.md
        U5808	association.never-matches	A warning: no path can match the pattern	begin it with `/`; match query and fragment by `?` and `#`	AssociatedDomains.md
        U5809	association.percent-encoding	A warning: the pattern is not encoded as URLs are	write `%XX`, or set `percentEncoded` to false	AssociatedDomains.md
        U5810	association.unreachable	A warning: a component before it takes all that it matches	put the narrower one first	AssociatedDomains.md
        U5814	association.variable	A variable that there is not, that leads back to itself or uses another one; a name, a list of values or a use `$(…)` that is none	see the message	AssociatedDomains.md
        U5815	association.size	A warning: more than 128 KiB, which systems of Apple do not read	use wildcards and variables	AssociatedDomains.md
        U5816	association.legacy	A warning: a form of old systems	write `details` as an array, and leave out `apps`	AssociatedDomains.md
        U5817	association.too-complex	The patterns take too long to match	use fewer values with wildcards	AssociatedDomains.md
        U5818	association.without-domains	`site-association` without `domains`	name the hosts that serve the file	AssociatedDomains.md
        U5901	content.target	A `content` table has both of `target` and `path`, or neither	`path = "{file}"` for a file, `target` for any other identifier	Manifests.md
        U5902	template.variable	`target` or `path` of a `content` table uses a variable that its title does not have (of processes: `{file}`)	see the message	Manifests.md
        U6101	http.malformed	What was received is no HTTP/1.1 request	see the message; lines end with CR LF
        U6102	http.framing	Where the body ends is not clear: two lengths, length and chunks, a broken chunk	send one of Content-Length and chunks
        U6103	http.host	The Host field is missing, there twice, or no host	send the server's name and port once
        U6104	http.head-too-large	The head has more than 16 KiB or 100 fields	send fewer, shorter fields
        U6105	http.target-too-long	The request line does not fit into the head	put the data into the body
        U6106	http.body-too-large	The body is longer than the limit	send it in several requests, or raise `body-limit`
        U6107	http.timeout	Head or body was not complete in time	send a request in one go
        U6108	http.version	The version is not HTTP/1.x	use HTTP/1.1
        U6109	http.not-implemented	A method or transfer coding that is not spoken here	use chunked or Content-Length; there is no proxy
        U6110	http.expectation	An `Expect` field that is not `100-continue`	leave it out
        U6111	http.overloaded	The bodies that are being received fill the memory meant for them	try again after `Retry-After`
        U6112	http.no-answer	There was no answer in time	try again after `Retry-After`
        U6113	http.line-too-long	A line of a JSON Lines connection is longer than 2 MiB	send less in a line
        U6117	http.cannot-listen	An address or socket cannot be listened on	see the message; another process may have it
        U6118	http.certificate	Certificate or key cannot be used, or not together	see the message
        U6201	webhook.method	The method does nothing here	send POST	Webhooks.md
        U6202	webhook.host	The Host is no name of this daemon (DNS rebinding), missing, or there twice	address it as localhost, or add the name to `allowed-hosts`	Webhooks.md
        U6203	webhook.origin	A web page sends, by Origin or Sec-Fetch-Site	add its origin to `allowed-origins`, if it may	Webhooks.md
        U6204	webhook.media-type	The hook does not read bodies of this Content-Type	send `application/json`, or add the form to the hook's `input`	Webhooks.md
        U6205	webhook.token-missing	There is no bearer token, and one is needed	send `Authorization: Bearer TOKEN`	Webhooks.md
        U6206	webhook.token-mismatch	The bearer token is not known	compare it with the file of `token-file`	Webhooks.md
        U6207	webhook.query	A parameter of the query is unknown, there twice, or has a wrong value	see the suggestion	Webhooks.md
        U6208	webhook.header	The sender's id of the event is empty, too long, or there twice	see the message	Webhooks.md
        U6209	webhook.batch-size	A batch has more than 10000 lines, or more than `queue`	send it in several requests	Webhooks.md
        U6210	webhook.unknown	Nothing is served at this path	see `/openapi.json`	Webhooks.md
        U6211	webhook.token-scope	The bearer token is known, and does not permit this	add the scope to its line in the file of `token-file`, or use another token	Webhooks.md
        U6221	hook.unknown	There is no hook of that name	see the suggestion	Webhooks.md
        U6222	hook.no-match	A condition of the hook does not hold; the message says what was found and what is wanted	nothing, if the event is not meant; else correct `when`	Webhooks.md
        U6223	hook.value-missing	The target, the id or an answer needs a value that is not in the request	correct the pointer, or give the value a `default`	Webhooks.md
        U6224	hook.value-type	A value is an array or an object where text is needed, or no time where `expires` needs one	point to a member of it	Webhooks.md
        U6225	hook.elements	`each` leads to no array, or to one of more than 10000 elements	correct the pointer	Webhooks.md
        U6226	hook.target	The target cannot be built: it would be too long	shorten the values	Webhooks.md
        U6227	hook.answer-size	A value of an answer has more than 4096 bytes	none; a challenge is short	Webhooks.md
        U6228	size.form-fields	A form has more than 1000 fields	send fewer fields	Webhooks.md
        U6231	signature.missing	The signature or the token is not there	set the secret at the sender	Webhooks.md
        U6232	signature.malformed	The signature, its time or its id is not of the form that the scheme has, or a token has another algorithm	see the message	Webhooks.md
        U6233	signature.mismatch	The signature is not valid for this request, or the claims of the token are not those of the hook	compare the secrets; does a proxy change the body or the URL?	Webhooks.md
        U6234	signature.stale	The request was signed too long ago, or in the future	set the clocks right; `tolerance`	Webhooks.md
        U6235	signature.secret	The secrets or keys of the hook, or the tokens, cannot be read or used	see the daemon's log; correct the file	Webhooks.md
        U6241	rate.limited	The sender sends too fast	wait as long as Retry-After says; `[server.rate]`	Webhooks.md
        U6242	rate.queue-full	Too many deliveries are open	wait as long as Retry-After says; `queue`	Webhooks.md
        U6301	control.protocol	One side does not speak this protocol	use `usher` and `usherd` of one version	Control.md
        U6302	control.unknown-command	There is no such command	see the suggestion	Control.md
        U6303	control.argument	An argument is missing, unknown or of the wrong kind	see `at` and the suggestion	Control.md
        U6304	control.unreachable	`usherd` does not answer, or closed the connection	try again: it may be starting or stopping	Control.md
        U6305	control.busy	Too many deliveries wait	try again later	Control.md
        U6306	control.session	The configuration has no place for the session that is asked for	see the suggestion	Control.md
        U6307	control.condition	A condition is no predicate	correct it where the caret stands	Control.md
        U6308	control.no-such-delivery	The journal has no such delivery	`usher deliveries list` shows the last ones	Control.md
        U6309	control.no-such-resource	The path takes another method, or there is nothing at it	see `/openapi.json`	Control.md
        U6310	daemon.running	Another usherd has the state folder	stop it, or name another folder with `--state`	Control.md
        U6311	daemon.lock	The lock of the state folder cannot be taken	own the folder, or name another one	Control.md
        U6312	daemon.other-configuration	`--config` names another configuration than usherd's	leave it out, or `usher reload`	Control.md
        U6313	daemon.reload	The configuration has errors: the old one stays in use	`usher check` shows them	Control.md
        U6314	daemon.stopping	`usherd` is stopping	try again when it runs	Control.md
        U6315	control.delivery-state	A delivery in this state cannot be retried or dropped	see what became of it	Control.md
        U6316	control.unsafe-folder	The state folder, the socket's folder or one above belongs to another user, or other users may write into it	`chmod go-w` the folder, run the program as its owner, or name another folder	Control.md
        U6317	control.other-user	What listens on the socket is a process of another user than this one and root	run the command as that user, or name another folder with `--state`	Control.md
        U6401	shortcut.static	The app declares an item of that type in its manifest	give the dynamic item another type, or change the manifest	Manifests.md
        U6402	shortcut.duplicate	Two items of one call have the same type	give each item a type of its own	Manifests.md
        U6403	shortcut.localized-title.missing	The item has no title	add `localizedTitle`	Manifests.md
        U6404	shortcut.too-many	The app would have more than 100 dynamic items	remove some first: `usher shortcut remove TYPE`	Manifests.md
        U6405	shortcut.too-large	An item is longer than 16 KiB	put less into its `userInfo`	Manifests.md
        U6501	usage.file	A file, a folder or standard input cannot be read or written, is there already, or is not what the command reads	see the message	Commands.md
        U6502	usage.missing	What the command needs is not there: a program, a folder, a desktop, or a `usherd` that runs	see the suggestion	Commands.md
        U7001	build.unknown-template	No manifest has a template of that name	see the suggestion	Targets.md
        U7002	build.ambiguous-template	Several apps have a template of that name	name the app	Targets.md
        U7003	build.unknown-variable	The template has no such variable	see the suggestion	Targets.md
        U7004	build.missing-variable	A variable without which the identifier has a hole	give it a value	Targets.md
        U7005	build.empty-variable	Such a variable is empty	give it a value	Targets.md
        U7006	build.empty	The identifier would be empty	give its variables values	Targets.md
        U7007	build.variable-type	A variable is neither text nor a list or an object of text	flatten it	Targets.md
        U7008	request.member	A line lacks a member, or has one of the wrong type	see the message	Targets.md
        U7009	match.none	No template fits the identifier	see `[targets]` in the manifests	Targets.md
        U7107	lint.not-global	A number that other apps give to other content	write it with a scheme, or use a UUID	Targets.md
        U7301	lint.empty	No identifier at all	leave it out, or name the content
        U7302	lint.placeholder	A name that was never filled in	look where the identifier is built
        U7401	lint.credentials	A user name or password	drop it, and change the password
        U7402	lint.spelling	White space, an invisible character, or percent-encoding that other programs spell differently	one normal form (RFC 3986, section 6)
        U7403	lint.too-long	More than 16384 bytes	name the content; do not put it into its identifier
        U7504	lint.activity-type	A type of activities has no dot, so that other apps may have the same	begin it with the app's id
        U8001	place.syntax	A `geo:` URI is not as RFC 5870 says	write `geo:LATITUDE,LONGITUDE`, perhaps with `,ALTITUDE`, then `;crs=wgs84`, `;u=METERS` and other parameters, in this order	Suggestions.md
        U8002	place.latitude	A latitude is below -90 or above 90 degrees	write the latitude first, then the longitude	Suggestions.md
        U8003	place.longitude	A longitude is below -180 or above 180 degrees	write it between -180 and 180	Suggestions.md
        U8004	place.crs	A `geo:` URI has coordinates of another system than WGS 84	convert them to WGS 84	Suggestions.md
        U8005	place.short-link	A short link: where it leads is known to its server only, and Usher asks none	open it in a browser, and take the address that it leads to	Suggestions.md
        U8006	place.nothing	A link of a map service that names no place	take the link that the service offers to share a place	Suggestions.md
        U8007	place.unknown	Neither a `geo:` URI nor a link of a map service that Usher reads	use a `geo:` URI, or a link of a service that `usher help place parse` names	Suggestions.md
        U8101	page.json	A JSON-LD block is no JSON: it is not read, the others are	correct the block; the message says what stands in the way	Suggestions.md
        U8102	page.context	A JSON-LD block, or a part of it, has no `@context` of schema.org: it is not read	give it `"@context": "https://schema.org"`	Suggestions.md
        U8104	page.coordinate	A latitude or longitude is no number, or out of range: both are left out	give degrees as decimal numbers	Suggestions.md
        U8105	page.too-deep	A JSON-LD block has more than 64 levels: it is not read	let nodes refer to each other by `@id`	Suggestions.md
        U8106	page.too-many	The page has more than 100 items, or more data than a browser reads at once: the first of it is read	none is needed	Suggestions.md
        U8108	page.too-large	The document about a page has more than 16 MiB	give the part of it that names the place or person	Suggestions.md
        U8109	page.no-item	A warning: the page of an activity has no item, so that the activity gets no attributes from it	none is needed; `usher page inspect` shows what is read	Suggestions.md
        U8300	vcard.version	A card has no version, or one that is not read: 2.1, 3.0 and 4.0 are	let the program that made the file export vCard 3.0 or 4.0	Suggestions.md
        U8301	vcard.unterminated	A card has no `END:VCARD` before the next one begins, or before the end of the file	export it again; the file was cut, or a card stands within another one	Suggestions.md
        U8302	vcard.no-name	A card names no person and no organization: no `FN`, `N`, `NICKNAME` and `ORG`	give the contact a name in its address book	Suggestions.md
        U8303	vcard.none	The file has no `BEGIN:VCARD`	give a file of contacts: `.vcf`	Suggestions.md
        U8400	interaction.intent	There is no intent of that name	give one of `sendMessage`, `startAudioCall`, `startVideoCall`, `sendEmail`, `playMedia`, `requestRide` and `getDirections`	Suggestions.md
        U8401	interaction.no-participant	A message, a call or an e-mail was with nobody	name the person: `--participant`	Suggestions.md
        U8402	interaction.no-target	What was played is missing	give its identifier: `--target`	Suggestions.md
        U8403	interaction.no-such-app	The app has no manifest	install it, or correct the name	Suggestions.md
        U8404	interaction.future	It is to happen more than a minute from now	correct the time, or the clock of the machine that gave it	Suggestions.md
        U8405	interaction.no-such-interaction	There is no interaction of that id	see `usher interaction list`	Suggestions.md
        U8500	remind.past	The time of the reminder has passed	give a later one	Suggestions.md
        U8501	remind.when	A reminder waits for one thing, and for nothing else	give one of `--at`, `--in`, `--when-opens` and `--when`	Suggestions.md
        U8502	reminder.no-such-reminder	There is no reminder of that id	see `usher reminder list`	Suggestions.md
        U8503	reminder.no-bus	A reminder waits, and there is no session bus on which its notification could be shown	run `usherd` in the session of the desktop, so that `DBUS_SESSION_BUS_ADDRESS` is set	Suggestions.md
        U8510	signal.name	The name of a signal has other characters than a-z, 0-9 and `-`	write it such as `headphones`, `bluetooth`, `car`, `home` or `work`	Suggestions.md
        U8520	forget.what	Nothing says what is to be forgotten	give `--app`, `--source`, `--since`, or `--all` for everything	Suggestions.md
        U8601	suggest.content-type	Neither a content type nor a context says what the text field is for, or the content type is not known	give `--content-type`, or the text before the cursor with `--context`	Suggestions.md
        U8602	suggest.undeclared	The app that suggestions are for does not declare their kind, or there is no such app	add the kind to `suggestions` in the app's manifest	Suggestions.md
        U8603	suggest.kind	There is no such kind of suggestion	ask for `place`, `text`, `contact`, `media` or `app`	Suggestions.md
        U8604	suggest.perform	`usher perform` has no such verb	ask for `place`, `directions`, `ride`, `call`, `message`, `email` or `play`	Suggestions.md
        U8605	suggest.case	A line of `usher suggest --cases` lacks a member, or a member has the wrong type	see the message on standard error	Suggestions.md
        U8701	perform.nothing	Nothing says what it is to be done about	name it on the command line, or look at it first: an activity with attributes is current then	Suggestions.md
        U8702	perform.no-app	No app can do it, or there is no app of that name	declare the verb in `[perform]` of a manifest, and the mode in `directions-modes`	Suggestions.md
        U8703	perform.not-supported	The app does not declare the verb or the mode, or the place cannot be called or reached	name another app, or leave `--app` out	Suggestions.md
        U8704	perform.no-such-item	The media player has no track or playlist at this index path	the places count from 0; `usher media list` shows what plays	Suggestions.md
        U8800	search.name-taken	Another process answers the searches of the desktop under Usher's name	end it; usherd then has the name at once	Suggestions.md
        U8900	schedule.past	The time has passed	give a later one	Notifications.md
        U8901	schedule.time	What was given is no time, or no duration	give RFC 3339, `09:00`, `tomorrow 09:00` or `friday 09:00`; a duration is `90s`, `15m`, `2h` or `7d`	Notifications.md
        U8902	schedule.rule	What was given is no rule	give a duration of at least a second, `day 09:00`, or days such as `mon,thu 09:00`	Notifications.md
        U8903	schedule.when	A notification is to come at one time, or by one rule	give one of `--at`, `--in` and `--every`	Notifications.md
        U8904	schedule.id	The id is empty, longer than 128 bytes, or has control characters	give another one, or none	Notifications.md
        U8905	schedule.too-many	1000 notifications wait already, or 64 MiB of them	remove some, as with `usher notification remove --pending ID`	Notifications.md
        U8906	schedule.unknown	There is no notification of that id in that list	see `usher notification pending` and `usher notification delivered`	Notifications.md
        U8907	schedule.late	A scheduled notification came more than five seconds after its time	none, if the machine slept or `usherd` did not run then; else see whether the clock was set	Notifications.md
        """#
}
