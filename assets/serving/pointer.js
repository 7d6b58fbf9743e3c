// Mouse, pen, wheel and fingers over the picture.

const NOTCH = [100, 3, 1]; // what browsers report for a notch: pixels, lines or pages
const PINCH = 1 / Math.log(1.2); // notches for a factor of e: a pinch zooms as far as the fingers say
const MOST = 100; // notches of a message
const TREMBLE = 8; // CSS pixels a finger may move and still tap
const SCROLL = 30; // CSS pixels of three fingers for a notch
const BITS = [1, 2, 4]; // of `buttons`: left, right, middle, as the program counts them
const LEFT = 0, RIGHT = 1, MIDDLE = 2;
const LONG = 700; // milliseconds after which a finger that rests is a right click

/** Sends what pointers do over `stage`.
 *
 * `place` tells where in the picture an event is, `send` sends a message.
 */
export class Pointer {
  #place;
  #send;
  #held = 0; // buttons of the mouse that the program knows to be pressed
  #fingers = new Map(); // on the picture, by pointer
  #drag = null; // button that one finger, or two, hold just now
  #start = null; // where the first finger came down
  #rests = 0; // timer of the finger that came down first
  #spread = 0; // CSS pixels between two fingers
  #scrolled = 0; // CSS pixels from the top, where three fingers were when they turned the wheel last
  #last = { clientX: 0, clientY: 0 }; // where something was pressed or moved last

  constructor(stage, { place, send }) {
    this.#place = place;
    this.#send = send;
    const on = (name, action) => stage.addEventListener(name, action, { passive: false });
    for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel"]) {
      on(name, (event) => {
        if (event.pointerType === "touch") this.#touch(event);
        else this.#follow(event);
      });
    }
    on("pointerleave", (event) => event.pointerType === "touch" || this.#say("leave", event));
    on("lostpointercapture", (event) => event.pointerType === "touch" || this.#change(event, 0));
    on("wheel", (event) => this.#wheel(event));
    for (const name of ["contextmenu", "dragstart", "auxclick"]) on(name, (event) => event.preventDefault());
    // Phones would zoom the page, or go back, by what fingers do here.
    for (const name of ["touchstart", "touchmove"]) on(name, (event) => event.cancelable && event.preventDefault());
  }

  /** Let go of what is held, for what is released elsewhere is not seen here. */
  release() {
    this.#change(this.#last, 0);
    this.#fingers.clear();
    this.#letGo();
    this.#start = null;
  }

  #say(kind, event, button = 0) {
    const { shiftKey: shift, ctrlKey: ctrl } = event;
    const at = this.#place(event);
    this.#last = { clientX: event.clientX, clientY: event.clientY };
    this.#send({ type: "pointer", kind, ...at, button, shift: Boolean(shift), ctrl: Boolean(ctrl) });
  }

  /** Send where the mouse is and which buttons changed; all but the first come as moves. */
  #follow(event) {
    if (event.type === "pointerdown") {
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
    }
    if (event.type === "pointermove") this.#say("move", event);
    this.#change(event, event.type === "pointercancel" ? 0 : event.buttons);
  }

  #change(event, buttons) {
    BITS.forEach((bit, button) => {
      if ((buttons ^ this.#held) & bit) this.#say(buttons & bit ? "press" : "release", event, button);
    });
    this.#held = buttons;
  }

  #wheel(event) {
    event.preventDefault();
    const notch = NOTCH[event.deltaMode];
    // A pinch on a touch pad comes as small steps of a wheel with Ctrl, which nobody presses.
    const pinch = event.ctrlKey && event.deltaMode === 0 && Math.abs(event.deltaY) < 40;
    const dy = pinch ? (-event.deltaY / 100) * PINCH : -event.deltaY / notch;
    this.#turn(event, dy, -event.deltaX / notch);
  }

  #turn(event, dy, dx = 0) {
    const { shiftKey: shift, ctrlKey: ctrl } = event;
    const within = (notches) => Math.min(Math.max(notches, -MOST), MOST);
    const notches = { dx: within(dx), dy: within(dy) };
    this.#send({ type: "wheel", ...this.#place(event), ...notches, shift: Boolean(shift), ctrl: Boolean(ctrl) });
  }

  /** A finger taps or drags with the left button, two drag with the middle one and pinch.
   *
   * Three turn the wheel, for panels are scrolled by it.
   */
  #touch(event) {
    event.preventDefault();
    const { pointerId: id, clientX, clientY } = event, known = this.#fingers.has(id);
    if (event.type === "pointerdown") {
      event.currentTarget.setPointerCapture(id);
      this.#fingers.set(id, { clientX, clientY });
      this.#land(event);
    } else if (event.type === "pointermove" && known) {
      this.#fingers.set(id, { clientX, clientY });
      this.#slide();
    } else if (known) {
      this.#lift(event);
    }
  }

  #land(event) {
    this.#letGo();
    clearTimeout(this.#rests);
    this.#start = null;
    if (this.#fingers.size === 1) {
      this.#start = { clientX: event.clientX, clientY: event.clientY };
      this.#say("move", this.#start);
      this.#rests = setTimeout(() => this.#rest(), LONG);
    } else if (this.#fingers.size === 2) {
      this.#spread = this.#apart();
      this.#hold(MIDDLE, this.#middle());
    } else {
      this.#scrolled = this.#middle().clientY;
    }
  }

  #rest() {
    if (!this.#start) return; // it moved, was lifted, or is not alone
    this.#hold(RIGHT, this.#start);
    this.#start = null;
    this.#letGo();
  }

  #slide() {
    const at = this.#middle();
    if (this.#fingers.size === 2) this.#pinch(at);
    else if (this.#fingers.size > 2) this.#scroll(at);
    else if (this.#start && Math.hypot(at.clientX - this.#start.clientX, at.clientY - this.#start.clientY) > TREMBLE) {
      this.#hold(LEFT, this.#start); // only now, for a second finger would have made it something else
      this.#start = null;
    }
    if (this.#drag !== null) this.#say("move", at);
  }

  #pinch(at) {
    const apart = this.#apart();
    const dy = Math.log(apart / this.#spread) * PINCH;
    if (Math.abs(dy) < 0.05) return;
    this.#spread = apart;
    this.#turn(at, dy);
  }

  #scroll(at) {
    const dy = (at.clientY - this.#scrolled) / SCROLL;
    if (Math.abs(dy) < 0.25) return;
    this.#scrolled = at.clientY;
    this.#turn(at, dy);
  }

  #lift(event) {
    clearTimeout(this.#rests);
    const tapped = event.type === "pointerup" && this.#start;
    if (tapped) this.#hold(LEFT, tapped);
    this.#letGo();
    this.#fingers.delete(event.pointerId);
    this.#start = null; // a finger that stays after a pinch does not drag
    if (this.#fingers.size > 2) this.#scrolled = this.#middle().clientY;
  }

  #hold(button, at) {
    this.#say("move", at);
    this.#say("press", at, button);
    this.#drag = button;
  }

  #letGo() {
    if (this.#drag === null) return;
    this.#say("release", this.#fingers.size ? this.#middle() : this.#last, this.#drag);
    this.#drag = null;
  }

  /** Middle of all fingers. */
  #middle() {
    const all = [...this.#fingers.values()];
    const mean = (name) => all.reduce((sum, one) => sum + one[name], 0) / all.length;
    return { clientX: mean("clientX"), clientY: mean("clientY") };
  }

  /** Distance of two fingers, in CSS pixels. */
  #apart() {
    const [one, other] = this.#fingers.values();
    return Math.max(Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY), 1);
  }
}
