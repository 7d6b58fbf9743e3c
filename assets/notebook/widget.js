// Shows the window that the kernel serves in a frame, and a link that opens it in a tab of its own.

function element(name, properties = {}, style = {}) {
  const made = Object.assign(document.createElement(name), properties);
  Object.assign(made.style, style);
  return made;
}

/** Show the window of a widget in an element of a page; return what ends that. */
function render({ model, el }) {
  const { origin } = window.location, view = crypto.randomUUID?.() ?? String(Math.random());
  const note = element("div", { textContent: "starting the window ..." }, { fontSize: "small" });
  const frame = element("iframe", {
    title: "Wheatstone", allow: "clipboard-read; clipboard-write; fullscreen",
  }, { width: "100%", height: `${model.get("height")}px`, border: "0", display: "none" });
  el.replaceChildren(frame, note);

  const answer = (message) => {
    if (message.origin !== origin) return;
    if (message.problem) {
      frame.style.display = "none";
      note.textContent = message.problem;
      return;
    }
    if (frame.src !== message.address) frame.src = message.address;
    frame.style.display = "block";
    const link = element("a", {
      href: message.address, target: "_blank", rel: "noopener", textContent: "open in a tab",
    });
    note.replaceChildren(link);
  };
  model.on("msg:custom", answer);
  model.send({ kind: "shown", origin, view });
  return () => {
    model.off("msg:custom", answer);
    model.send({ kind: "hidden", origin, view });
  };
}

export default { render };
