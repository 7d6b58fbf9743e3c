// The keyboard: keys by what they mean, characters as they are typed, composed or pasted.

const MODIFIERS = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "OS", "CapsLock", "NumLock", "ScrollLock", "Fn"]);
const HELD = ["Ctrl", "Shift", "Alt"];
const LACKED = [
  ["Esc", "Escape"], ["Tab", "Tab"], ["Enter", "Enter"], ["Space", " "], ["Menus", "Alt"],
  ["←", "ArrowLeft"], ["→", "ArrowRight"], ["↑", "ArrowUp"], ["↓", "ArrowDown"],
  ["Home", "Home"], ["End", "End"], ["PgUp", "PageUp"], ["PgDn", "PageDown"], ["⌫", "Backspace"], ["Del", "Delete"],
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12].map((n) => [`F${n}`, `F${n}`]), // F11 is the page's own
];
const KEPT = [
  ["Ctrl+T", "t"], ["Ctrl+N", "n"], ["Ctrl+W", "w"], ["Ctrl+Tab", "Tab"], ["Ctrl+F4", "F4"],
  ["Ctrl+Shift+T", "T"], ["Ctrl+Shift+Tab", "Tab"],
];
const LONGEST = 4096; // characters of a text: what follows is left out
const MAC = /^Mac/.test(navigator.platform);
const HALVES = /^[\ud800-\udfff]$/; // of characters, which are no text

/** Sends what is typed into a field that is not seen; by it phones type, too, and words are composed.
 *
 * `send` sends a message; `fullscreen` fills the screen with the page; `leave` goes to the bar.
 */
export class Keyboard {
  #field;
  #send;
  #fullscreen;
  #leave;
  #altAlone = false; // pressed, and nothing else since
  #composes = false; // a word that is not to be sent before it is whole
  #known = ""; // what the field held when it was looked at last
  #held = new Map(); // buttons of modifiers by name

