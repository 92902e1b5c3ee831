/** The screen at /status/config and its first tab; the other tabs have files of their own. */
export const statusPage = {
  open: "Open the public page",
  tabs: "Parts of the status page",
  tab: {
    page: "Page",
    incidents: "Incidents",
    maintenance: "Maintenance",
    subscribers: "Subscribers",
  },
} as const;
