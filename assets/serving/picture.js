// The program's picture: frames are decoded, drawn on a canvas of their own size and acknowledged.

const HEADER = 20; // bytes ahead of a frame's own
const KEY = 1, EXACT = 2; // flags
const H264 = 2;
const TYPES = ["image/jpeg", "image/png"];
export const NAMES = ["jpeg", "png", "h264"];
const VIDEO = { codec: "avc1.42002a", optimizeForLatency: true };
// The pixels as they were sent: no colour management, and nothing to be transparent.
const UNTOUCHED = { colorSpaceConversion: "none", premultiplyAlpha: "none" };

/** Tell whether this browser decodes H.264 here; it does so only on secure pages. */
export async function decodesVideo() {
  try {
    return Boolean((await VideoDecoder.isConfigSupported(VIDEO)).supported);
  } catch {
    return false;
  }
}

function header(buffer) {
  const view = new DataView(buffer);
  return {
    id: view.getUint32(0),
    codec: view.getUint8(4),
    key: Boolean(view.getUint8(5) & KEY),
    exact: Boolean(view.getUint8(5) & EXACT),
    width: view.getUint16(6),
    height: view.getUint16(8),
    seen: view.getUint32(12),
    age: view.getUint32(16), // milliseconds since the picture was begun, when it was sent
  };
}

/** Pixels of a screen that a length in CSS pixels has: as counted, if that can be right.
 *
 * Browsers that only play a screen of another density count those of the real one.
 */
function pixels(length, counted) {
  const computed = length * devicePixelRatio;
  return Math.abs(counted - computed) <= 1 ? counted : Math.round(computed);
}

/** Draws frames on a canvas, which fits its parent.
 *
 * `listener` has: drawn(frame) after each, broken() when one could not be decoded and
 * noVideo() when H.264 does not work here; room(width, height) in device pixels when that changes.
 */
export class Picture {
  #canvas;
  #context;
  #listener;
  #observer;
  #decoder = null;
  #decoding = new Map(); // frames on their way through the decoder, by id
  #turn = Promise.resolve();
  #failures = 0;
  #last = -1; // id of the frame shown
  #connection = 0; // how many there were
  #room = [0, 0];
  frame = null;

  constructor(canvas, listener) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d", { alpha: false });
    this.#listener = listener;
    this.#observer = new ResizeObserver(([entry]) => this.#measure(entry));
    this.observe();
  }

  /** Measure the place for the picture, now and whenever it changes. */
  observe() {
    const place = this.#canvas.parentElement;
    this.#observer.unobserve(place);
    try {
      this.#observer.observe(place, { box: "device-pixel-content-box" });
    } catch {
      this.#observer.observe(place);
    }
  }

  /** Width and height of the place for the picture, in device pixels. */
  get room() {
    return this.#room;
  }

  /** Forget what a connection that is lost has sent. */
  restart() {
    this.#connection += 1; // whose frames are numbered again
    this.#last = -1;
    this.#failures = 0;
    this.#closeDecoder();
  }

  /** Decode a frame and draw it, after those that came before. */
  take(buffer) {
    const frame = { ...header(buffer), connection: this.#connection };
    const bytes = new Uint8Array(buffer, HEADER);
    this.#turn = this.#turn.then(() => this.#decode(frame, bytes)).catch(() => this.#fail(frame));
  }

  /** Place of an event in pixels of the frame, its origin at the top left. */
  place(event) {
    const box = this.#canvas.getBoundingClientRect();
    if (!box.width || !box.height) return { x: 0, y: 0 };
    const x = ((event.clientX - box.left) * this.#canvas.width) / box.width;
    const y = ((event.clientY - box.top) * this.#canvas.height) / box.height;
    return { x: Math.round(x * 100) / 100, y: Math.round(y * 100) / 100 };
  }

  async #decode(frame, bytes) {
    if (frame.codec === H264) return this.#decodeVideo(frame, bytes);
    const blob = new Blob([bytes], { type: TYPES[frame.codec] });
    this.#draw(frame, await createImageBitmap(blob, UNTOUCHED));
  }

  #decodeVideo(frame, bytes) {
    if (!this.#decoder) {
      if (!frame.key) throw new Error("video begins with a key frame");
      this.#decoder = new VideoDecoder({
        output: (image) => {
          const taken = this.#decoding.get(image.timestamp);
          this.#decoding.delete(image.timestamp);
          if (taken) this.#draw(taken, image);
          else image.close();
        },
        error: () => this.#fail(frame),
      });
      this.#decoder.configure(VIDEO);
    }
    this.#decoding.set(frame.id, frame);
    const type = frame.key ? "key" : "delta";
    this.#decoder.decode(new EncodedVideoChunk({ type, timestamp: frame.id, data: bytes }));
  }

  /** Draw what was decoded, unless something newer is shown already. */
  #draw(frame, image) {
    if (frame.connection !== this.#connection) return image.close();
    if (frame.id > this.#last) {
      const canvas = this.#canvas;
      if (canvas.width !== frame.width || canvas.height !== frame.height) {
        [canvas.width, canvas.height] = [frame.width, frame.height];
        canvas.hidden = false;
        this.#fit();
      }
      this.#context.drawImage(image, 0, 0);
      [this.#last, this.frame] = [frame.id, frame];
    }
    image.close();
    this.#listener.drawn(frame);
  }

  /** Ask for a whole picture; do without video where there is none, or it failed repeatedly. */
  #fail(frame) {
    if (frame.connection !== this.#connection) return;
    const lost = new Set([frame]);
    if (frame.codec === H264) {
      for (const one of this.#decoding.values()) lost.add(one);
      this.#closeDecoder();
      this.#failures += 1;
      if (!globalThis.VideoDecoder || this.#failures > 2) this.#listener.noVideo();
    }
    for (const one of lost) this.#listener.broken(one);
  }

  #closeDecoder() {
    if (this.#decoder && this.#decoder.state !== "closed") this.#decoder.close();
    this.#decoder = null;
    this.#decoding.clear();
  }

  #measure(entry) {
    const box = entry.devicePixelContentBoxSize?.[0];
    this.#room = [
      pixels(entry.contentRect.width, box?.inlineSize),
      pixels(entry.contentRect.height, box?.blockSize),
    ];
    this.#fit();
    this.#listener.room(...this.#room);
  }

  /** Show the frame pixel by pixel where it has the size of its place, else as large as fits. */
  #fit() {
    const { width, height, style, classList } = this.#canvas;
    const [across, down] = this.#room;
    const exact = width === across && height === down;
    const factor = exact ? 1 : Math.min(across / width, down / height);
    const shown = [width * factor, height * factor];
    style.width = `${shown[0] / devicePixelRatio}px`;
    style.height = `${shown[1] / devicePixelRatio}px`;
    style.left = `${Math.round((across - shown[0]) / 2) / devicePixelRatio}px`;
    style.top = `${Math.round((down - shown[1]) / 2) / devicePixelRatio}px`;
    classList.toggle("exact", exact);
  }
}
