import type { CheckType } from "@sonde/proto/http/monitors/kinds";

export type KindGroup = "web" | "network" | "mail" | "databases" | "jobs";

/** What each kind is for, in the order in which they are offered: what most people need comes first. */
const groups: Record<CheckType, KindGroup> = {
  http: "web",
  websocket: "web",
  grpc: "web",
  flow: "web",
  tcp: "network",
  dns: "network",
  tls: "network",
  icmp: "network",
  domain: "network",
  mail: "mail",
  postgres: "databases",
  mysql: "databases",
  redis: "databases",
  heartbeat: "jobs",
};

export const offeredKinds = Object.entries(groups) as [CheckType, KindGroup][];
