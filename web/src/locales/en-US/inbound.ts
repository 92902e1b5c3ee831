/** Page of an inbound monitor. Field labels are in `entities/kinds/forms/inbound.ts`. */
export const inbound = {
  open: "Open alerts",
  all: "Show all open alerts",
  downNote: "Down while one is critical",
  received: "Last received",
  nothing: "Nothing received yet",
  address: "Address for alerts",
  addressText: "Anyone who knows this address can send alerts, so treat it like a password.",
  snippets: {
    alertmanager: {
      title: "Alertmanager configuration",
      note: "Add this to alertmanager.yml and reload Alertmanager.",
    },
    grafana: {
      title: "Grafana contact point",
      note: "In Grafana, add a contact point of type Webhook with this address, or provision this file.",
    },
    "events-v2": {
      title: "Request of a PagerDuty client",
      note: "In your client, replace https://events.pagerduty.com with the address above. Or send an event yourself:",
    },
    generic: { title: "Commands for a script", note: "The key identifies the alert that the second command ends." },
  },
} as const;
