export const common = {
  loading: "Loading…",
  retry: "Try again",
  retrying: "Trying again…",
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
  removeNumber: "Remove number {{number}}",
  refresh: "Refresh",
  refreshing: "Refreshing…",
  optional: "{{label}} (optional)",
  now: "now",
  every: "every {{span}}",
  yes: "Yes",
  lostLocations: {
    none: "No probe runner is running at {{names}}: monitors are not checked there.",
    names: "The probe runner at {{names}} cannot resolve names: monitors with host names are not checked there.",
    network: "The probe runner at {{names}} cannot reach its network: monitors are not checked there.",
  },
  no: "No",
  none: "None",
  undo: "Undo",
  undone: "Undone",
  hotkey: "Key: {{key}}",
  leave: {
    title: "Leave without saving?",
    text: "What you entered has not been saved and will be lost.",
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
  lost: "Connection to the server lost. What you see may be out of date. Reconnecting…",
  offline: "You are offline",
} as const;
