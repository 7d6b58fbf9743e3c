// What the page has to say, in a corner of the picture, for a while.

const STAYS = 6000; // milliseconds

/** Shows notices in `parent`. */
export class Notices {
  #parent;

  constructor(parent) {
    this.#parent = parent;
  }

  /** Say something, with a button by its label and action, if given. */
  say(text, label = "", action = () => {}) {
    const notice = this.#show(text);
    const close = () => notice.remove();
    if (label) {
      notice.append(button(label, () => {
        close();
        action();
      }));
    }
    notice.append(button("✕", close, "Close"));
    setTimeout(close, label ? 3 * STAYS : STAYS);
    return notice;
  }

  /** Say what went wrong. */
  alarm(text) {
    this.say(text).classList.add("alarm");
  }

  /** Show how far something is, until it is closed; `cancel` ends it. */
  progress(cancel) {
    const notice = this.#show(""), bar = document.createElement("progress");
    notice.append(bar, button("Cancel", cancel));
    return {
      text: (text) => (notice.firstChild.textContent = text),
      share: (share) => (bar.value = share),
      close: () => notice.remove(),
    };
  }

  #show(text) {
    const notice = document.createElement("div"), words = document.createElement("span");
    words.textContent = text;
    notice.className = "notice";
    notice.append(words);
    this.#parent.append(notice);
    return notice;
  }
}

function button(label, action, title = label) {
  const made = document.createElement("button");
  [made.textContent, made.title] = [label, title];
  made.addEventListener("click", action);
  return made;
}
