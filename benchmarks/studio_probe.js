// Runs in the page before anything else and keeps time there, so that what drives the browser from
// outside costs the measurement nothing.
(() => {
  const now = () => performance.now();
  const charts = ".nd-chart";
  const loaded = { socket: null, ready: null, firstChart: null, allCharts: null, slider: null };
  let press = null;

  class WatchedSocket extends WebSocket {
    constructor(...of) {
      super(...of);
      this.addEventListener("message", ({ data }) => {
        if (!press || press.sent === null) return;
        const size = data.byteLength ?? data.size ?? data.length;
        press.messages += 1;
        press.bytes += size;
        if (size >= press.largest) {
          press.largest = size;
          press.received = now();
        }
      });
    }

    send(data) {
      if (loaded.socket === null) loaded.socket = now();
      if (press && press.sent === null) press.sent = now();
      super.send(data);
    }
  }
  window.WebSocket = WatchedSocket;

  // The frame that shows a change is drawn after the next animation callback.
  const paint = (mine) => {
    if (mine.scheduled) return;
    mine.scheduled = true;
    mine.unpainted += 1;
    requestAnimationFrame(() => {
      mine.scheduled = false;
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        mine.painted = now();
        mine.unpainted -= 1;
        port1.close();
      };
      port2.postMessage(null);
    });
  };

  const changed = (kind) => {
    press[kind] = now();
    paint(press);
  };

  const loading = () => {
    if (loaded.slider === null && document.querySelector(".noUi-handle")) loaded.slider = now();
    if (loaded.ready === null && document.documentElement.dataset.ndReady) loaded.ready = now();
    const found = [...document.querySelectorAll(charts)];
    const drawn = found.filter((chart) => chart.dataset.drawn).length;
    if (loaded.firstChart === null && drawn) loaded.firstChart = now();
    if (loaded.allCharts === null && found.length && drawn === found.length) {
      loaded.allCharts = now();
    }
  };

  new MutationObserver((records) => {
    if (loaded.allCharts === null) loading();
    if (!press) return;
    for (const { target, type, attributeName } of records) {
      const element = target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement;
      if (!element) continue;
      if (type === "attributes") {
        if (attributeName === "data-drawn") {
          changed("drawn");
          press.charts += 1;
        }
      } else if (element.closest(".nd-results") && !element.closest(charts)) {
        changed("written");
      }
    }
  }).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
    attributeFilter: ["data-drawn", "data-nd-ready"],
  });

  // A press is done when nothing has changed for a while. One that gives other numbers but the same
  // charts is waited for a little longer, one that gives nothing is given up.
  const GIVE_UP_MS = 4000;
  const NO_CHART_MS = 500;
  const settled = (quiet) =>
    new Promise((resolve) => {
      const began = now();
      const look = () => {
        const last = Math.max(press.drawn ?? 0, press.written ?? 0, press.painted ?? 0);
        const enough = press.drawn !== null ? quiet : last ? NO_CHART_MS : Infinity;
        const done = !press.unpainted && now() - last > enough;
        if (done || now() - began > GIVE_UP_MS) resolve();
        else setTimeout(look, 10);
      };
      look();
    });

  window.netdesignProbe = {
    loaded,
    timesOfLoad() {
      const [page] = performance.getEntriesByType("navigation");
      return { ...loaded, html: page.responseEnd, scripts: page.loadEventEnd };
    },
    arm() {
      press = {
        at: null, sent: null, received: null, drawn: null, written: null, painted: null,
        messages: 0, bytes: 0, largest: 0, charts: 0, scheduled: false, unpainted: 0,
      };
      const mine = press;
      document.addEventListener("keydown", (event) => { mine.at = event.timeStamp; },
        { capture: true, once: true });
    },
    async result(quiet) {
      await settled(quiet);
      const { scheduled, unpainted, ...done } = press;
      press = null;
      return done;
    },
  };
})();
