// Runs before the first paint, outside the bundle: the stored theme and language never flash.
// A file of its own, because the Content-Security-Policy refuses inline scripts.
(function () {
  var root = document.documentElement;
  var theme = null;
  var language = null;
  try {
    theme = localStorage.getItem("theme");
    language = localStorage.getItem("language");
  } catch {
    // Storage may be forbidden; the defaults hold.
  }
  var dark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = dark ? "dark" : "light";
  root.lang = language === "en-US" ? "en-US" : "zh-CN";
})();
