"use strict";
document.documentElement.classList.add("live");
for (const figure of document.querySelectorAll(".compare")) {
  const range = figure.querySelector("input");
  const pair = figure.querySelector(".pair");
  const show = () => {
    pair.style.setProperty("--seam", `${range.value}%`);
    range.setAttribute("aria-valuetext", `${range.value} % ${range.dataset.before}`);
  };
  const follow = (event) => {
    const box = pair.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    range.value = Math.round(100 * Math.min(Math.max(share, 0), 1));
    show();
  };
  range.addEventListener("input", show);
  pair.addEventListener("pointerdown", (event) => {
    pair.setPointerCapture(event.pointerId);
    follow(event);
  });
  pair.addEventListener("pointermove", (event) => {
    if (event.buttons) follow(event);
  });
  pair.addEventListener("dragstart", (event) => event.preventDefault());
  show();
}
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
