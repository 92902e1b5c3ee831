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
  palette: "Search and commands",
  account: "Account of {{username}}",
  loggedInAs: "Logged in as",
  users: "User Management",
  profile: "Profile",
  api: "API reference",
  logout: "Logout",
  waiting_one: "{{count}} account waits for approval",
  waiting_other: "{{count}} accounts wait for approval",
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
  text: "There is nothing at this address. It may have moved, or the link has a typing error.",
  home: "Back to home",
} as const;

export const crash = {
  title: "Something went wrong",
  text: "This page could not be shown. If a new version was just installed, loading it again helps.",
  reload: "Load the page again",
} as const;
