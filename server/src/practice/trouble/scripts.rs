//! The markup and scripts of the awkward pages that need nothing from the request.

/// Path, title and body.
pub(super) const PAGES: &[(&str, &str, &str)] = &[
    ("/trouble/redirect-mid-action", "Redirect in the middle", REDIRECT_MID_ACTION),
    ("/trouble/redirect-mid-action/after", "After the redirect", AFTER_REDIRECT),
    ("/trouble/push-state", "History without a load", PUSH_STATE),
    ("/trouble/before-unload", "Asks before it closes", BEFORE_UNLOAD),
    ("/trouble/endless", "Endless image", ENDLESS),
    ("/trouble/stream", "Event stream", STREAM),
    ("/trouble/hydration", "Late hydration", HYDRATION),
    ("/trouble/popup", "Popup", POPUP),
    ("/trouble/popup/window", "In the popup", POPUP_WINDOW),
    ("/trouble/shadow", "Shadow roots", SHADOW),
    ("/trouble/cookie-banner", "Cookie banner", COOKIE_BANNER),
    ("/trouble/twins", "Twins", TWINS),
    ("/trouble/controls", "All controls", CONTROLS),
    ("/trouble/download", "Download", DOWNLOAD),
    ("/trouble/console", "Console", CONSOLE),
];

pub(super) const ALERT: &str = "<script>alert('A word before you go on');\
    document.getElementById('answer').textContent = 'went on'</script>";

pub(super) const ALERT_LATER: &str = "<script>setTimeout(() => { alert('One second later');\
    document.getElementById('answer').textContent = 'went on' }, 1000)</script>";

pub(super) const CONFIRM_THEN_ALERT: &str = "<script>const yes = confirm('Shall we go on?'); alert('You said ' + (yes ? 'yes' : 'no'));\
    document.getElementById('answer').textContent = yes ? 'yes' : 'no'</script>";

pub(super) const PROMPT: &str = "<script>const name = prompt('Your name?', 'nobody');\
    document.getElementById('answer').textContent = name ?? 'none'</script>";

/// Two ways to die. `at-once`: one list larger than the script engine can hold, which ends the renderer in
/// less than a second and with little memory. `slowly`: lists in the engine's own heap until its bound
/// (2 to 4 GB), half a minute; typed arrays would lie outside it and take the whole machine first.
pub(super) const MEMORY: &str = "<p>Either button ends this tab.</p><div class=\"buttons\">\
    <button id=\"at-once\" onclick=\"atOnce()\">At once</button><button id=\"slowly\" onclick=\"slowly()\">Slowly</button></div>\
    <p id=\"answer\"></p><script>const kept = window.kept = [];\
    function atOnce() { kept.push('x'.repeat(2 ** 28).split('')) }\
    function slowly() { for (;;) kept.push(new Array(1 << 24).fill(0)) }</script>";

pub(super) const SEEN: &str = "<h2>Seen by a script</h2><dl>\
    <dt>User agent</dt><dd id=\"user-agent\"></dd><dt>Language</dt><dd id=\"language\"></dd>\
    <dt>Time zone</dt><dd id=\"time-zone\"></dd><dt>Window</dt><dd id=\"window-size\"></dd>\
    <dt>Touch</dt><dd id=\"touch\"></dd><dt>Scale</dt><dd id=\"scale\"></dd></dl><script>\
    const put = (id, text) => document.getElementById(id).textContent = text;\
    put('user-agent', navigator.userAgent); put('language', navigator.language);\
    put('time-zone', Intl.DateTimeFormat().resolvedOptions().timeZone);\
    put('window-size', innerWidth + ' × ' + innerHeight); put('touch', navigator.maxTouchPoints > 0 ? 'yes' : 'no');\
    put('scale', devicePixelRatio);</script>";

pub(super) const VISITS: &str = "<p>By storage: <span id=\"by-storage\"></span></p><script>\
    const count = Number(localStorage.getItem('visits') ?? 0) + 1; localStorage.setItem('visits', count);\
    document.getElementById('by-storage').textContent = count;</script>";

const REDIRECT_MID_ACTION: &str = "<p>This page goes in a moment.</p><button id=\"act\">Act</button>\
    <script>setTimeout(() => location.replace('/trouble/redirect-mid-action/after'), 300)</script>";

const AFTER_REDIRECT: &str = "<p>This page stays.</p>\
    <button id=\"act\" onclick=\"document.getElementById('answer').textContent = 'acted'\">Act</button><p id=\"answer\"></p>";

