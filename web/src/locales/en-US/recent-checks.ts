/** The bars beside a monitor's name, which the dashboard shows, too. */
export const recentChecks = {
  title: "Latest checks",
  noneYet: "No checks yet",
  summary_one: "Latest {{count}} check: {{down}} failed, {{none}} without data",
  summary_other: "Latest {{count}} checks: {{down}} failed, {{none}} without data",
  inMaintenance_one: "{{count}} of them in maintenance",
  inMaintenance_other: "{{count}} of them in maintenance",
} as const;
