// Links keep the design that is in the address bar; the theme button remembers the choice.
(function () {
  function keepQuery(event) {
    var link = event.target.closest && event.target.closest("a[data-nd-link]");
    if (link) link.search = window.location.search;
  }
  ["pointerdown", "focusin", "click"].forEach(function (name) {
    document.addEventListener(name, keepQuery, true);
  });

  document.addEventListener("click", function (event) {
    if (!event.target.closest("[data-nd-theme]")) return;
    var root = document.documentElement;
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("netdesign-theme", root.dataset.theme);
    } catch (error) {
      console.warn("The choice of theme lasts only until the page is closed.");
    }
  });
})();
