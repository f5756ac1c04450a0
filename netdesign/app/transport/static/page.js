// What belongs to the page as a whole: title, permalink, heartbeat, names for screen readers,
// downloads. One of these is shown per page.

const PERIOD = 2000;
const MISSED = 2;
const GONE =
  "The calculation engine is gone: numbers shown are the last good ones. Reload to go on.";

const served = () => document.body.dataset.voila !== undefined;

function heartbeat(model, el) {
  let sent = 0;
  let answered = 0;
  const banner = document.createElement("div");
  banner.className = "nd-banner nd-engine-gone";
  banner.setAttribute("role", "alert");
  banner.hidden = true;
  el.append(banner);

  const show = (gone) => {
    if (banner.hidden === !gone) return;
    banner.hidden = !gone;
    banner.replaceChildren();
    document.documentElement.classList.toggle("nd-stale", gone);
    if (!gone) return;
    banner.append(`${GONE} `);
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Reload";
    button.addEventListener("click", () => window.location.reload());
    banner.append(button);
  };
  const onPong = (message) => {
    if (message.type !== "pong") return;
    answered = Math.max(answered, message.n);
    show(false);
  };
  const ping = () => {
    if (sent - answered >= MISSED) show(true);
    sent += 1;
    try {
      model.send({ type: "ping", n: sent });
    } catch {
      show(true);
    }
  };
  model.on("msg:custom", onPong);
  const timer = setInterval(ping, PERIOD);
  ping();
  return () => {
    clearInterval(timer);
    model.off("msg:custom", onPong);
    document.documentElement.classList.remove("nd-stale");
  };
}

// ipywidgets gives a slider's handle a role and a value but no name, and its number field neither.
function nameControls(root) {
  const unnamed =
    "[role=slider]:not([aria-label]), .widget-readout:not([aria-label])," +
    " input:not([aria-label]):not([type=hidden]), select:not([aria-label]), textarea:not([aria-label])";
  for (const control of root.querySelectorAll(unnamed)) {
    const box = control.closest(".widget-inline-hbox, .jupyter-widgets");
    if (!box) continue;
    const label = box.querySelector(".widget-label");
    const text = (label && label.textContent.trim()) || box.title || control.title;
    if (!text) continue;
    const name = control.classList.contains("widget-readout") ? `${text}, value` : text;
    control.setAttribute("aria-label", name);
  }
}

// A slider over a list of stops knows its position only; what it means stands in the field beside it.
function sayValues(root) {
  for (const slider of root.querySelectorAll(".nd-field [role=slider]")) {
    const field = slider.closest(".nd-field").querySelector("input[type=text]");
    if (field && slider.getAttribute("aria-valuetext") !== field.value) {
      slider.setAttribute("aria-valuetext", field.value);
    }
  }
}

// What a control means: on hover over any part of it, and for screen readers.
function explainControls(root, help) {
  for (const field of root.querySelectorAll(".nd-field")) {
    const name = [...field.classList].find((entry) => entry in help);
    if (!name || field.title === help[name]) continue;
    field.title = help[name];
    for (const control of field.querySelectorAll("[role=slider], input, select")) {
      control.setAttribute("aria-description", help[name]);
    }
  }
}

function watchControls(model) {
  let timer = null;
  const run = () => {
    timer = null;
    nameControls(document);
    sayValues(document);
    explainControls(document, model.get("help"));
  };
  const observer = new MutationObserver((changes) => {
    const relevant = changes.some((c) => !(c.target instanceof SVGElement));
    if (relevant && timer === null) timer = setTimeout(run, 150);
  });
  observer.observe(document.body, {
    childList: true, subtree: true, attributes: true, attributeFilter: ["aria-valuenow"],
  });
  run();
  return () => {
    observer.disconnect();
    clearTimeout(timer);
  };
}

// Our template links the stylesheet; JupyterLab, and Voila with another template, get it from here.
function askForStylesheet(model) {
  if (!document.querySelector("[data-netdesign-css]")) model.send({ type: "stylesheet" });
}

function addStylesheet(text) {
  if (document.querySelector("[data-netdesign-css]")) return;
  const style = document.createElement("style");
  style.dataset.netdesignCss = "";
  style.textContent = text;
  document.head.append(style);
}

function offerFile(message, buffers) {
  const part = buffers && buffers.length ? buffers[0] : message.text;
  const url = URL.createObjectURL(new Blob([part], { type: message.mime }));
  const link = document.createElement("a");
  link.href = url;
  link.download = message.filename;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

function render({ model, el }) {
  el.classList.add("nd-page");
  const setTitle = () => {
    if (served() && model.get("title")) document.title = model.get("title");
  };
  const setQuery = () => {
    if (!served()) return;
    const query = model.get("query").replace(/^\?/, "");
    const address = window.location.pathname + (query ? `?${query}` : "") + window.location.hash;
    window.history.replaceState(window.history.state, "", address);
  };
  const onMessage = (message, buffers) => {
    if (message.type === "download") offerFile(message, buffers);
    if (message.type === "stylesheet") addStylesheet(message.text);
  };

  const initial = served() ? window.location.search.replace(/^\?/, "") : "";
  if (initial !== model.get("initial_query")) {
    model.set("initial_query", initial);
    model.save_changes();
  }
  model.on("change:title", setTitle);
  model.on("change:query", setQuery);
  model.on("msg:custom", onMessage);
  setTitle();
  askForStylesheet(model);
  if (model.get("query")) setQuery();
  const stopHeartbeat = heartbeat(model, el);
  const stopWatching = watchControls(model);
  document.documentElement.dataset.ndReady = "true";

  return () => {
    stopHeartbeat();
    stopWatching();
    model.off("change:title", setTitle);
    model.off("change:query", setQuery);
    model.off("msg:custom", onMessage);
  };
}

export default { render };
