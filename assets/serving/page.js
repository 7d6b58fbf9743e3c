// The program's window in a browser: what is connected to what, and the bar.

import { explain, showConnection, showMeters } from "./bar.js";
import { Files, folderAmong, putIntoClipboard } from "./files.js";
import { Keyboard } from "./keyboard.js";
import { Link } from "./link.js";
import { Meters } from "./meters.js";
import { Notices } from "./notices.js";
import { decodesVideo, Picture } from "./picture.js";
import { Pointer } from "./pointer.js";

const KEPT = "wheatstone token"; // name in this tab's storage, so that the page can be loaded again
const find = (id) => document.getElementById(id);
const stage = find("stage"), surface = find("surface"), bar = find("bar");
const fingers = matchMedia("(pointer: coarse)"); // a touch screen, mostly without a keyboard
const session = { version: "", read_only: false, upload_limit: 0, codecs: [], full: false };
const state = { viewer: "", controls: false, viewers: 1, connected: false, informed: false };

/** Take the token out of the address, where others might read it; this tab remembers it. */
function takeToken() {
  const given = location.hash.slice(1);
  try {
    if (given) {
      sessionStorage.setItem(KEPT, given);
      history.replaceState(null, "", location.pathname + location.search);
    }
    return given || (sessionStorage.getItem(KEPT) ?? "");
  } catch {
    return given; // no storage here: a page loaded again asks for the token
  }
}

addEventListener("hashchange", () => {
  if (location.hash.length > 1) link.admit(takeToken());
});

const notices = new Notices(find("notices"));
const meters = new Meters();
const link = new Link(takeToken(), {
  session: (answer) => Object.assign(session, answer),
  message: (message) => MESSAGES[message.type]?.(message),
  frame: (buffer) => picture.take(buffer),
  connected,
  problem: showProblem,
});
const picture = new Picture(find("picture"), {
  drawn(frame) {
    link.send({ type: "ack", id: frame.id });
    meters.drawn(frame.seen);
  },
  broken(frame) {
    link.send({ type: "ack", id: frame.id });
    link.send({ type: "again" });
  },
  noVideo: withoutVideo,
  room: sendSize,
});
const files = new Files(link, notices, () => ({ session, viewer: state.viewer }));
const keyboard = new Keyboard(find("typing"), { send: sendInput, fullscreen, leave });
const pointer = new Pointer(surface, { place: (event) => picture.place(event), send: sendInput });

/** What the program says, by type. */
const MESSAGES = {
  hello: ({ viewer, controls, version }) => {
    Object.assign(state, { viewer, controls, connected: true, informed: false });
    session.version = version;
    showProblem(null);
  },
  state: (message) => {
    const before = state.controls;
    Object.assign(state, message, { informed: true });
    session.read_only = message.read_only;
    document.title = message.title || "Wheatstone";
    document.documentElement.dataset.theme = message.theme;
    if (state.controls && !before) sendSize(...picture.room);
    showState();
  },
  clipboard: ({ text }) => copy(text),
  file: (message) => {
    const count = files.add(message, find("files-list"));
    if (!count) return;
    find("files-count").textContent = count;
    find("files-count").hidden = false;
    find("files-none").hidden = true;
    if (state.informed) notices.say(`${message.name} is written`, "Download", () => files.save(message.id));
  },
};

/** Send what a user does; it counts only for the one who controls. */
function sendInput(message) {
  if (!state.controls) return;
  const count = link.send(message);
  const changes = (message.type === "key" && !message.repeat) || message.kind === "press";
  if (count && changes) meters.sent(count);
}

/** Tell the program how much room there is, in pixels of the screen. */
function sendSize(width, height) {
  const within = (value, low, high) => Math.min(Math.max(value, low), high);
  if (!width || !height) return;
  link.send({
    type: "resize", width: within(width, 64, 8192), height: within(height, 64, 8192),
    scale: within(devicePixelRatio, 0.5, 4), touch: fingers.matches,
  });
}

/** Measure again when pixels get another density: not every browser says so of its own accord. */
function followDensity() {
  const query = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
  query.addEventListener("change", () => {
    picture.observe();
    followDensity();
  }, { once: true });
}

