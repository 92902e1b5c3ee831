/** The keys that are derived from `SONDE_SECRET_KEY`, one for each context; `v1` opens what version 0.1.0 sealed. */
export const keyNames = ["check", "channel", "link", "confirmation", "unsubscription", "v1"] as const;
export type KeyName = (typeof keyNames)[number];

/**
 * Every service. The users of the bus, the roles of PostgreSQL, `npm start`, its configuration and the benches come from
 * this list: a new service is its folder `services/<name>`, a line here, and its entry in `permissions.ts`.
 */
export const services = {
  auth: { process: "core", hasDatabase: true, keys: [] },
  monitors: { process: "core", hasDatabase: true, keys: ["check", "v1"] },
  "agent-ingest": { process: "core", hasDatabase: true, keys: [] },
  gateway: { process: "core", hasDatabase: false, keys: [] },
  "probe-runner": { process: "probe-runner", hasDatabase: false, keys: ["check"] },
  metrics: { process: "metrics", hasDatabase: false, keys: [] },
  notifier: { process: "core", hasDatabase: true, keys: ["channel", "link", "v1"] },
  "status-page": { process: "core", hasDatabase: true, keys: ["confirmation", "unsubscription"] },
} as const satisfies Record<string, ServiceDescription>;

type ServiceDescription = {
  /** The process of `npm start` that it runs in. */
  process: string;
  /** Whether it keeps rows in PostgreSQL, in a schema and by a role of its own. */
  hasDatabase: boolean;
  /** The keys that it is given; SECURITY.md says what each opens. */
  keys: readonly KeyName[];
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
