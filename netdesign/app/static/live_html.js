// HTML made by the kernel. A new value is compared with what is on the page and only what differs is
// touched: focus, text selection, open <details> and scroll positions stay, nothing flickers.
// Elements speak back by attribute:
//   data-act="name" [data-value]       a click (or, on a <select>, a choice) sends name and value
//   data-upload="name" data-limit="n"  a file field sends name, file name and content up to n bytes,
//                                      file by file if it is multiple
//   data-copy="address"                a click copies the address of the page

function alike(a, b) {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName;
}

function patch(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const name of old.getAttributeNames()) {
    const kept = name === "open" && old.nodeName === "DETAILS";
    if (!kept && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  patchChildren(old, fresh);
  if (old.nodeName === "SELECT") {
    const chosen = [...old.options].findIndex((option) => option.defaultSelected);
    if (chosen >= 0) old.selectedIndex = chosen;
  }
}

function patchChildren(old, fresh) {
  const wanted = [...fresh.childNodes];
  wanted.forEach((node, i) => {
    const present = old.childNodes[i];
    if (!present) old.append(node);
    else if (alike(present, node)) patch(present, node);
    else present.replaceWith(node);
  });
  while (old.childNodes.length > wanted.length) old.lastChild.remove();
}

async function copyAddress(el) {
  const text = window.location.href;
  let copied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    copied = document.execCommand("copy");
    field.remove();
  }
  const status = el.querySelector("[data-copied]");
  if (!status) return;
  status.textContent = copied ? "Link copied" : "Copy the link from the address bar";
  setTimeout(() => { status.textContent = ""; }, 3000);
}

async function upload(model, field) {
  const files = [...field.files];
  field.value = "";
  for (const file of files) {
    const message = { act: field.dataset.upload, value: file.name, size: file.size };
    if (file.size > Number(field.dataset.limit)) {
      model.send(message);
    } else {
      model.send(message, undefined, [await file.arrayBuffer()]);
    }
  }
}

function render({ model, el }) {
  el.classList.add("nd-live");
  const show = () => {
    const template = document.createElement("template");
    template.innerHTML = model.get("value");
    patchChildren(el, template.content);
  };
  const onClick = (event) => {
    const source = event.target.closest("[data-act], [data-copy]");
    if (!source || !el.contains(source) || source.nodeName === "SELECT" || source.disabled) return;
    if (source.dataset.copy) copyAddress(el);
    else model.send({ act: source.dataset.act, value: source.dataset.value || "" });
  };
  const onChange = (event) => {
    const source = event.target;
    if (source.dataset.upload) {
      upload(model, source);
    } else if (source.nodeName === "SELECT" && source.dataset.act) {
      model.send({ act: source.dataset.act, value: source.value });
      const chosen = [...source.options].findIndex((option) => option.defaultSelected);
      source.selectedIndex = Math.max(chosen, 0);
    }
  };
  el.addEventListener("click", onClick);
  el.addEventListener("change", onChange);
  model.on("change:value", show);
  show();
  return () => {
    el.removeEventListener("click", onClick);
    el.removeEventListener("change", onChange);
    model.off("change:value", show);
  };
}

export default { render };
