import type { Agent } from "@sonde/proto/http/agents/agents";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { StatusConfigInput } from "@sonde/proto/http/status/config";
import type { Api } from "@sonde/testing/api";

/** A public page of the demo's services: one group, names for readers, an announcement and a maintenance ahead. */
export async function publishPage(api: Api): Promise<void> {
  const { monitors } = await api.get<{ monitors: Monitor[] }>("/api/monitors?pageSize=200");
  const { agents } = await api.get<{ agents: Agent[] }>("/api/agents?pageSize=200");
  const tagged = (tag: string) => monitors.filter(({ tags }) => tags.includes(tag)).map(({ id }) => id);
  const shop = tagged("shop");
  const config: StatusConfigInput = {
    title: "Example Shop",
    description: "The state of everything that our customers use.",
    monitors: [...shop, ...tagged("internal")],
    agents: agents.map(({ id }) => id),
    groups: [{ name: "Shop", monitors: shop, agents: [] }],
  };
  await api.send("PUT", "/api/status/config", config);
  await api.send("POST", "/api/announcements", {
    title: "Search answers slowly",
    impact: "minor",
    monitors: shop.slice(0, 1),
    state: "investigating",
    text: "We see slow answers and look for the cause.",
  });
  const start = new Date(Date.now() + 26 * 3_600_000);
  await api.send("POST", "/api/maintenance", {
    name: "Database upgrade",
    note: "Orders may be refused for some minutes.",
    monitors: shop.slice(1, 2),
    start: start.toISOString(),
    end: new Date(start.getTime() + 3_600_000).toISOString(),
  });
}
