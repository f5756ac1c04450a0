// One chart. The specification is embedded once; after that only news of its named data sets come.
// Vega itself comes from the page (a <script data-netdesign-runtime> of the template) or, where a
// page has none (JupyterLab), once from the kernel.

const shared = (globalThis.__netdesign = globalThis.__netdesign || {});

function vegaEmbed(model) {
  if (shared.embed) return Promise.resolve(shared.embed);
  return new Promise((resolve) => {
    (shared.waiting = shared.waiting || []).push(resolve);
    const tag = document.querySelector("script[data-netdesign-runtime]");
    if (tag && !tag.dataset.failed) {
      tag.addEventListener("error", () => requestRuntime(model), { once: true });
    } else {
      requestRuntime(model);
    }
  });
}

function requestRuntime(model) {
  if (shared.requested) return;
  shared.requested = true;
  model.on("msg:custom", (message, buffers) => {
    if (message.type !== "runtime" || shared.embed) return;
    const url = URL.createObjectURL(new Blob([buffers[0]], { type: "text/javascript" }));
    import(url).finally(() => URL.revokeObjectURL(url));
  });
  model.send({ type: "runtime" });
}

// Rows travel as records or, at two thirds of the weight, as columns. Vega writes into the rows it
// is given, so it gets copies.
function rows(value) {
  if (Array.isArray(value)) return value.map((row) => ({ ...row }));
  const names = Object.keys(value || {});
  const length = names.length ? value[names[0]].length : 0;
  return Array.from({ length }, (_, i) => Object.fromEntries(names.map((n) => [n, value[n][i]])));
}

function allRows(data) {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, rows(value)]));
}

// News from the kernel: whole data sets, or of one in columns those that changed.
function laidOver(known, news) {
  const data = { ...known };
  for (const [name, value] of Object.entries(news)) {
    const partly = isObject(value) && isObject(value.changed);
    data[name] = partly ? { ...known[name], ...value.changed } : value;
  }
  return data;
}

// The model's data are always complete: filled in place, since setting them would send them back.
function initialize({ model }) {
  let known = model.get("data");
  model.on("change:data", () => {
    const data = model.get("data");
    if (data === known) return;
    known = Object.assign(data, laidOver(known, data));
  });
  model.send({ type: "ready", revision: model.get("revision") });
}

function alike(columns, others) {
  const names = Object.keys(columns);
  return names.length > 0 && names.length === Object.keys(others).length
    && names.every((name) => others[name] && others[name].length === columns[name].length);
}

// Only the marks that look different are drawn anew. A row that differs gets all of its cells back:
// a transform may have written into them.
function differences(view, { value: before, rows: held }, after) {
  const changes = view.changeset();
  const names = Object.keys(after);
  const suspects = names.filter((name) => after[name] !== before[name]);
  held.forEach((row, i) => {
    if (suspects.every((name) => after[name][i] === before[name][i])) return;
    for (const name of names) {
      if (row[name] !== after[name][i]) changes.modify(row, name, after[name][i]);
    }
  });
  return changes;
}

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function merged(base, over) {
  const result = { ...base };
  for (const [key, value] of Object.entries(over || {})) {
    result[key] = isObject(value) && isObject(result[key]) ? merged(result[key], value) : value;
  }
  return result;
}

// Colours and font of a chart are those of the page: the stylesheet's variables, else JupyterLab's.
function themeConfig(el) {
  const style = getComputedStyle(el.isConnected ? el : document.body);
  const read = (...names) => {
    for (const name of names) {
      const value = style.getPropertyValue(name).trim();
      if (value) return value;
    }
    return undefined;
  };
  const text = read("--nd-text", "--jp-ui-font-color1") || "#222";
  const muted = read("--nd-muted", "--jp-ui-font-color2") || "#555";
  const line = read("--nd-line", "--jp-border-color2") || "#ddd";
  const font = read("--nd-font", "--jp-ui-font-family") || "sans-serif";
  const series = [];
  for (let i = 1; read(`--nd-series-${i}`); i += 1) series.push(read(`--nd-series-${i}`));
  const config = {
    background: null,
    font,
    view: { stroke: null },
    axis: {
      labelColor: muted, titleColor: muted, gridColor: line, domainColor: line, tickColor: line,
      titleFontWeight: "normal",
    },
    legend: { labelColor: text, titleColor: muted, titleFontWeight: "normal" },
    header: { labelColor: text, titleColor: muted },
    title: { color: text, subtitleColor: muted, anchor: "start" },
    text: { color: text },
    rule: { color: muted },
  };
  if (series.length) config.range = { category: series };
  return config;
}

function themeColour(el, { name, value }) {
  const style = getComputedStyle(el.isConnected ? el : document.body);
  return style.getPropertyValue(`--nd-${name.slice(6).replaceAll("_", "-")}`).trim() || value;
}

function isDark(el) {
  return getComputedStyle(el).colorScheme.includes("dark") || document.body.dataset.jpThemeLight === "false";
}