/** Begin a connection: what the one before left does not count any more. */
async function connected() {
  picture.restart();
  meters.restart();
  sendSize(...picture.room);
  link.send({ type: "visible", visible: !document.hidden });
  const video = session.codecs.includes("h264") && (await decodesVideo());
  const codecs = session.codecs.filter((codec) => codec !== "h264" || video);
  const choice = find("codec"), chosen = choice.value || "auto";
  choice.replaceChildren(...["auto", ...codecs].map((codec) => new Option(codec, codec)));
  choice.value = codecs.includes(chosen) ? chosen : "auto";
  if (choice.value !== "auto") link.send({ type: "codec", codec: choice.value });
  else if (session.codecs.includes("h264") && !video) link.send({ type: "codec", codec: "jpeg" });
  keyboard.focus();
}

/** Do without H.264, which this browser does not decode. */
function withoutVideo() {
  find("codec").value = "jpeg";
  link.send({ type: "codec", codec: "jpeg" });
  notices.say("This browser does not decode H.264 here; pictures come as JPEG.");
}

/** Put a text into the clipboard; where browsers ask for a click first, offer one. */
async function copy(text) {
  const copied = () => {
    link.send({ type: "copied" });
    notices.say("Copied to this machine's clipboard");
  };
  const offered = async () => {
    if (await putIntoClipboard(text)) copied();
    else notices.alarm("The browser does not let this page use the clipboard.");
  };
  if (await putIntoClipboard(text)) copied();
  else notices.say("The program copied a text", "Copy it here", offered);
}

/** Fill the screen, with all keys where the browser gives them; or leave it again. */
async function fullscreen() {
  if (document.fullscreenElement) return document.exitFullscreen();
  try {
    await document.documentElement.requestFullscreen();
    await navigator.keyboard?.lock();
  } catch {
    notices.say("The browser does not let this page fill the screen.");
  }
}

/** Let keys go to the bar, from one button to the next by Tab; Esc leads back. */
function leave() {
  showBar(true);
  find("state").focus();
}

/** Show what stands between the user and the program; null for nothing. */
function showProblem(title, text, again) {
  if (title !== null) state.connected = false;
  explain(title, text, again);
  showState();
}

function showState() {
  showConnection(state, session);
  showNumbers();
}

function showNumbers() {
  showMeters(meters, picture.frame, state, session);
}

/** Show the bar, or hide it. */
function showBar(shown) {
  bar.hidden = !shown;
  find("show-button").hidden = shown;
}

find("control").addEventListener("click", () => link.send({ type: "control" }));
find("problem-button").addEventListener("click", () => link.retry());
find("screen-button").addEventListener("click", fullscreen);
find("hide-button").addEventListener("click", () => showBar(false));
find("show-button").addEventListener("click", () => showBar(true));
find("codec").addEventListener("change", ({ target }) => link.send({ type: "codec", codec: target.value }));
find("keyboard-button").addEventListener("click", ({ currentTarget }) => {
  currentTarget.setAttribute("aria-pressed", String(keyboard.toggleOnScreen()));
});
keyboard.fill(find("held-keys"), find("lacked-keys"), find("kept-keys"));

const input = find("upload-input");
find("upload-button").addEventListener("click", () => input.click());
input.addEventListener("change", () => {
  files.send([...input.files]);
  input.value = "";
});
for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
  addEventListener(name, (event) => {
    event.preventDefault();
    stage.classList.toggle("drop", name === "dragenter" || name === "dragover");
    if (name !== "drop") return;
    const folder = folderAmong(event.dataTransfer);
    if (session.read_only) notices.alarm("The program opens nothing: it is read-only.");
    else if (!state.controls) notices.alarm("This page only watches: take control first.");
    else if (folder) notices.alarm(`${folder} is a folder: drop the files in it, a pair at a time.`);
    else files.send([...event.dataTransfer.files]);
  });
}

// After a click in the bar keys go to the program again; in a menu they stay until it is closed.
bar.addEventListener("click", (event) => event.target.closest("[popovertarget]") || keyboard.focus());
bar.addEventListener("keydown", ({ key }) => key === "Escape" && keyboard.focus());
for (const menu of document.querySelectorAll("[popover]")) {
  menu.addEventListener("toggle", ({ newState }) => newState === "closed" && keyboard.focus());
}
surface.addEventListener("pointerdown", () => keyboard.focus());
addEventListener("focus", () => link.send({ type: "focus", focused: true }));
addEventListener("blur", () => {
  pointer.release();
  link.send({ type: "focus", focused: false });
});
document.addEventListener("visibilitychange", () => link.send({ type: "visible", visible: !document.hidden }));
fingers.addEventListener("change", () => sendSize(...picture.room));
setInterval(showNumbers, 500);
followDensity();
link.run();
