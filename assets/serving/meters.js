// How long a key takes to be seen, and how many frames a second are.

const ASKED = 20; // latencies that the median is of
const COUNTED = 2000; // milliseconds over which frames are counted

/** Measures latency and rate from what is sent and drawn. */
export class Meters {
  #waiting = []; // what was pressed and is not seen yet: its count and when it was sent
  #latencies = [];
  #drawn = []; // when

  /** Forget a connection that is lost. */
  restart() {
    this.#waiting = [];
  }

  /** Note that something was sent which changes the picture. */
  sent(count) {
    this.#waiting.push([count, performance.now()]);
  }

  /** Note a frame that was drawn, and the last input that it includes. */
  drawn(seen) {
    const now = performance.now();
    this.#drawn = [...this.#drawn.filter((at) => now - at < COUNTED), now];
    const included = this.#waiting.filter(([count]) => count <= seen);
    if (!included.length) return;
    this.#waiting = this.#waiting.filter(([count]) => count > seen);
    // The newest, for one before it may have changed nothing, and waited for this frame in vain.
    this.#latencies.push(now - included.at(-1)[1]);
    this.#latencies = this.#latencies.slice(-ASKED);
  }

  /** Median milliseconds from a key sent to the frame drawn that includes it; null without any. */
  get latency() {
    const sorted = [...this.#latencies].sort((one, other) => one - other);
    return sorted.length ? sorted[sorted.length >> 1] : null;
  }

  /** Frames drawn a second. */
  get rate() {
    const now = performance.now();
    return this.#drawn.filter((at) => now - at < COUNTED).length / (COUNTED / 1000);
  }
}
