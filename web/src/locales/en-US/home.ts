export const home = {
  title: "Know before your users do",
  lead: "Sonde checks your APIs around the clock, measures every phase of each request, and alerts you the moment something breaks. Self-hosted, so your data stays yours.",
  start: "Get started",
  dashboard: "Go to the dashboard",
  login: "Log in",
  example: "Example",
  exampleNote: "Sample data, for illustration only.",
  features: {
    title: "All your services in one place",
    realtime: {
      title: "Real-time monitoring",
      text: "Checks run on schedule to the second, each over a fresh connection. Status and response times update live, with no reload.",
    },
    alerts: {
      title: "Alert notifications",
      text: "Failures are rechecked before anyone is alerted, and a missed check counts as no data, never as up or down. Every alert matters.",
    },
    dashboard: {
      title: "Visual dashboard",
      text: "Uptime, percentiles and request phases (DNS, connect, TLS, first byte) over 24 hours and 30 days.",
    },
    statusPage: {
      title: "Public status page",
      text: "Show users the status of the services you choose. No login needed, and no addresses or keys exposed.",
      open: "View the status page",
    },
  },
  steps: {
    title: "From zero to the first result in a minute",
    one: { title: "Register", text: "The first account becomes the administrator." },
    two: { title: "Add a monitor", text: "All you need is a name and a URL. Everything else has a sensible default." },
    three: { title: "See it live", text: "The first result appears within two seconds of saving." },
  },
  sample: {
    checkout: "Checkout API",
    search: "Search",
    mailer: "Mail gateway",
    phases: "Phases of one request",
  },
} as const;
