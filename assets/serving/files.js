// Files and texts both ways: uploads, downloads, and the clipboard.

/** Words for a number of bytes. */
export function bytesText(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), 3);
  const value = bytes / 1000 ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${["", "kB", "MB", "GB"][power]}`;
}

/** Name a folder among what is dropped, which no browser sends as a file; empty without one. */
export function folderAmong({ items }) {
  const entries = [...items].map((item) => item.webkitGetAsEntry?.());
  return entries.find((entry) => entry?.isDirectory)?.name ?? "";
}

/** Put a text into the clipboard; whether the browser let it. */
export async function putIntoClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return putByHand(text); // the page is not secure, or in a frame
  }
}

function putByHand(text) {
  const field = document.createElement("textarea"), active = document.activeElement;
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  active?.focus();
  return done;
}

/** Send a file, whose progress, a share of 1, is reported; resolves to its id.
 *
 * An `AbortSignal` ends it. Rejects with an Error that says why it was not taken.
 */
function upload(file, { authorization, viewer, limit, progress, signal }) {
  if (limit && file.size > limit) {
    return Promise.reject(new Error(`${file.name} is too large: the program takes files of up to ${bytesText(limit)}`));
  }
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // which tells how far it is, as `fetch` does not
    request.open("POST", `upload?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("Authorization", authorization);
    request.setRequestHeader("X-Viewer", viewer);
    request.responseType = "text";
    request.upload.onprogress = (event) => progress(event.loaded / Math.max(event.total, 1));
    request.onload = () => {
      if (request.status === 200) resolve(JSON.parse(request.responseText).id);
      else reject(new Error(`${file.name} was not taken: ${request.responseText.trim().slice(0, 300) || request.status}`));
    };
    request.onerror = () => reject(new Error(`${file.name} was not taken: the connection is lost`));
    request.onabort = () => reject(new Error(`${file.name} was not sent`));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

/** Uploads and downloads.
 *
 * `link` is the connection; `notices` shows what happens; `about` tells what the program said
 * of itself, as `session`, and what it calls this page, as `viewer`.
 */
export class Files {
  #link;
  #notices;
  #about;
  #written = new Map(); // what the program wrote, by id

  constructor(link, notices, about) {
    this.#link = link;
    this.#notices = notices;
    this.#about = about;
  }

  /** Send files, then let the program open them together, as if they were dropped on its window. */
  async send(files) {
    if (!files.length) return;
    const { session, viewer } = this.#about();
    const stop = new AbortController();
    const notice = this.#notices.progress(() => stop.abort());
    const ids = [];
    try {
      for (const [at, file] of files.entries()) {
        const count = files.length > 1 ? ` (${at + 1} of ${files.length})` : "";
        notice.text(`Uploading ${file.name}${count}`);
        const progress = (share) => notice.share((at + share) / files.length);
        ids.push(await upload(file, {
          authorization: this.#link.authorization, viewer, limit: session.upload_limit, progress, signal: stop.signal,
        }));
      }
      this.#link.send({ type: "drop", ids });
    } catch (error) {
      this.#notices.alarm(error.message);
    } finally {
      notice.close();
    }
  }

  /** List a file that the program wrote; the number of all, 0 if it was listed before. */
  add({ id, name, size }, list) {
    if (this.#written.has(id)) return 0;
    this.#written.set(id, name);
    const item = document.createElement("li"), button = document.createElement("button");
    const words = document.createElement("span"), small = document.createElement("small");
    [words.textContent, small.textContent] = [name, bytesText(size)];
    button.append(words, small);
    button.addEventListener("click", () => this.save(id));
    item.append(button);
    list.prepend(item);
    return this.#written.size;
  }

  /** Let the browser keep a file that the program wrote. */
  async save(id) {
    const name = this.#written.get(id);
    try {
      const answer = await this.#link.fetch(`file/${encodeURIComponent(id)}`);
      if (!answer.ok) throw new Error(`${name} is not there: ${(await answer.text()).trim().slice(0, 300)}`);
      const address = URL.createObjectURL(await answer.blob());
      const anchor = document.createElement("a");
      [anchor.href, anchor.download] = [address, name];
      anchor.click();
      setTimeout(() => URL.revokeObjectURL(address), 60000);
    } catch (error) {
      this.#notices.alarm(error.message);
    }
  }
}
