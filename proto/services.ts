/**
 * Keys derived from `SONDE_SECRET_KEY`, one per context. `v1` opens values sealed by version 0.1.0. `backup` opens
 * nothing: a backup uses it to recognise the installation's keys.
 */
export const keyNames = [
  "check",
  "channel",
  "link",
  "confirmation",
  "unsubscription",
  "signin",
  "callout",
  "v1",
  "backup",
] as const;
export type KeyName = (typeof keyNames)[number];

/**
 * Every service. Bus users, PostgreSQL roles, `npm start`, its configuration, images, test beds and, through `npm run
 * generate:chart`, the chart, Compose and Skaffold are derived from this list. A new service needs its folder
 * `services/<name>`, a line here, and an entry in `permissions.ts`.
 */
export const services = {
  auth: { process: "core", hasDatabase: true, keys: ["signin"], callsOut: true },
  monitors: { process: "core", hasDatabase: true, keys: ["check", "callout", "v1"] },
  "agent-ingest": { process: "core", hasDatabase: true, keys: [], port: 8081, isPublic: true },
  gateway: { process: "core", hasDatabase: false, keys: [], port: 8080, isPublic: true },
  "probe-runner": { process: "probe-runner", hasDatabase: false, keys: ["check"], callsOut: true },
  metrics: { process: "metrics", hasDatabase: false, keys: [] },
  notifier: { process: "core", hasDatabase: true, keys: ["channel", "link", "v1"], callsOut: true },
  "status-page": { process: "core", hasDatabase: true, keys: ["confirmation", "unsubscription"] },
} as const satisfies Record<string, ServiceDescription>;

export type ServiceDescription = {
  /** Process of `npm start` that runs the service. */
  process: string;
  /** True if it has its own PostgreSQL schema and role. */
  hasDatabase: boolean;
  /** Keys it receives; SECURITY.md describes what each decrypts. */
  keys: readonly KeyName[];
  /** Port of its listener, besides the ops port that every service has. */
  port?: number;
  /** True if users or agents reach that listener from outside. */
  isPublic?: boolean;
  /** True if it connects to user-defined addresses. */
  callsOut?: boolean;
};

export type ServiceName = keyof typeof services;
export const serviceNames = Object.keys(services) as ServiceName[];

export type DatabaseService = {
  [Name in ServiceName]: (typeof services)[Name]["hasDatabase"] extends true ? Name : never;
}[ServiceName];
export const databaseServices = serviceNames.filter((name): name is DatabaseService => services[name].hasDatabase);

/** The service's PostgreSQL schema, as an SQL identifier. */
export const schemaOf = (service: ServiceName): string => service.replaceAll("-", "_");
