import type { Client } from "@sonde/kit/bus/rpc";
import type { agentsContract } from "@sonde/proto/rpc/agents";
import type { authContract } from "@sonde/proto/rpc/auth";
import type { incidentsContract } from "@sonde/proto/rpc/incidents";
import type { metricsContract } from "@sonde/proto/rpc/metrics";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import type { statusContract } from "@sonde/proto/rpc/status";
import type { Context } from "../context.ts";
import type { DeliveryContext } from "../deliveries/delivery-context.ts";
import type { ReportKey } from "./key.ts";

/** Services that reports are made from. */
export type ReportSources = {
  monitors: Pick<Client<typeof monitorsContract>, "listMonitors">;
  agents: Pick<Client<typeof agentsContract>, "listAgents">;
  incidents: Pick<Client<typeof incidentsContract>, "listIncidents">;
  metrics: Pick<Client<typeof metricsContract>, "countSlots" | "agentDays">;
  statusPage: Pick<Client<typeof statusContract>, "getPage">;
  auth: Pick<Client<typeof authContract>, "people">;
};

export type ReportContext = Context &
  Pick<DeliveryContext, "channelOf"> & { sources: ReportSources; reportKey(): Promise<ReportKey> };