const PUSH_STATE: &str = "<nav><a id=\"to-second\" href=\"/trouble/push-state?step=2\">Second step</a></nav>\
    <p id=\"answer\">first step</p><script>document.getElementById('to-second').addEventListener('click', event => {\
    event.preventDefault(); history.pushState({}, '', event.target.href); document.title = 'Second step';\
    document.getElementById('answer').textContent = 'second step' })</script>";

const BEFORE_UNLOAD: &str = "<label for=\"note\">Note</label><input id=\"note\"><p><a id=\"leave\" href=\"/help\">Leave</a></p>\
    <script>addEventListener('beforeunload', event => { event.preventDefault(); event.returnValue = 'stay' })</script>";

const ENDLESS: &str = "<p>The picture below never ends, so the load event never comes.</p>\
    <img src=\"/trouble/endless.svg\" alt=\"A picture without an end\" width=\"80\" height=\"40\">\
    <p id=\"loaded\">not loaded</p><button id=\"ready\" onclick=\"document.getElementById('answer').textContent = 'clicked'\">\
    Usable all the same</button><p id=\"answer\"></p>\
    <script>addEventListener('load', () => document.getElementById('loaded').textContent = 'loaded')</script>";

const STREAM: &str = "<p>Events so far: <span id=\"answer\">0</span></p><script>const stream = new EventSource('/trouble/events');\
    stream.onmessage = () => { const at = document.getElementById('answer'); at.textContent = Number(at.textContent) + 1 }</script>";

const HYDRATION: &str = "<form id=\"late-form\" onsubmit=\"event.preventDefault();\
    document.getElementById('answer').textContent = 'sent ' + JSON.stringify(document.getElementById('late-field').value)\">\
    <label for=\"late-field\">Your message</label><input id=\"late-field\"><button id=\"late-send\">Send</button></form>\
    <p id=\"state\">waiting</p><p id=\"answer\"></p><script>addEventListener('load', () => setTimeout(() => {\
    const old = document.getElementById('late-field'); const fresh = old.cloneNode(); fresh.value = '';\
    old.replaceWith(fresh); document.getElementById('state').textContent = 'ready' }, 800))</script>";

const POPUP: &str = "<p><a id=\"blank\" href=\"/trouble/popup/window\" target=\"_blank\">Open by a link</a></p>\
    <button id=\"open\" onclick=\"window.open('/trouble/popup/window', 'extra', 'width=480,height=320')\">Open by a script</button>";

const POPUP_WINDOW: &str = "<label for=\"popup-field\">In the popup</label><input id=\"popup-field\">\
    <button id=\"popup-button\" onclick=\"document.getElementById('popup-answer').textContent = 'clicked'\">Popup button</button>\
    <p id=\"popup-answer\"></p>";

const SHADOW: &str = "<div id=\"outer-host\"></div><div id=\"closed-host\"></div><p id=\"answer\"></p><script>\
    const say = text => document.getElementById('answer').textContent = text;\
    const outer = document.getElementById('outer-host').attachShadow({ mode: 'open' });\
    outer.innerHTML = '<button id=\"in-shadow\">In the shadow</button><div id=\"inner-host\"></div>';\
    outer.getElementById('in-shadow').onclick = () => say('shadow');\
    const inner = outer.getElementById('inner-host').attachShadow({ mode: 'open' });\
    inner.innerHTML = '<label>Deep field <input id=\"deep-field\"></label><button id=\"in-deep-shadow\">Deeper</button>';\
    inner.getElementById('in-deep-shadow').onclick = () => say('deep ' + inner.getElementById('deep-field').value);\
    const closed = document.getElementById('closed-host').attachShadow({ mode: 'closed' });\
    closed.innerHTML = '<button id=\"in-closed\">Behind a closed door</button>';</script>";

const COOKIE_BANNER: &str = "<style>.cookie-banner { position: fixed; inset: 0; display: grid; place-items: center;\
    background: #0008; z-index: 9 } .cookie-banner[hidden] { display: none } .cookie-banner div { background: #fff; color: #222;\
    padding: 24px; border-radius: 8px } .card-choice { position: relative; display: inline-block; border: 1px solid #889; padding: 12px 16px }\
    .card-choice label { position: absolute; inset: 0; cursor: pointer; padding: 12px 40px }</style>\
    <button id=\"buy\" onclick=\"document.getElementById('answer').textContent = 'bought'\">Buy</button>\
    <p class=\"card-choice\"><input id=\"gift\" type=\"checkbox\"><label for=\"gift\">Wrap it</label>&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;</p>\
    <p id=\"answer\"></p><div class=\"cookie-banner\" id=\"cookie-banner\" role=\"dialog\" aria-label=\"Cookies\"><div>\
    <p>We have no cookies worth mentioning.</p><button id=\"accept-cookies\" \
    onclick=\"document.getElementById('cookie-banner').hidden = true\">Accept</button></div></div>";

