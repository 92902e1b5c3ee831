export const common = {
  loading: "Loading…",
  retry: "Try again",
  retrying: "Retrying…",
  close: "Close",
  cancel: "Cancel",
  delete: "Delete",
  deleting: "Deleting…",
  edit: "Edit",
  view: "View details",
  actions: "Actions",
  copy: "Copy",
  copied: "Copied",
  sort: "Sort by this column",
  pages: "Pages",
  pageOf: "{{first}}–{{last}} of {{total}}",
  previous: "Previous",
  next: "Next",
  removeNumber: "Remove item {{number}}",
  refresh: "Refresh",
  refreshing: "Refreshing…",
  optional: "{{label}} (optional)",
  now: "now",
  every: "every {{span}}",
  yes: "Yes",
  lostLocations: {
    none: "No probe runner at {{names}}. Monitors aren't checked there.",
    names: "The probe runner at {{names}} can't resolve host names. Monitors that use them aren't checked there.",
    network: "The probe runner at {{names}} has no network. Monitors aren't checked there.",
  },
  no: "No",
  none: "None",
  undo: "Undo",
  undone: "Undone",
  hotkey: "Shortcut: {{key}}",
  leave: {
    title: "Leave without saving?",
    text: "Your unsaved changes will be lost.",
    stay: "Stay",
    leave: "Leave",
  },
  skipToContent: "Skip to content",
  saving: "Saving…",
  saveChanges: "Save changes",
  done: "Done",
} as const;

export const status = {
  list: { up: "Up", down: "Down", pending: "Pending", paused: "Paused", noData: "No data" },
  detail: { up: "Normal", down: "Failure", pending: "Pending", paused: "Paused", noData: "No data" },
} as const;

export const theme = { light: "Light", dark: "Dark", auto: "System" } as const;

export const live = {
  short: "Reconnecting…",
  lost: "Connection lost. Data may be out of date. Reconnecting…",
  offline: "You're offline",
} as const;
