// The connection to the program: asks who it is, opens the socket, and comes back when it is lost.

const WAITS = [500, 1000, 2000, 4000, 8000]; // milliseconds before the first, second ... further try
const SILENCE = 20000; // milliseconds without a word after which the program is asked whether it is there
const PATIENCE = 8000; // milliseconds for an answer
const CROWDED = 1 << 16; // bytes not sent yet beyond which moves are left out
const ENDED = 4001, FULL = 4008;

const PROBLEMS = {
  missing: [
    "This address lacks its token",
    "Open the address that `wheatstone serve` printed, whole: it ends in # and a long word, which lets you in.",
  ],
  wrong: [
    "The token is not the program's",
    "The program was started anew, or the address was cut off. Open the address that `wheatstone serve` printed last.",
  ],
  foreign: [
    "The program does not answer under this address",
    "It answers only under the names it was started with. Open the address that `wheatstone serve` printed.",
  ],
  full: [
    "As many look on as the program allows",
    "Close the page in another window or on another machine, then try again.",
  ],
  ended: ["The program has ended", "Start `wheatstone serve` again and open the address that it prints."],
  closed: ["The program has closed this page", "It goes on for others."],
  gone: [
    "The program does not answer",
    "It is not running, or the way to it is interrupted; over `ssh -L`, look whether that runs.",
  ],
  lost: ["The connection is lost", "What was shown last is seen behind this."],
};

/** A connection that lasts until the page is left.
 *
 * `listener` has: session(answer), message(object), frame(buffer), connected(), and
 * problem(title, text, again) with what stands between the user and the program.
 */
export class Link {
  #token;
  #listener;
  #socket = null;
  #count = 0;
  #heard = 0;
  #wake = () => {};

  constructor(token, listener) {
    this.#token = token;
    this.#listener = listener;
    addEventListener("online", () => this.retry());
    addEventListener("offline", () => this.#socket?.close());
    document.addEventListener("visibilitychange", () => document.hidden || this.retry());
    setInterval(() => this.#listen(), SILENCE / 4);
  }

  /** Connect, and again whenever the connection is lost; never returns. */
  async run() {
    for (let failed = 0; ; failed += 1) {
      let problem = await this.#ask(), explanation = "";
      if (!problem) {
        const [greeted, code, reason] = await this.#talk();
        if (greeted) failed = 0;
        problem = { [ENDED]: "closed", [FULL]: "full" }[code] ?? "lost";
        explanation = reason;
        if (problem === "closed" && (await this.#ask()) === "gone") problem = "ended";
      }
      await this.#rest(problem, explanation, WAITS[Math.min(failed, WAITS.length - 1)]);
    }
  }

  /** Connect by another token. */
  admit(token) {
    this.#token = token;
    this.#socket?.close();
    this.retry();
  }

  /** Try at once what would be tried later, or not at all. */
  retry() {
    this.#wake();
  }

  /** Send a message; its count, by which frames say what they include, or 0 if it is not sent. */
  send(message) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return 0;
    if (message.kind === "move" && this.#socket.bufferedAmount > CROWDED) return 0;
    this.#count += 1;
    this.#socket.send(JSON.stringify({ ...message, n: this.#count }));
    return this.#count;
  }

  /** Fetch from the program, with the token. */
  fetch(path, options = {}) {
    const headers = { ...options.headers, Authorization: `Bearer ${this.#token}` };
    return fetch(path, { ...options, headers, cache: "no-store" });
  }

  /** What opens the program's doors, for requests that are not made by `fetch`. */
  get authorization() {
    return `Bearer ${this.#token}`;
  }

  /** Ask the program who it is; the name of the problem, if there is one. */
  async #ask() {
    if (!this.#token) return "missing";
    if (!/^[\w-]+$/.test(this.#token)) return "wrong";
    try {
      const answer = await this.fetch("session", { signal: AbortSignal.timeout(PATIENCE) });
      if (answer.status === 401) return "wrong";
      if (answer.status === 403) return "foreign";
      if (!answer.ok) return "gone";
      const session = await answer.json();
      this.#listener.session(session);
      return session.full ? "full" : "";
    } catch {
      return "gone";
    }
  }

  /** Talk until the socket is closed; whether the program greeted, code and reason of the end. */
  #talk() {
    const address = new URL("ws", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    const socket = new WebSocket(address, ["wheatstone", this.#token]);
    let greeted = false;
    socket.binaryType = "arraybuffer";
    this.#count = 0;
    return new Promise((resolve) => {
      socket.onmessage = ({ data }) => {
        this.#heard = performance.now();
        if (typeof data !== "string") return this.#listener.frame(data);
        const message = JSON.parse(data);
        if (message.type === "hello" && !greeted) {
          greeted = true;
          this.#listener.message(message);
          this.#listener.connected();
          return;
        }
        this.#listener.message(message);
      };
      socket.onclose = ({ code, reason }) => {
        socket.onclose = socket.onmessage = null; // the next connection may be there when it closes
        if (this.#socket === socket) this.#socket = null;
        resolve([greeted, code, reason]);
      };
      this.#socket = socket;
      this.#heard = performance.now();
    });
  }

  /** Say what is wrong; wait before the next try, or for the user where waiting does not help. */
  #rest(problem, explanation, milliseconds) {
    const [title, text] = PROBLEMS[problem];
    const helps = problem === "gone" || problem === "lost";
    const reason = explanation && problem !== "ended" && problem !== "full" ? ` It said: ${explanation}.` : "";
    const soon = helps ? ` Trying again in ${milliseconds / 1000} s.` : "";
    const again = helps || ["full", "ended", "closed"].includes(problem);
    this.#listener.problem(title, text + reason + soon, again);
    return new Promise((resolve) => {
      const timer = helps ? setTimeout(resolve, milliseconds) : 0;
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Close a socket whose other end is gone without a word: nobody else would notice for minutes. */
  async #listen() {
    const socket = this.#socket;
    if (document.hidden || !socket || performance.now() - this.#heard < SILENCE) return;
    try {
      await this.fetch("session", { signal: AbortSignal.timeout(PATIENCE) });
      this.#heard = performance.now();
    } catch {
      socket.onclose?.({ code: 1006, reason: "the program is silent" });
      socket.close();
    }
  }
}