const TWINS: &str = "<div class=\"buttons\"><button class=\"twin\" onclick=\"document.getElementById('answer').textContent = 'first'\">Choose</button>\
    <button class=\"twin\" onclick=\"document.getElementById('answer').textContent = 'second'\">Choose</button></div><p id=\"answer\"></p>";

const CONTROLS: &str = "<form id=\"controls\" onsubmit=\"event.preventDefault(); say('submitted')\">\
    <label for=\"c-text\">Text</label><input id=\"c-text\" name=\"text\">\
    <label for=\"c-area\">Longer text</label><textarea id=\"c-area\"></textarea>\
    <label for=\"c-select\">Choice</label><select id=\"c-select\"><option value=\"\">…</option><option value=\"a\">Ash</option><option value=\"b\">Birch</option></select>\
    <label for=\"c-date\">Date</label><input id=\"c-date\" type=\"date\"><label for=\"c-number\">Number</label><input id=\"c-number\" type=\"number\">\
    <label for=\"c-range\">Range</label><input id=\"c-range\" type=\"range\" min=\"0\" max=\"10\">\
    <label for=\"c-colour\">Colour</label><input id=\"c-colour\" type=\"color\">\
    <label for=\"c-readonly\">Fixed</label><input id=\"c-readonly\" readonly value=\"fixed\">\
    <p><input id=\"c-check\" type=\"checkbox\"> <label for=\"c-check\">Check</label>\
    <input id=\"c-radio-1\" type=\"radio\" name=\"r\" value=\"1\"> <label for=\"c-radio-1\">One</label>\
    <input id=\"c-radio-2\" type=\"radio\" name=\"r\" value=\"2\"> <label for=\"c-radio-2\">Two</label></p>\
    <p id=\"c-rich\" contenteditable=\"true\" role=\"textbox\" aria-label=\"Rich text\">rich</p>\
    <button id=\"c-double\" type=\"button\">Double</button> <button id=\"c-hover\" type=\"button\">Hover</button>\
    <button id=\"c-context\" type=\"button\">Right button</button> <button id=\"c-submit\">Submit</button></form>\
    <h2>What arrived</h2><ol id=\"events\"></ol><p id=\"answer\"></p>\
    <div id=\"scroller\" tabindex=\"0\" style=\"height:80px;overflow:auto;border:1px solid #889\"><div style=\"height:600px\">scroll me</div></div>\
    <script>function say(text) { document.getElementById('answer').textContent = text; const li = document.createElement('li');\
    li.textContent = text; document.getElementById('events').append(li) }\
    document.getElementById('controls').addEventListener('change', e => say(e.target.id + ' = ' + (e.target.type === 'checkbox' ? e.target.checked : e.target.value)));\
    document.getElementById('c-rich').addEventListener('input', e => say('c-rich = ' + e.target.textContent));\
    document.getElementById('c-double').addEventListener('dblclick', () => say('double'));\
    document.getElementById('c-hover').addEventListener('mouseenter', () => say('hover'));\
    document.getElementById('c-context').addEventListener('contextmenu', e => { e.preventDefault(); say('context') });\
    document.getElementById('scroller').addEventListener('scroll', e => say('scrolled ' + Math.round(e.target.scrollTop)));\
    addEventListener('keydown', e => say('down ' + e.key)); addEventListener('keyup', e => say('up ' + e.key));</script>";

const DOWNLOAD: &str = "<p><a id=\"file\" href=\"/trouble/file.csv\">The price list (CSV)</a></p>\
    <p><a id=\"file-in-new-tab\" href=\"/trouble/file.csv\" target=\"_blank\">The same in a new tab</a></p>";

const CONSOLE: &str = "<p id=\"answer\">Open the console.</p><script>console.log('a word'); console.info('a hint', { depth: 1 });\
    console.warn('a warning'); console.error('an error'); setTimeout(() => { throw new Error('nobody catches this') }, 50)</script>";
