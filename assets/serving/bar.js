// What the page says of the connection: in the bar, in its menu, and over the picture.

import { NAMES } from "./picture.js";

const find = (id) => document.getElementById(id);
const words = (...parts) => parts.filter(Boolean).join(" · ");

/** Say over the picture what is wrong; null: nothing is. What stands between two ` is a command. */
export function explain(title, text = "", again = true) {
  document.body.classList.toggle("lost", title !== null);
  find("problem").hidden = title === null;
  if (title === null) return;
  find("problem-title").textContent = title;
  find("problem-text").replaceChildren(...text.split("`").map((part, at) => {
    if (at % 2 === 0) return part;
    const code = document.createElement("code");
    code.textContent = part;
    return code;
  }));
  find("problem-button").hidden = !again;
}

/** Show whether the page is connected, and what it may do. */
export function showConnection({ connected, controls }, { read_only }) {
  const lost = !find("problem").hidden, upload = find("upload-button");
  const [name, word] = lost ? ["lost", "not connected"] : ["waits", "connecting"];
  find("bar").dataset.state = connected ? "connected" : name;
  find("word").textContent = connected ? (controls ? "connected" : "watching") : word;
  find("control").hidden = !connected || controls;
  upload.disabled = !connected || !controls || read_only;
  upload.title = read_only ? "The program opens nothing: it is read-only" : "Upload files and open them";
}

/** Show latency, rate, codec and viewers: the least of them where there is little room.
 *
 * `frame` is the one shown, null before the first.
 */
export function showMeters({ latency, rate }, frame, { connected, controls, viewers }, { version, read_only }) {
  const milliseconds = latency === null ? "" : `${Math.round(latency)} ms`;
  const frames = rate ? `${Math.round(rate)} fps` : "at rest";
  const codec = frame ? NAMES[frame.codec] + (frame.exact ? ", exact" : "") : "";
  const all = `${viewers} ${viewers === 1 ? "viewer" : "viewers"}`;
  const texts = {
    "numbers": connected ? words(milliseconds, frames) : "",
    "more": connected ? `· ${words(codec, all)}` : "",
    "about-latency": milliseconds ? `${milliseconds} from a key to its picture` : "measured when a key is pressed",
    "about-rate": rate ? frames : "nothing changes: nothing is sent",
    "about-picture": frame ? `${frame.width} × ${frame.height}, ${codec}` : "none yet",
    "about-viewers": `${all}, ${controls ? "this one" : "another one"} controls`,
    "about-program": `Wheatstone ${version}${read_only ? ", read-only" : ""}`,
  };
  for (const [id, text] of Object.entries(texts)) find(id).textContent = text;
}
