/**
 * Every service. The users of the bus, the roles of PostgreSQL, `npm start`, its configuration and the benches come from
 * this list: a new service is its folder `services/<name>`, a line here, and its entry in `permissions.ts`.
 */
export const services = {
  auth: { process: "core", hasDatabase: true },
  monitors: { process: "core", hasDatabase: true },
  "agent-ingest": { process: "core", hasDatabase: true },
  gateway: { process: "core", hasDatabase: false },
  "probe-runner": { process: "probe-runner", hasDatabase: false },
  metrics: { process: "metrics", hasDatabase: false },
  notifier: { process: "core", hasDatabase: true },
  "status-page": { process: "core", hasDatabase: true },
} as const satisfies Record<string, ServiceDescription>;

type ServiceDescription = {
  /** The process of `npm start` that it runs in. */
  process: string;
  /** Whether it keeps rows in PostgreSQL, in a schema and by a role of its own. */
  hasDatabase: boolean;
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
