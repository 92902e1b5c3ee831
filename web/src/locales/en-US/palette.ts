export const palette = {
  placeholder: "Find a monitor, a page or an action",
  monitors: "Monitors",
  pages: "Go to",
  actions: "Actions",
  searching: "Searching monitors…",
  none: "Nothing found for “{{text}}”",
  results_one: "{{count}} result",
  results_other: "{{count}} results",
  home: "Home page",
  openIncidents: "Open incidents",
  publicStatus: "Public status page",
  theme: "Theme: {{name}}",
  language: "Language: {{name}}",
} as const;

export const shortcuts = {
  title: "Keyboard shortcuts",
  palette: "Search and commands",
  search: "Go to the search field",
  next: "Next row of a list",
  previous: "Previous row",
  open: "Open the row",
  sheet: "Show these shortcuts",
  close: "Close what lies above the page",
  or: "or",
  singleKeys: "Shortcuts of a single character",
  singleKeysHint: "Turn these off if speech input types letters by itself. The choice lasts as long as this tab.",
} as const;
