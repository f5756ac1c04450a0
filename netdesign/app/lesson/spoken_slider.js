// A slider over a list of values tells a screen reader the index; this makes it tell the value that
// stands beside it.
function render({ model, el }) {
  el.hidden = true;
  const speak = (handle) => {
    const slider = handle.closest?.(`.${model.get("slider_class")}`);
    const said = slider?.querySelector(".widget-readout")?.textContent;
    if (said && handle.getAttribute("aria-valuetext") !== said) {
      handle.setAttribute("aria-valuetext", said);
    }
  };
  const all = () => document.querySelectorAll(`.${model.get("slider_class")} .noUi-handle`).forEach(speak);
  const observer = new MutationObserver((changes) => changes.forEach(({ target }) => speak(target)));
  observer.observe(document.body, { subtree: true, attributeFilter: ["aria-valuetext"] });
  const attached = setTimeout(all, 0);
  document.addEventListener("focusin", all);
  return () => {
    observer.disconnect();
    clearTimeout(attached);
    document.removeEventListener("focusin", all);
  };
}

export default { render };
