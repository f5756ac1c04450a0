// One line for paper: when it was printed, how old the prices are, where the design is.
function render({ model, el }) {
  const line = document.createElement("p");
  line.className = "nd-print-line";
  const show = () => {
    const today = new Date().toLocaleDateString("en-GB", { dateStyle: "long" });
    const address = document.body.hasAttribute("data-voila") ? ` · ${window.location.href}` : "";
    line.textContent = `Printed on ${today} · ${model.get("data_age")}${address}`;
  };
  el.append(line);
  window.addEventListener("beforeprint", show);
  model.on("change:data_age", show);
  show();
  return () => {
    window.removeEventListener("beforeprint", show);
    model.off("change:data_age", show);
  };
}

export default { render };
