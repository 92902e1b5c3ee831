export const monitors = {
  title: "API Monitors",
  add: "Add monitor",
  import: "Import",
  clone: "Clone",
  name: "Name",
  status: "Status",
  responseTime: "Response time",
  uptime: "Uptime (24 h)",
  searchLabel: "Search by name, URL or description",
  filters: { active: "Active", expiring: "Expiring soon" },
  clearFilters: "Clear filters",
  selectAll: "Select all on this page",
  select: "Select {{name}}",
  selected_one: "{{count}} selected",
  selected_other: "{{count}} selected",
  pause: "Pause",
  resume: "Resume",
  pausing: "Pausing…",
  resuming: "Resuming…",
  empty: {
    title: "No monitors yet",
    text: "A monitor checks a website, an API or a server on a schedule and records its status and response time.",
    noMatch: "No matching monitors",
    noMatchText: "Try another search, or clear the filters.",
  },
  remove: {
    title: "Delete monitor?",
    text: "“{{name}}” and all its history will be deleted. This action cannot be undone.",
    manyTitle: "Delete monitors?",
    many_one: "{{count}} monitor and all its history will be deleted. This action cannot be undone.",
    many_other: "{{count}} monitors and all their history will be deleted. This action cannot be undone.",
    success: "Monitor successfully deleted",
  },
  pauseAsk: {
    title_one: "Pause and end {{count}} incident?",
    title_other: "Pause and end {{count}} incidents?",
    text_one:
      "{{count}} incident is open. Pausing ends it without sending a message. If the failure persists, resuming opens a new one.",
    text_other:
      "{{count}} incidents are open. Pausing ends them without sending a message. If a failure persists, resuming opens a new one.",
  },
  bulk: {
    edited_one: "{{count}} monitor changed",
    edited_other: "{{count}} monitors changed",
    paused_one: "{{count}} monitor paused",
    paused_other: "{{count}} monitors paused",
    resumed_one: "{{count}} monitor resumed",
    resumed_other: "{{count}} monitors resumed",
    deleted_one: "{{count}} monitor deleted",
    deleted_other: "{{count}} monitors deleted",
    failed_one: "{{count}} couldn't be changed: {{reason}}",
    failed_other: "{{count}} couldn't be changed: {{reason}}",
    failedNames: "{{names}} ({{reason}})",
    others_one: "{{count}} other",
    others_other: "{{count}} others",
  },
  recentChecks: {
    title: "Latest checks",
    noneYet: "No checks yet",
    summary_one: "Latest {{count}} check: {{down}} failed, {{none}} without data",
    summary_other: "Latest {{count}} checks: {{down}} failed, {{none}} without data",
    inMaintenance_one: "{{count}} of them in maintenance",
    inMaintenance_other: "{{count}} of them in maintenance",
  },
} as const;

/** Badge of objects that a configuration source manages. */
export const managed = {
  from: "from {{source}}",
  by: "Managed by {{source}}",
  byAt: "Managed by {{source}}, at {{place}}",
} as const;

export const cells = {
  up: "All up",
  partial: "Partly down",
  down: "Down",
  noData: "No data",
  notDue: "Not monitored",
  maintenance: "In maintenance",
  partlyMaintenance: "Partly in maintenance",
} as const;