  constructor(field, { send, fullscreen, leave }) {
    this.#field = field;
    this.#send = send;
    this.#fullscreen = fullscreen;
    this.#leave = leave;
    addEventListener("keydown", (event) => this.#press(event));
    addEventListener("keyup", (event) => this.#release(event));
    addEventListener("pointerdown", () => (this.#altAlone = false), true);
    addEventListener("blur", () => (this.#altAlone = false));
    addEventListener("paste", (event) => this.#paste(event));
    field.addEventListener("input", (event) => this.#read(event.isComposing));
    field.addEventListener("compositionend", () => {
      this.#composes = false;
      this.#read(false);
    });
    field.addEventListener("blur", () => (this.#composes = false));
  }

  /** Let keys go to the program, not to the page's own buttons. */
  focus() {
    this.#field.focus({ preventScroll: true });
  }

  /** Bring up the on-screen keyboard, or send it away; whether it is wanted now. */
  toggleOnScreen() {
    const wanted = this.#field.inputMode === "none";
    this.#field.inputMode = wanted ? "text" : "none";
    this.#field.blur(); // phones look at the mode when the field gains the focus
    this.focus();
    return wanted;
  }

  /** Fill the menu of keys. */
  fill(held, lacked, kept) {
    for (const name of HELD) {
      const button = this.#cap(held, name, () => {
        const on = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(on));
      });
      button.setAttribute("aria-pressed", "false");
      this.#held.set(name, button);
    }
    for (const [label, key] of LACKED) this.#cap(lacked, label, () => this.#strike(key));
    if (navigator.clipboard?.readText) this.#cap(lacked, "Paste", () => this.#pasteHere());
    for (const [label, key] of KEPT) {
      const ctrl = label.includes("Ctrl+"), shift = label.includes("Shift+");
      this.#cap(kept, label, () => this.#strike(key, { ctrl, shift }));
    }
  }

  #cap(parent, label, action) {
    const button = document.createElement("button");
    button.textContent = label;
    button.addEventListener("click", action);
    parent.append(button);
    return button;
  }

  /** Send a key that no keyboard pressed, with the modifiers held in the menu; these are let go. */
  #strike(key, modifiers = {}) {
    const held = (name) => this.#held.get(name)?.getAttribute("aria-pressed") === "true";
    const [ctrl, shift, alt] = HELD.map(held);
    const all = { ctrl, shift, alt, ...modifiers };
    this.#sendKey({ key, code: "", meta: false, repeat: false, ...all });
    for (const button of this.#held.values()) button.setAttribute("aria-pressed", "false");
    if ([...key].length === 1 && !all.ctrl && !all.alt) this.#sendText(key);
  }

  #sendKey(key) {
    this.#send({ type: "key", ...key });
  }

  #sendText(text, type = "text") {
    const whole = [...text.slice(0, 2 * LONGEST)].filter((one) => !HALVES.test(one));
    if (whole.length) this.#send({ type, text: whole.slice(0, LONGEST).join("") }); // none is cut in two
  }

  /** Tell whether keys are the program's just now; in menus and on buttons they are the page's. */
  #listens() {
    if (document.querySelector(":popover-open")) return false;
    const active = document.activeElement;
    return active === this.#field || active === document.body || !active;
  }

  #press(event) {
    if (!this.#listens()) return;
    const { key, code, repeat } = event;
    const option = MAC && event.altKey && !event.ctrlKey && /^[!-/:-@[-`{-~]$/.test(key); // types it
    const graph = option || event.getModifierState("AltGraph"); // which may come as Ctrl and Alt
    const ctrl = event.ctrlKey && !graph, alt = event.altKey && !graph;
    this.#altAlone = key === "Alt" && (this.#altAlone || !repeat) && !ctrl && !event.shiftKey;
    if (key === "Process") this.#composes = true; // an input method has it
    if (event.isComposing || event.keyCode === 229 || key === "Dead" || key === "Unidentified") return;
    if (event.metaKey) return; // the system's own
    if ((ctrl && !alt && key.toLowerCase() === "v") || (event.shiftKey && key === "Insert")) return; // the paste follows
    event.preventDefault();
    if (MODIFIERS.has(key)) return;
    if (key === "F11") return this.#fullscreen();
    if (ctrl && alt && code === "KeyM") return this.#leave();
    this.#sendKey({ key, code, shift: event.shiftKey, ctrl, alt, meta: false, repeat });
    if ([...key].length === 1 && !ctrl && !alt) this.#sendText(key);
  }

  #release(event) {
    if (event.key === "Alt" && this.#altAlone && this.#listens()) {
      event.preventDefault(); // the browser's own menu would open
      this.#sendKey({ key: "Alt", code: event.code, shift: false, ctrl: false, alt: false, meta: false, repeat: false });
    }
    this.#altAlone = false;
  }

  #paste(event) {
    if (!this.#listens()) return;
    event.preventDefault();
    const text = event.clipboardData?.getData("text/plain") ?? "";
    this.#sendText(text, "paste");
  }

  async #pasteHere() {
    try {
      this.#sendText(await navigator.clipboard.readText(), "paste");
    } catch {
      // The user said no.
    }
  }

  /** Send what came into the field since it was looked at last, and Backspace for what went.
   *
   * Phones compose every word: what they compose counts at once, letter by letter, for letters are
   * keys. What an input method makes of letters counts when it is done.
   */
  #read(composing) {
    const now = this.#field.value, before = this.#known;
    if (composing && (this.#composes || [...now].some((one) => one > "~"))) return;
    let same = 0;
    while (same < Math.min(now.length, before.length) && now[same] === before[same]) same += 1;
    for (let gone = same; gone < before.length; gone += 1) this.#strike("Backspace");
    for (const character of now.slice(same)) this.#type(character);
    this.#known = now;
    if (!composing && (now.length > 64 || /\s$/.test(now))) this.#field.value = this.#known = "";
  }

  /** Send a character that no key was reported for. */
  #type(character) {
    if (character === "\n") this.#strike("Enter");
    else if (character > "~") this.#sendText(character);
    else this.#strike(character, /[A-Z]/.test(character) ? { shift: true } : {});
  }
}
