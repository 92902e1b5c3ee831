/** Every address of the app. Patterns (`:id`) are for the route table, the functions for links. */
export const paths = {
  home: "/",
  login: "/login",
  register: "/register",
  status: "/status",
  dashboard: "/dashboard",
  monitors: "/monitors",
  monitorCreate: "/monitors/create",
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
  statusConfig: "/status/config",
  notifications: "/notifications",
  users: "/users",
  userCreate: "/users/create",
  userPattern: "/users/:id",
  user: (id: number) => `/users/${id}`,
  profile: "/profile",
} as const;

/** The description of the HTTP API. The server itself writes it: a plain link leads there, out of the app. */
export const apiReference = "/api/docs";
