import type { Base } from "../route.ts";
import type { Key } from "./circle.ts";

/** The names of targets, of those that exist. */
export async function namesOf(
  { services, ask }: Pick<Base, "services" | "ask">,
  keys: readonly Key[],
): Promise<Map<Key, string>> {
  const [monitors, agents] = [idsOf(keys, "monitor"), idsOf(keys, "agent")];
  const [ofMonitors, ofAgents] = await Promise.all([
    // Compact ones of a few ids always fit one answer.
    monitors.length === 0
      ? []
      : services.monitors
          .listMonitors({ ids: monitors, pageSize: monitors.length, compact: true }, ask)
          .then((page) => page.monitors.map(({ id, fields }) => [`monitor:${id}`, fields?.name ?? ""] as const)),
    agents.length === 0
      ? []
      : services.agents
          .listAgents({ ids: agents, pageSize: agents.length }, ask)
          .then((page) => page.agents.map(({ id, name }) => [`agent:${id}`, name] as const)),
  ]);
  return new Map<Key, string>([...ofMonitors, ...ofAgents]);
}

const idsOf = (keys: readonly Key[], type: "monitor" | "agent") =>
  keys.filter((key) => key.startsWith(`${type}:`)).map((key) => Number(key.slice(type.length + 1)));
