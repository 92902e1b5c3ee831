import { basePath } from "../lib/base-path.ts";

/** All paths of the app: patterns (`:id`) for the route table, functions for links. */
export const paths = {
  home: "/",
  login: "/login",
  register: "/register",
  invite: "/invite",
  dashboard: "/dashboard",
  wall: "/wall",
  monitors: "/monitors",
  monitorCreate: "/monitors/create",
  monitorImport: "/monitors/import",
  monitorClone: (id: number) => `/monitors/create?clone=${id}`,
  monitorEditPattern: "/monitors/edit/:id",
  monitorPattern: "/monitors/:id",
  monitorEdit: (id: number) => `/monitors/edit/${id}`,
  monitor: (id: number) => `/monitors/${id}`,
  agents: "/agents",
  agentCreate: "/agents/create",
  agentEditPattern: "/agents/edit/:id",
  agentPattern: "/agents/:id",
  agentEdit: (id: number) => `/agents/edit/${id}`,
  agent: (id: number) => `/agents/${id}`,
  incidents: "/incidents",
  incidentPattern: "/incidents/:id",
  incident: (id: string) => `/incidents/${id}`,
  acknowledge: "/acknowledge",
  maintenance: "/maintenance",
  silences: "/silences",
  onCall: "/on-call",
  onCallCreate: "/on-call/create",
  onCallImport: "/on-call/import",
  onCallEditPattern: "/on-call/edit/:id",
  onCallEdit: (id: number) => `/on-call/edit/${id}`,
  slos: "/service-levels",
  sloCreate: "/service-levels/create",
  sloPattern: "/service-levels/:id",
  sloEditPattern: "/service-levels/:id/edit",
  slo: (id: number) => `/service-levels/${id}`,
  sloEdit: (id: number) => `/service-levels/${id}/edit`,
  reports: "/reports",
  reportCreate: "/reports/create",
  reportPattern: "/reports/:id",
  reportEditPattern: "/reports/:id/edit",
  report: (id: number) => `/reports/${id}`,
  reportEdit: (id: number) => `/reports/${id}/edit`,
  statusConfig: "/status/config",
  notifications: "/notifications",
  notificationSettings: "/notifications/settings",
  notificationTemplates: "/notifications/templates",
  deliveries: "/notifications/deliveries",
  noise: "/notifications/noise",
  channelCreate: "/notifications/channels/create",
  channelEditPattern: "/notifications/channels/edit/:id",
  channelEdit: (id: number) => `/notifications/channels/edit/${id}`,
  templateCreate: "/notifications/templates/create",
  templateEditPattern: "/notifications/templates/edit/:id",
  templateEdit: (id: number) => `/notifications/templates/edit/${id}`,
  drills: "/on-call/drills",
  policies: "/on-call/policies",
  policyCreate: "/on-call/policies/create",
  policyEditPattern: "/on-call/policies/edit/:id",
  policyEdit: (id: number) => `/on-call/policies/edit/${id}`,
  monitorNotificationsPattern: "/notifications/settings/monitor/:id",
  agentNotificationsPattern: "/notifications/settings/agent/:id",
  targetNotifications: (type: "monitor" | "agent", id: number) => `/notifications/settings/${type}/${id}`,
  users: "/users",
  userCreate: "/users/create",
  userPattern: "/users/:id",
  user: (id: number) => `/users/${id}`,
  profile: "/profile",
  profileOnCall: "/profile/on-call",
  audit: "/audit",
  settings: "/settings",
  settingsGeneral: "/settings/general",
  settingsLocations: "/settings/locations",
  sources: "/settings/sources",
  signIn: "/settings/sign-in",
  signInComplete: "/login/complete",
} as const;

/** The API reference. The server renders it, so links to it leave the app. */
export const apiReference = `${basePath}/api/docs`;

/** The documentation, or one of its pages. The server renders these too. */
export const documentation = (language: string, page = ""): string =>
  `${basePath}/docs/${language === "zh-CN" ? "zh-CN/" : ""}${page}`;

/** The public status page. The server renders it, so links to it leave the app. */
export const publicPage = `${basePath}/status`;

export const announcementsPath = `${paths.statusConfig}?tab=incidents`;
export const announcementPath = (id: number) => `${announcementsPath}&announcement=${id}`;
/** The form for a new announcement, prefilled from an automatic incident or empty. */
export const announcePath = (incidentId: string | null) => `${announcementsPath}&announce=${incidentId ?? "new"}`;

export const planPath = `${paths.maintenance}?plan=new`;
export const planPathOf = (type: "monitor" | "agent", id: number) => `${paths.maintenance}?plan=${type}:${id}`;
export const windowPath = (id: number) => `${paths.maintenance}?window=${id}`;