// One resize for all charts of the page, however many changed their width in this frame.
function announceResize() {
  if (shared.resizing) return;
  shared.resizing = true;
  requestAnimationFrame(() => {
    shared.resizing = false;
    window.dispatchEvent(new Event("resize"));
  });
}

function copy(value) {
  return JSON.parse(JSON.stringify(value === undefined ? null : value));
}

async function render({ model, el }) {
  el.classList.add("nd-chart");
  const target = document.createElement("div");
  target.className = "nd-chart-target";
  el.append(target);

  const embed = await vegaEmbed(model);
  let api = null;
  let busy = false;
  let stale = true;
  let mustEmbed = true;
  let gone = false;
  let drawn = 0;
  let held = {}; // of each data set what is drawn, and the rows that Vega has of it

  const describe = () => {
    const label = model.get("label");
    const marks = target.querySelector("svg.marks, canvas.marks");
    if (marks && label) {
      marks.setAttribute("aria-label", label);
      if (marks.tagName === "CANVAS") marks.setAttribute("role", "img");
    }
  };

  const listen = () => {
    for (const name of [].concat(model.get("options").selection || [])) {
      api.view.addSignalListener(name, (_, value) => {
        model.set("selection", { ...model.get("selection"), [name]: copy(value) });
        model.save_changes();
      });
    }
  };

  const embedSpec = async () => {
    const { selection, config, ...options } = model.get("options");
    target.style.minHeight = `${target.offsetHeight}px`; // the page keeps its place meanwhile
    if (api) api.finalize();
    api = null;
    const spec = structuredClone(model.get("spec"));
    for (const param of spec.params || []) {
      if (param.name.startsWith("theme_")) param.value = themeColour(el, param);
    }
    // drawn with its data from the start: empty scales would only be drawn to be thrown away
    const data = model.get("data");
    spec.datasets = { ...spec.datasets, ...allRows(data) };
    held = Object.fromEntries(Object.entries(data).map(([name, value]) => [name, { value }]));
    api = await embed(target, spec, {
      renderer: "svg",
      actions: { export: { svg: true, png: true }, source: false, compiled: false, editor: false },
      tooltip: { theme: isDark(el) ? "dark" : "light" },
      downloadFileName: model.get("label") || "chart",
      ...options,
      config: merged(themeConfig(el), config),
    });
    // Vega keeps marks that left the picture and sweeps 10,000 of them at once: that is a heap that
    // grows for as long as a slider moves.
    api.view.cleanThreshold = 100;
    target.style.minHeight = "";
    listen();
  };

  const pushData = async () => {
    for (const [name, value] of Object.entries(model.get("data"))) {
      const last = held[name] || {};
      if (last.value === value) continue;
      try {
        if (last.rows && isObject(value) && isObject(last.value) && alike(value, last.value)) {
          api.view.change(name, differences(api.view, last, value));
          last.value = value;
        } else {
          const fresh = rows(value);
          held[name] = { value, rows: fresh };
          api.view.data(name, fresh);
        }
      } catch (error) {
        console.warn(`netdesign: the chart takes no data set "${name}": ${error.message}`);
      }
    }
    await api.view.runAsync();
  };

  // One redraw at a time; whatever arrives meanwhile is merged into the next, so the last data win.
  const redraw = async () => {
    stale = true;
    if (busy) return;
    busy = true;
    try {
      while (stale && !gone) {
        stale = false;
        const revision = model.get("revision");
        if (Object.keys(model.get("spec")).length === 0) break;
        if (mustEmbed) {
          mustEmbed = false;
          await embedSpec();
        } else {
          await pushData();
        }
        describe();
        drawn += 1;
        el.dataset.revision = String(revision);
        el.dataset.drawn = String(drawn);
      }
    } catch (error) {
      el.dataset.failed = error.message;
      console.error("netdesign: a chart could not be drawn:", error);
    } finally {
      busy = false;
      if (gone && api) api.finalize();
    }
  };

  // The traits of one message change one after the other: wait until all of them are in.
  let queued = false;
  const queue = () => {
    if (queued) return;
    queued = true;
    queueMicrotask(() => {
      queued = false;
      redraw();
    });
  };
  const reembed = () => {
    mustEmbed = true;
    queue();
  };

  const themes = new MutationObserver(reembed);
  themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-name"] });

  let width = el.clientWidth;
  const sizes = new ResizeObserver(() => {
    // A chart that was drawn while it was hidden has no width until it is shown: hidden counts as 0.
    if (api && el.clientWidth && Math.abs(el.clientWidth - width) > 1) announceResize();
    width = el.clientWidth;
  });
  sizes.observe(el);

  model.on("change:spec", reembed);
  model.on("change:options", reembed);
  model.on("change:data", queue);
  model.on("change:revision", queue);
  model.on("change:label", describe);
  await redraw();

  return () => {
    gone = true;
    themes.disconnect();
    sizes.disconnect();
    model.off("change:spec", reembed);
    model.off("change:options", reembed);
    model.off("change:data", queue);
    model.off("change:revision", queue);
    model.off("change:label", describe);
    if (api && !busy) api.finalize();
  };
}

export default { initialize, render };
