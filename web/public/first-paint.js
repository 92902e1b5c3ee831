// Applies the stored theme and language before the first paint, to avoid a flash. It is a separate file because the
// Content-Security-Policy blocks inline scripts.
(function () {
  var root = document.documentElement;
  var theme = null;
  var language = null;
  try {
    theme = localStorage.getItem("theme");
    language = new URLSearchParams(location.search).get("lang") || localStorage.getItem("language");
  } catch {
    // Storage may be blocked. The defaults apply.
  }
  var dark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = dark ? "dark" : "light";
  root.lang = language === "en-US" ? "en-US" : "zh-CN";
})();
