export const nav = {
  main: "Main",
  dashboard: "Dashboard",
  monitors: "API Monitors",
  agents: "Agent Monitors",
  statusPage: "Status Page",
  notifications: "Notifications",
  language: "Language",
  theme: "Theme",
  login: "Log in",
  menu: "Menu",
  incidents: "Incidents",
  maintenance: "Maintenance",
  onCall: "On Call",
  slos: "Service levels",
  reports: "Reports",
  openIncidents: "{{count}} open",
  palette: "Search and commands",
  account: "Account: {{username}}",
  loggedInAs: "Logged in as",
  users: "User Management",
  audit: "Audit log",
  signIn: "Sign-in",
  sources: "Configuration sources",
  settings: "Settings",
  profile: "Profile",
  docs: "Documentation",
  api: "API reference",
  logout: "Log out",
  waiting_one: "{{count}} account awaiting approval",
  waiting_other: "{{count}} accounts awaiting approval",
} as const;

export const settings = {
  general: "General",
  preferences: {
    title: "Appearance, language and time zone",
    timeZone: "Time zone",
    browserZone: "Browser time zone ({{zone}})",
    note: "Applies immediately and is saved in this browser.",
  },
  locations: "Locations",
  locationsText: "Where monitors are checked from. A probe runner adds its location when it connects.",
  location: "Location",
  runners: "Probe runners",
  monitors: "Monitors",
} as const;

export const footer = {
  copyright: "© {{year}} Sonde",
  blog: "Blog",
  video: "Videos",
  mail: "Temporary mail",
  version: "Version {{version}}",
} as const;

export const notFound = {
  title: "Page not found",
  text: "This page doesn't exist. It may have moved, or the link may have a typo.",
  home: "Back to home",
} as const;

export const crash = {
  broken: {
    title: "Something went wrong",
    text: "This page couldn't be displayed. Try reloading: Sonde may have just been updated, or the connection dropped.",
  },
  offline: {
    title: "You're offline",
    text: "Your browser has no network connection. This page loads once you're back online.",
  },
  away: {
    title: "Can't reach the Sonde server",
    text: "It may be restarting. This page loads once the server responds.",
  },
  reload: "Reload page",
} as const;
