/**
 * The keys that are derived from `SONDE_SECRET_KEY`, one for each context; `v1` opens what version 0.1.0 sealed, and `backup`
 * nothing: a backup recognizes the others by it.
 */
export const keyNames = [
  "check",
  "channel",
  "link",
  "confirmation",
  "unsubscription",
  "signin",
  "v1",
  "backup",
] as const;
export type KeyName = (typeof keyNames)[number];

/**
 * Every service. The users of the bus, the roles of PostgreSQL, `npm start`, its configuration, images, test beds and, by
 * `npm run generate:chart`, chart, Compose and Skaffold come from this list: a new service is its folder
 * `services/<name>`, a line here, and its entry in `permissions.ts`.
 */
export const services = {
  auth: { process: "core", hasDatabase: true, keys: ["signin"], callsOut: true },
  monitors: { process: "core", hasDatabase: true, keys: ["check", "v1"] },
  "agent-ingest": { process: "core", hasDatabase: true, keys: [], port: 8081, isPublic: true },
  gateway: { process: "core", hasDatabase: false, keys: [], port: 8080, isPublic: true },
  "probe-runner": { process: "probe-runner", hasDatabase: false, keys: ["check"], callsOut: true },
  metrics: { process: "metrics", hasDatabase: false, keys: [] },
  notifier: { process: "core", hasDatabase: true, keys: ["channel", "link", "v1"], callsOut: true },
  "status-page": { process: "core", hasDatabase: true, keys: ["confirmation", "unsubscription"] },
} as const satisfies Record<string, ServiceDescription>;

export type ServiceDescription = {
  /** The process of `npm start` that it runs in. */
  process: string;
  /** Whether it has rows in PostgreSQL, in its own schema and with its own role. */
  hasDatabase: boolean;
  /** The keys that it receives; SECURITY.md describes what each decrypts. */
  keys: readonly KeyName[];
  /** The port of its listener, beside the ops port that all have. */
  port?: number;
  /** Whether people or agents reach that listener from outside. */
  isPublic?: boolean;
  /** Whether it opens connections to addresses that people name. */
  callsOut?: boolean;
};

export type ServiceName = keyof typeof services;
export const serviceNames = Object.keys(services) as ServiceName[];

/** The services that keep rows. */
export type DatabaseService = {
  [Name in ServiceName]: (typeof services)[Name]["hasDatabase"] extends true ? Name : never;
}[ServiceName];
export const databaseServices = serviceNames.filter((name): name is DatabaseService => services[name].hasDatabase);

/** A service's schema in PostgreSQL: its name, as SQL takes it. */
export const schemaOf = (service: ServiceName): string => service.replaceAll("-", "_");
