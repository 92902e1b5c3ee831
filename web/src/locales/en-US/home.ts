export const home = {
  title: "Know before your users do",
  lead: "Sonde watches your APIs around the clock, measures every phase of every request, and tells you the moment something breaks. Self-hosted, and yours.",
  start: "Get started",
  dashboard: "Go to the dashboard",
  login: "Login",
  example: "Example",
  exampleNote: "An illustration with invented figures.",
  features: {
    title: "The state of all your services in one place",
    realtime: {
      title: "Real-time monitoring",
      text: "Checks run on the second, on fresh connections. State and response times move on your screen as they happen, without a reload.",
    },
    alerts: {
      title: "Alert notifications",
      text: "A failure is checked again before anyone is alerted, and a missing check counts as no data, never as up or down. So every alert matters.",
    },
    dashboard: {
      title: "Visual dashboard",
      text: "Uptime, percentiles and the phases of a request, over 24 hours and 30 days: DNS, connect, TLS, first byte.",
    },
    statusPage: {
      title: "Public status page",
      text: "Show your users the state of the services you choose, without login and without giving away an address or a key.",
      open: "See the status page",
    },
  },
  steps: {
    title: "From zero to the first result in a minute",
    one: { title: "Register", text: "The first account is the administrator." },
    two: { title: "Add a monitor", text: "A name and a URL are enough. Everything else has a sensible default." },
    three: { title: "See it live", text: "The first result appears within two seconds of saving." },
  },
  sample: {
    checkout: "Checkout API",
    search: "Search",
    mailer: "Mail gateway",
    phases: "Phases of one request",
  },
} as const;
