export const nav = {
  main: "Main",
  dashboard: "Dashboard",
  monitors: "API Monitors",
  agents: "Agent Monitors",
  statusPage: "Status Page",
  notifications: "Notifications",
  language: "Language",
  theme: "Theme",
  login: "Login",
  menu: "Menu",
  incidents: "Open incidents",
  openIncidents: "Open incidents: {{count}}",
  palette: "Search and commands",
  account: "Account of {{username}}",
  loggedInAs: "Logged in as",
  users: "User Management",
  audit: "Audit log",
  signIn: "Sign-in",
  sources: "Configuration sources",
  profile: "Profile",
  docs: "Documentation",
  api: "API reference",
  logout: "Logout",
  waiting_one: "{{count}} account is waiting for approval",
  waiting_other: "{{count}} accounts are waiting for approval",
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
  text: "There is nothing at this address. The page may have moved, or the link may be mistyped.",
  home: "Back to home",
} as const;

export const crash = {
  broken: {
    title: "Something went wrong",
    text: "This page could not be shown. Reloading helps if Sonde was just updated or the connection was interrupted.",
  },
  offline: {
    title: "You are offline",
    text: "Your browser has no network connection. The page is loaded as soon as there is one.",
  },
  away: {
    title: "The Sonde server cannot be reached",
    text: "It may be restarting. The page is loaded as soon as it answers.",
  },
  reload: "Reload page",
} as const;
